#include "c2rl/mdp/model_builder.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "c2rl/base/error.h"

namespace c2rl {

void check_model_size(double transitions, double measurements) {
  if (transitions * (1 + measurements) <= kMostModelNumbers) return;
  throw InputError(
      fmt::format("the model is too large: found {:.0f} transitions or more with {:.0f} measurements, "
                  "expected at most {:.0f} "
                  "numbers in all",
                  transitions, measurements, kMostModelNumbers));
}

ModelBuilder::ModelBuilder(std::vector<std::string> measurements) {
  model_.measurements = std::move(measurements);
  model_.measurement.resize(model_.dim(), 0);
}

void ModelBuilder::reserve(std::int64_t choices, std::int64_t transitions) {
  model_.transition_begin.reserve(static_cast<std::size_t>(choices) + 1);
  model_.next.reserve(static_cast<std::size_t>(transitions));
  model_.probability.reserve(static_cast<std::size_t>(transitions));
  if (transitions > model_.measurement.cols())
    model_.measurement.conservativeResize(Eigen::NoChange, transitions);
}

void ModelBuilder::add_transition(int next, double probability, const Vector& measurement) {
  const auto count = std::ssize(model_.next);
  if (count == model_.measurement.cols()) {
    check_model_size(static_cast<double>(count) + 1, model_.dim());
    const auto most = static_cast<Eigen::Index>(kMostModelNumbers / (1 + model_.dim()));
    model_.measurement.conservativeResize(Eigen::NoChange,
                                          std::min(std::max<Eigen::Index>(16, 2 * count), most));
  }
  model_.measurement.col(count) = measurement;
  model_.next.push_back(next);
  model_.probability.push_back(probability);
}

void ModelBuilder::end_choice() {
  model_.transition_begin.push_back(static_cast<std::int32_t>(model_.next.size()));
}

void ModelBuilder::end_state() {
  model_.choice_begin.push_back(static_cast<std::int32_t>(model_.transition_begin.size() - 1));
  ++model_.states;
}

TabularModel ModelBuilder::finish(Vector start) && {
  model_.measurement.conservativeResize(Eigen::NoChange, model_.transitions());
  model_.start = std::move(start);
  return std::move(model_);
}

}  // namespace c2rl
