#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "c2rl/base/vector.h"
#include "c2rl/mdp/model.h"
#include "c2rl/mdp/progress.h"
#include "c2rl/planning/policy_equations.h"
#include "c2rl/planning/refinement.h"
#include "c2rl/planning/scalar_problem.h"
#include "c2rl/planning/state_order.h"

namespace c2rl {

/// The best policy, but for states in which it hardly matters, and about what it measures from everywhere: to what single
/// precision can tell, at a fraction of what it takes to know. Others look again where it may be wrong, and prove. For
/// models that discount, all of whose states are one component.
///
/// Bellman sweeps in place. Values are relative: what is common to all of them, which is large and takes longest, decides
/// nothing, and is left out as it grows. Most states are looked at a few times only: see `look_at_`.
class RoughValues {
 public:
  /// Keeps references. The equations become those of the actions. With weights, all measurements are swept, which takes
  /// hardly longer than the cost alone where they are few, and what they weigh makes the cost, in units of the largest;
  /// without, the cost alone is. Something must cost something. What is swept is that of `values`, which are 0, and which only
  /// minimise() looks at.
  RoughValues(const TabularModel& model, const StateOrder& order, const ScalarProblem& problem, Vector weight,
              Refinement& values, const Progress& progress);

  /// Begins with `actions`, or, where these are nobody's choice (`cold`), with what costs least in two steps. `ahead`: what lies
  /// ahead of every state under the actions, in units, but for what all have in common; empty where that is not known. Returns
  /// whether it came to an end: not where values settle so slowly that other methods are better.
  bool minimise(std::vector<std::int32_t>& actions, bool cold, std::span<const float> ahead);

  // Then:
  /// The states whose best action is not the present one, perhaps.
  const std::vector<std::int32_t>& doubtful() const { return doubtful_; }
  /// Whether with this ahead of every state, exactly, any other choice is worse, in all other states, and no tie: a proof,
  /// rounding included, by how much worse each of these was when last looked at, and how far values have come apart since.
  bool hold_with(const std::vector<double>& value) const;

 private:
  int systems() const { return std::max(1, static_cast<int>(weight_.size())); }
  bool find_actions(std::vector<std::int32_t>& actions, bool cold, std::span<const float> ahead);
  void start(std::vector<std::int32_t>& actions, bool cold);
  void start_from(std::vector<std::int32_t>& actions, std::span<const float> ahead);
  void take_all(const std::vector<std::int32_t>& actions);
  void take(int state, int action);
  double settle();
  template <int kSystems>
  double combine();
  template <int kEntries>
  int look(std::vector<std::int32_t>& actions);
  template <int kEntries>
  int look(int begin, int end, std::vector<std::int32_t>& actions);
  bool decide(const float* options, int count, int state, std::int32_t& action);

  const TabularModel& model_;
  const StateOrder& order_;
  const ScalarProblem& problem_;
  const Vector weight_;
  PolicyEquations& equations_;
  Refinement::Swept& swept_;  // b: what is measured at once; x: what lies ahead
  const Progress& progress_;
  double per_unit_;             // one over the largest cost
  std::vector<float> cost_;     // of what lies ahead
  std::vector<float> look_at_;  // of every state: its action is the best as long as `apart_` is below this
  bool laid_out_ = false;       // the equations are those of the actions
  float apart_ = 0;             // how far costs have come apart, discounted, in all that was done so far
  float largest_ = 1;           // of what costs ever were, and of a cost, absolutely
  int settled_ = 0;             // times
  std::vector<std::int32_t> doubtful_;
};

}  // namespace c2rl
