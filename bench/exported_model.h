#pragma once

// Models of planning_bench for planners in other programs.

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "c2rl/environments/umb.h"
#include "c2rl/mdp/model.h"
#include "c2rl/mdp/model_builder.h"
#include "c2rl/planning/optimum.h"

namespace c2rl {

template <typename Array>
inline void dump(const std::filesystem::path& file, const Array& array) {
  std::ofstream out(file, std::ios::binary);
  out.write(reinterpret_cast<const char*>(array.data()),
            static_cast<std::streamsize>(array.size() * sizeof(*array.data())));
}

/// The same model without a discount: what is discounted has ended, with that probability.
inline TabularModel with_chance_to_end(const TabularModel& model) {
  ModelBuilder builder(model.measurements);
  for (int s = 0; s < model.states; ++s) {
    for (int k = model.choice_begin[s]; k < model.choice_begin[s + 1]; ++k) {
      Vector amount = Vector::Zero(model.dim());
      for (int e = model.transition_begin[k]; e < model.transition_begin[k + 1]; ++e)
        amount += model.probability[e] * model.measurement.col(e);
      for (int e = model.transition_begin[k]; e < model.transition_begin[k + 1]; ++e)
        builder.add_transition(model.next[e], model.discount * model.probability[e], amount);
      if (model.discount < 1) builder.add_transition(model.states, 1 - model.discount, amount);
      builder.end_choice();
    }
    builder.end_state();
  }
  Vector start = model.start;
  if (model.discount < 1) {
    builder.end_state();
    start.conservativeResize(model.states + 1);
    start[model.states] = 0;
  }
  TabularModel result = std::move(builder).finish(start);
  result.horizon = model.horizon;
  return result;
}

/// A model for others to read: its arrays as they are, what choices cost in a direction, and both as UMB; and, as UMB, with all
/// that it measures.
class Exported {
 public:
  Exported(const TabularModel& model, const Vector& direction, bool with_umb, bool with_all)
      : folder_(std::filesystem::temp_directory_path() / fmt::format("c2rl_planning_{}", getpid())) {
    std::filesystem::create_directories(folder_);
    const std::vector<double> cost = ScalarProblem(model, direction, Ties::first, Rng(0)).cost;
    dump(folder_ / "choice_begin", model.choice_begin);
    dump(folder_ / "transition_begin", model.transition_begin);
    dump(folder_ / "next", model.next);
    dump(folder_ / "probability", model.probability);
    dump(folder_ / "start", model.start);
    dump(folder_ / "cost", cost);
    if (with_all) dump(folder_ / "all.umb", to_umb(with_chance_to_end(model)));
    if (!with_umb) return;
    TabularModel scalar = model;
    scalar.measurements = {"cost"};
    scalar.measurement.resize(1, model.transitions());
    for (int k = 0; k < model.choices(); ++k) {
      for (int e = model.transition_begin[k]; e < model.transition_begin[k + 1]; ++e)
        scalar.measurement(0, e) = cost[k];
    }
    dump(folder_ / "model.umb", to_umb(scalar));
  }
  ~Exported() { std::filesystem::remove_all(folder_); }
  Exported(const Exported&) = delete;
  Exported& operator=(const Exported&) = delete;

  /// The last line that a program says of it, given `arguments` behind the folder.
  std::string ask(const std::string& program, const std::string& arguments) const {
    const std::string command =
        fmt::format("OMP_NUM_THREADS=1 {} {} {} 2>/dev/null", program, folder_.string(), arguments);
    std::string said;
    if (FILE* const pipe = popen(command.c_str(), "r")) {
      for (std::array<char, 256> part; std::fgets(part.data(), part.size(), pipe);) said = part.data();
      pclose(pipe);
    }
    while (!said.empty() && said.back() == '\n') said.pop_back();
    return said;
  }

 private:
  std::filesystem::path folder_;
};

}  // namespace c2rl
