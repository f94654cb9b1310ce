#pragma once

#include <functional>
#include <span>
#include <vector>

#include "c2rl/base/vector.h"
#include "c2rl/mdp/model.h"
#include "c2rl/mdp/policy.h"
#include "c2rl/mdp/progress.h"

namespace c2rl {

/// Called with a state, one of its choices, and the probability (positive) that the policy takes it there.
using ChoiceVisitor = std::function<void(int state, int choice, double probability)>;

/// Visits every choice the policy takes in these states at `step` with positive probability, state by state.
void visit_choices(const TabularModel& model, const Policy& policy, int step, std::span<const int> states,
                   const ChoiceVisitor& visit);

/// Where an episode is, step by step: the probability of being in each state while the episode goes on. Costs
/// only what the states that are occupied cost.
class Walk {
 public:
  explicit Walk(const TabularModel& model);

  int step() const { return step_; }
  /// The states that are occupied now, none of them terminal.
  std::span<const int> states() const { return states_; }
  /// The probability of being in `state` at this step.
  double probability(int state) const { return mass_[state]; }
  /// Takes one step, and adds what it measures, in expectation and undiscounted, to `measured`.
  void advance(const Policy& policy, Vector& measured);

 private:
  const TabularModel& model_;
  int step_ = 0;
  std::vector<int> states_, next_states_;
  std::vector<double> mass_, next_mass_;
};

/// The states a stationary policy visits, and the expected number of visits to each, discounted: what
/// x = start + discount P' x says, solved sparsely.
struct Occupancy {
  std::vector<int> states;  // none of them terminal
  Vector visits;            // one per entry of `states`
  double error = 0;         // bound on the sum over the states of |visits - true visits|
};
/// `longest`: no episode from any state is expected to be longer, discounted, where that is known.
Occupancy stationary_occupancy(const TabularModel& model, const Policy& policy, const Pulse& listener = {},
                               double longest = kInfinity);

}  // namespace c2rl
