#include "c2rl/environments/model_ends.h"

#include <algorithm>

#include <fmt/format.h>

#include "c2rl/base/text.h"
#include "c2rl/environments/environment_kinds.h"

namespace c2rl {

void check_measurements(const std::vector<std::string>& rewards, const ModelEnds& ends, const Place& place) {
  if (rewards.empty() && !ends.reached)
    throw InputError(place, "the model has no reward models, so there is nothing to measure");
  if (ends.reached && std::ranges::find(rewards, kReached) != rewards.end())
    throw InputError(place, fmt::format("the model has a reward model '{}' already", kReached));
}

const std::vector<int>& states_labelled(const StateLabels& labels, const std::string& label,
                                        const std::string& file) {
  static const std::vector<int> kNone;
  if (label.empty()) return kNone;
  const auto found = labels.find(label);
  if (found != labels.end()) return found->second;
  std::vector<std::string> known;
  for (const auto& [name, states] : labels) known.push_back(name);
  throw InputError({.file = file}, unknown_name_message("label", label, known));
}

void measure_reached(TabularModel& model, const std::vector<int>& labelled) {
  std::vector<bool> is_goal(model.states, false);
  for (const int state : labelled) is_goal[state] = true;
  if (labelled.empty()) {
    for (int s = 0; s < model.states; ++s) is_goal[s] = model.is_terminal(s);
  }
  model.measurements.emplace_back(kReached);
  model.measurement.conservativeResize(model.dim(), model.transitions());
  for (int e = 0; e < model.transitions(); ++e)
    model.measurement(model.dim() - 1, e) = is_goal[model.next[e]] ? 1 : 0;
}

}  // namespace c2rl
