#include "c2rl/mdp/occupancy.h"

#include <algorithm>
#include <cstddef>

#include "c2rl/base/error.h"
#include "c2rl/mdp/fixed_point.h"
#include "c2rl/mdp/visits.h"

namespace c2rl {
namespace {

/// States whose action probabilities are asked for together: enough for a network, small enough for the
/// cache.
constexpr int kBatch = 256;

/// A part of the states below this one is few.
constexpr int kFew = 8;

/// An upper bound on the expected visits from any state, in all: how much an error in the equations is
/// amplified.
double amplification(const TabularModel& model, const SparseRows& transitions, const Pulse& listener) {
  if (model.discount < 1) return 1 / (1 - model.discount);
  // If n - P n >= 1 - off with n >= 0, the true expected number of steps is at most n / (1 - off).
  constexpr double kOff = 0.25;
  const Vector ones = Vector::Ones(transitions.size());
  const Vector n = solve_fixed_point(transitions, ones, listener, kOff);
  const double off = n.size() == 0 ? 0 : residual_bound(transitions, ones, n).maxCoeff();
  if (n.size() > 0 && (n.minCoeff() < 0 || off > 0.5)) {
    throw InputError(
        {.field = "horizon"},
        "the policy's episodes end, but so late that what it measures cannot be computed; expected "
        "a horizon, or a discount below 1");
  }
  return n.size() == 0 ? 0 : n.maxCoeff() / (1 - off);
}

}  // namespace

void visit_choices(const TabularModel& model, const Policy& policy, int step, std::span<const int> states,
                   const ChoiceVisitor& visit) {
  int rows = 0;
  for (const int s : states) rows = std::max(rows, model.actions(s));
  Matrix probabilities(rows, std::min<std::int64_t>(kBatch, std::ssize(states)));
  for (int first = 0; first < std::ssize(states); first += kBatch) {
    const auto batch = states.subspan(first, std::min<std::size_t>(kBatch, states.size() - first));
    auto columns = probabilities.leftCols(std::ssize(batch));
    policy.action_probabilities(batch, step, columns);
    for (int i = 0; i < std::ssize(batch); ++i) {
      for (int a = 0; a < model.actions(batch[i]); ++a) {
        if (columns(a, i) > 0) visit(batch[i], model.choice_begin[batch[i]] + a, columns(a, i));
      }
    }
  }
}

Walk::Walk(const TabularModel& model)
    : model_(model), mass_(model.states, 0.0), next_mass_(model.states, 0.0) {
  for (int s = 0; s < model.states; ++s) {
    if (model.start[s] == 0 || model.is_terminal(s)) continue;
    mass_[s] = model.start[s];
    states_.push_back(s);
  }
}

void Walk::advance(const Policy& policy, Vector& measured) {
  const int dim = model_.dim();
  double* const sums = measured.data();
  visit_choices(model_, policy, step_, states_, [&](int s, int choice, double p) {
    for (int e = model_.transition_begin[choice]; e < model_.transition_begin[choice + 1]; ++e) {
      const double flow = mass_[s] * p * model_.probability[e];
      if (flow == 0) continue;
      const double* const amount = model_.measurement.data() + std::ptrdiff_t{e} * dim;
      for (int i = 0; i < dim; ++i) sums[i] += flow * amount[i];
      const int next = model_.next[e];
      if (model_.is_terminal(next)) continue;
      if (next_mass_[next] == 0) next_states_.push_back(next);
      next_mass_[next] += flow;
    }
  });
  for (const int s : states_) mass_[s] = 0;
  states_.clear();
  std::swap(states_, next_states_);
  std::swap(mass_, next_mass_);
  // Many states are taken in the order in which the model has them, and reads them fastest.
  if (std::ssize(states_) > model_.states / kFew && model_.states > kFew) {
    states_.clear();
    for (int s = 0; s < model_.states; ++s) {
      if (mass_[s] != 0) states_.push_back(s);
    }
  }
  ++step_;
}

Occupancy stationary_occupancy(const TabularModel& model, const Policy& policy, const Pulse& listener,
                               double longest) {
  if (!policy.is_stationary()) throw std::logic_error("stationary_occupancy: the policy changes over time");
  Occupancy result;
  std::vector<int>& states = result.states;
  std::vector<std::int32_t> place(model.states, -1);
  const auto reach = [&](int state) {
    if (place[state] >= 0 || model.is_terminal(state)) return;
    place[state] = static_cast<std::int32_t>(states.size());
    states.push_back(state);
  };
  for (int s = 0; s < model.states; ++s) {
    if (model.start[s] > 0) reach(s);
  }

  // Few states are taken as they are found. Once they are many, all are taken, in the order in which the model has
  // them and reads them fastest; without a discount, those that are not visited may go on for ever.
  SparseRows transitions;  // discount P, rows in the order of `states`
  while (transitions.size() < std::ssize(states)) {
    if (model.discount < 1 && std::ssize(states) > model.states / kFew) {
      states.clear();
      std::ranges::fill(place, -1);
      for (int s = 0; s < model.states; ++s) reach(s);
      transitions = {};
    }
    const std::vector<int> batch(states.begin() + transitions.size(), states.end());
    const auto close_rows_before = [&](int row) {
      while (transitions.size() < row)
        transitions.begin.push_back(static_cast<std::int32_t>(transitions.column.size()));
    };
    visit_choices(model, policy, 0, batch, [&](int s, int choice, double p) {
      close_rows_before(place[s]);
      for (int e = model.transition_begin[choice]; e < model.transition_begin[choice + 1]; ++e) {
        const double value = model.discount * p * model.probability[e];
        if (value == 0) continue;
        reach(model.next[e]);
        const int to = place[model.next[e]];
        if (to < 0) continue;  // terminal
        transitions.column.push_back(to);
        transitions.value.push_back(value);
      }
    });
    close_rows_before(place[batch.back()] + 1);
  }

  Vector start(std::ssize(states));
  for (int i = 0; i < std::ssize(states); ++i) start[i] = model.start[states[i]];
  result.visits = solve_visits(transitions, start, listener);
  // What is known of all policies will do for this one, unless that is far from what its own episodes are like.
  constexpr double kNear = 8;
  const double amplified =
      longest <= kNear * result.visits.sum() ? longest : amplification(model, transitions, listener);
  result.error = visits_residual_bound(transitions, start, result.visits) * amplified;
  return result;
}

}  // namespace c2rl
