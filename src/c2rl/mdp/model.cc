#include "c2rl/mdp/model.h"

#include <cmath>

#include <fmt/format.h>

#include "c2rl/base/error.h"

namespace c2rl {
namespace {

/// Probabilities written with ten digits or more pass; larger gaps are mistakes in the model.

[[noreturn]] void fail(const char* field, const std::string& message) {
  throw InputError({.field = fmt::format("model.{}", field)}, message);
}

void check_size(const char* field, std::int64_t found, std::int64_t expected, const char* unit) {
  if (found != expected) fail(field, fmt::format("has {} entries; expected {} ({})", found, expected, unit));
}

/// Offsets start at 0 and never decrease; so everything between two of them is a valid range.
void check_offsets(const char* field, const std::vector<std::int32_t>& offsets) {
  if (offsets.front() != 0) fail(field, fmt::format("starts at {}; expected 0", offsets.front()));
  for (std::size_t i = 1; i < offsets.size(); ++i) {
    if (offsets[i] < offsets[i - 1]) {
      fail(field, fmt::format("decreases from {} to {} at entry {}", offsets[i - 1], offsets[i], i));
    }
  }
}

void check_arrays(const TabularModel& model) {
  if (model.states < 1) fail("states", fmt::format("is {}; expected at least 1", model.states));
  if (model.measurements.empty()) fail("measurements", "is empty; expected at least one name");
  check_size("choice_begin", std::ssize(model.choice_begin), std::int64_t{model.states} + 1,
             "one per state, and one");
  check_offsets("choice_begin", model.choice_begin);
  check_size("transition_begin", std::ssize(model.transition_begin), std::int64_t{model.choices()} + 1,
             "one per choice, and one");
  check_offsets("transition_begin", model.transition_begin);
  check_size("next", std::ssize(model.next), model.transitions(), "one per transition");
  check_size("probability", std::ssize(model.probability), model.transitions(), "one per transition");
  check_size("measurement", model.measurement.cols(), model.transitions(), "one column per transition");
  if (model.measurement.rows() != model.dim()) {
    fail("measurement",
         fmt::format("has {} rows; expected {}, one per measurement", model.measurement.rows(), model.dim()));
  }
  check_size("start", model.start.size(), model.states, "one per state");
}

void check_choice(const TabularModel& model, int state, int choice) {
  const auto where = [&] {
    return fmt::format("state {}, action {}", state, choice - model.choice_begin[state]);
  };
  double sum = 0;
  for (int e = model.transition_begin[choice]; e < model.transition_begin[choice + 1]; ++e) {
    if (model.next[e] < 0 || model.next[e] >= model.states) {
      fail("next",
           fmt::format("{}: next state {} is not one of 0 ... {}", where(), model.next[e], model.states - 1));
    }
    const double p = model.probability[e];
    if (!(p >= 0 && std::isfinite(p))) {
      fail("probability", fmt::format("{}: probability {} of next state {} is not a number in [0, 1]",
                                      where(), p, model.next[e]));
    }
    sum += p;
    for (int i = 0; i < model.dim(); ++i) {
      if (!std::isfinite(model.measurement(i, e))) {
        fail("measurement",
             fmt::format("{}: '{}' is {} on the way to state {}; expected a finite number", where(),
                         model.measurements[i], model.measurement(i, e), model.next[e]));
      }
    }
  }
  if (std::abs(sum - 1) > kProbabilitySumTolerance) {
    fail("probability", fmt::format("{}: the probabilities sum to {:.12g}; expected 1", where(), sum));
  }
}

void check_start(const TabularModel& model) {
  for (int s = 0; s < model.states; ++s) {
    if (!(model.start[s] >= 0 && std::isfinite(model.start[s]))) {
      fail("start", fmt::format("state {}: probability {} is not a number in [0, 1]", s, model.start[s]));
    }
  }
  const double sum = model.start.sum();
  if (sum == 0) fail("start", "no state has a positive start probability");
  if (std::abs(sum - 1) > kProbabilitySumTolerance) {
    fail("start", fmt::format("the start probabilities sum to {:.12g}; expected 1", sum));
  }
}

}  // namespace

int TabularModel::max_actions() const {
  int most = 0;
  for (int s = 0; s < states; ++s) most = std::max(most, actions(s));
  return most;
}

void validate(const TabularModel& model) {
  check_arrays(model);
  for (int s = 0; s < model.states; ++s) {
    for (int k = model.choice_begin[s]; k < model.choice_begin[s + 1]; ++k) check_choice(model, s, k);
  }
  check_start(model);
  if (!(model.discount > 0 && model.discount <= 1)) {
    fail("discount", fmt::format("is {}; expected a number in (0, 1]", model.discount));
  }
  if (model.horizon < 0)
    fail("horizon", fmt::format("is {}; expected at least 1, or 0 for none", model.horizon));
  if (model.discount == 1 && model.horizon == 0) {
    if (const auto state = endless_state(model)) {
      fail("horizon",
           fmt::format("state {} can be reached, and from there an episode can go on for ever; expected "
                       "a horizon, or a discount below 1",
                       *state));
    }
  }
}

std::vector<bool> reachable_states(const TabularModel& model) {
  std::vector<bool> reached(model.states, false);
  std::vector<int> waiting;
  const auto reach = [&](int state) {
    if (reached[state]) return;
    reached[state] = true;
    waiting.push_back(state);
  };
  for (int s = 0; s < model.states; ++s) {
    if (model.start[s] > 0) reach(s);
  }
  while (!waiting.empty()) {
    const int s = waiting.back();
    waiting.pop_back();
    for (int e = model.first_transition(s); e < model.first_transition(s + 1); ++e) {
      if (model.probability[e] > 0) reach(model.next[e]);
    }
  }
  return reached;
}

std::optional<int> endless_state(const TabularModel& model) {
  // Grow the set of states from which every policy ends: a state joins when each of its choices can lead to a
  // member. A member then comes nearer to the end with positive probability whatever it does, so it ends
  // almost surely; a state that never joins has a choice that stays among those that never join, for ever.
  std::vector<std::int32_t> state_of_choice(model.choices());
  for (int s = 0; s < model.states; ++s) {
    std::fill(state_of_choice.begin() + model.choice_begin[s],
              state_of_choice.begin() + model.choice_begin[s + 1], s);
  }
  std::vector<std::int32_t> entry_begin(model.states + 1, 0);  // the choices that can lead to a state
  for (int e = 0; e < model.transitions(); ++e) ++entry_begin[model.next[e] + 1];
  for (int s = 0; s < model.states; ++s) entry_begin[s + 1] += entry_begin[s];
  std::vector<std::int32_t> entry(model.transitions());
  std::vector<std::int32_t> fill(entry_begin.begin(), entry_begin.end() - 1);
  for (int k = 0; k < model.choices(); ++k) {
    for (int e = model.transition_begin[k]; e < model.transition_begin[k + 1]; ++e) {
      entry[fill[model.next[e]]++] = model.probability[e] > 0 ? k : -1;
    }
  }

  std::vector<bool> choice_leads_in(model.choices(), false);
  std::vector<std::int32_t> choices_left(model.states);
  std::vector<int> waiting;
  for (int s = 0; s < model.states; ++s) {
    choices_left[s] = model.actions(s);
    if (model.is_terminal(s)) waiting.push_back(s);
  }
  while (!waiting.empty()) {
    const int member = waiting.back();
    waiting.pop_back();
    for (int i = entry_begin[member]; i < entry_begin[member + 1]; ++i) {
      const int k = entry[i];
      if (k < 0 || choice_leads_in[k]) continue;
      choice_leads_in[k] = true;
      if (--choices_left[state_of_choice[k]] == 0) waiting.push_back(state_of_choice[k]);
    }
  }

  const std::vector<bool> reached = reachable_states(model);
  for (int s = 0; s < model.states; ++s) {
    if (reached[s] && choices_left[s] > 0) return s;
  }
  return std::nullopt;
}

}  // namespace c2rl
