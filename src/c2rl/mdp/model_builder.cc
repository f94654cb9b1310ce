#include "c2rl/mdp/model_builder.h"

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
}

void ModelBuilder::add_transition(int next, double probability, const Vector& measurement) {
  check_model_size(static_cast<double>(model_.next.size()) + 1, model_.dim());
  model_.next.push_back(next);
  model_.probability.push_back(probability);
  amounts_.insert(amounts_.end(), measurement.data(), measurement.data() + measurement.size());
}

void ModelBuilder::end_choice() {
  model_.transition_begin.push_back(static_cast<std::int32_t>(model_.next.size()));
}

void ModelBuilder::end_state() {
  model_.choice_begin.push_back(static_cast<std::int32_t>(model_.transition_begin.size() - 1));
  ++model_.states;
}

TabularModel ModelBuilder::finish(Vector start) && {
  model_.measurement = Eigen::Map<const Matrix>(amounts_.data(), model_.dim(), model_.transitions());
  model_.start = std::move(start);
  return std::move(model_);
}

}  // namespace c2rl
