#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/environments/drn.h"

namespace c2rl {
namespace {

void check_can_be_written(const TabularModel& model, const StateLabels& labels) {
  for (const std::string& name : model.measurements) {
    if (name.empty() || name.find_first_of(" \t\r\n") != std::string::npos) {
      throw InputError(
          fmt::format("measurement '{}' cannot be written as DRN: its names have no white space", name));
    }
  }
  for (const auto& [label, states] : labels) {
    if (label.empty() || label.find_first_of("\"\r\n") != std::string::npos)
      throw InputError(fmt::format("label '{}' cannot be written as DRN: quotes stand around it", label));
  }
  const double likeliest = *std::max_element(model.start.begin(), model.start.end());
  for (const double probability : model.start) {
    if (probability != 0 && probability != likeliest) {
      throw InputError("the start cannot be written as DRN: its start states are equally likely");
    }
  }
}

/// The expected measurement of a choice; exactly the common one when all its transitions measure the same.
Vector expected_measurement(const TabularModel& model, int choice) {
  const int begin = model.transition_begin[choice], end = model.transition_begin[choice + 1];
  const auto first = model.measurement.col(begin);
  Vector expected = Vector::Zero(model.dim());
  bool same = true;
  for (int e = begin; e < end; ++e) {
    same = same && model.measurement.col(e) == first;
    expected += model.probability[e] * model.measurement.col(e);
  }
  return same ? Vector(first) : expected;
}

void write_choice(fmt::memory_buffer& out, const TabularModel& model, int choice,
                  std::vector<std::pair<int, double>>& successors) {
  successors.clear();
  for (int e = model.transition_begin[choice]; e < model.transition_begin[choice + 1]; ++e) {
    successors.emplace_back(model.next[e], model.probability[e]);
  }
  std::stable_sort(successors.begin(), successors.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (size_t i = 0; i < successors.size();) {
    const int next = successors[i].first;
    double probability = 0;
    for (; i < successors.size() && successors[i].first == next; ++i) probability += successors[i].second;
    fmt::format_to(std::back_inserter(out), "\t\t{} : {}\n", next, probability);
  }
}

}  // namespace

std::string to_drn(const TabularModel& model, const StateLabels& labels) {
  check_can_be_written(model, labels);
  int terminal = 0;
  for (int s = 0; s < model.states; ++s) terminal += model.is_terminal(s) ? 1 : 0;

  fmt::memory_buffer out;
  const auto to = std::back_inserter(out);
  fmt::format_to(to, "// Written by c2rl\n@type: MDP\n@parameters\n\n@reward_models\n{}\n",
                 fmt::join(model.measurements, " "));
  fmt::format_to(to, "@nr_states\n{}\n@nr_choices\n{}\n@model\n", model.states, model.choices() + terminal);
  std::vector<std::pair<int, double>> successors;
  std::vector<std::string> labels_of(model.states);
  for (const auto& [label, states] : labels) {
    for (const int s : states) labels_of[s] += fmt::format(" \"{}\"", label);
  }
  for (int s = 0; s < model.states; ++s) {
    fmt::format_to(to, "state {}{}{}\n", s, model.start[s] != 0 ? " init" : "", labels_of[s]);
    if (model.is_terminal(s)) {
      const std::vector<int> zeros(model.measurements.size(), 0);
      fmt::format_to(to, "\taction 0 [{}]\n\t\t{} : 1\n", fmt::join(zeros, ", "), s);
    }
    for (int k = model.choice_begin[s]; k < model.choice_begin[s + 1]; ++k) {
      const Vector reward = expected_measurement(model, k);
      fmt::format_to(to, "\taction {} [{}]\n", k - model.choice_begin[s],
                     fmt::join(reward.data(), reward.data() + reward.size(), ", "));
      write_choice(out, model, k, successors);
    }
  }
  return fmt::to_string(out);
}

}  // namespace c2rl
