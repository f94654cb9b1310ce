#pragma once

#include <span>
#include <vector>

#include "c2rl/base/vector.h"
#include "c2rl/mdp/policy.h"
#include "c2rl/offline/empirical_chain.h"
#include "c2rl/offline/empirical_model.h"

namespace c2rl {

/// Fitted Q evaluation where the functions fitted are tables: each fit is a mean over the transitions of a
/// pair, so that iterating it is dynamic programming in the empirical model.
///   Q_k(s, a) = mean c + discount * mean V_{k-1}(next),  V_k(s) = sum_a policy(a | s) Q_k(s, a)
/// with k steps to go, V_0 = 0; without a horizon their limit.
class FittedValues {
 public:
  /// With no steps to go; without a horizon with all of them. Keeps references.
  FittedValues(const EmpiricalModel& model, const Policy& policy);

  /// One step more to go; nothing without a horizon.
  void advance();
  /// The steps taken before those to go.
  int step() const { return step_; }

  /// m x pairs; only of what the policy may do at this step.
  const Matrix& q() const { return q_; }
  /// m x places.
  const Matrix& v() const { return v_; }
  std::span<const PolicyDecisions::Decision> decisions(int step) { return decisions_.at(step); }

 private:
  void back_up();
  void solve();

  const EmpiricalModel& model_;
  PolicyDecisions decisions_;
  bool stationary_;
  bool settled_ = false;  // a further step changes nothing
  int step_;
  Matrix q_, v_, before_;
};

/// Where the policy goes in the empirical model.
struct EmpiricalOccupancy {
  /// The probability of being in each visited state, step by step, until no episode goes on; without a
  /// horizon one entry, the discounted number of visits.
  std::vector<Vector> states;
  double visits = 0;         // in all, discounted
  double unsupported = 0;    // of these, to pairs that the data does not have
  double unknown_steps = 0;  // the discounted number of steps, at most, from those on
  /// Without horizon and discount: with some probability the policy never ends. Nothing else is set then.
  bool endless = false;
};
EmpiricalOccupancy empirical_occupancy(const EmpiricalModel& model, const Policy& policy);

/// The value of the policy, and its standard error.
struct FittedEstimate {
  Vector measurement;
  Vector standard_error;
};

/// The standard error is that of the delta method: the estimate is a function of the frequencies of the
/// outcomes, and transition i of a pair moves it by
///   1 / N(pair) * sum_t discount^t P(pair at t) (c_i + discount V_{H-t-1}(next_i) - Q_{H-t}(pair)),
/// independently of the others. The spread of V over the first states comes on top, and then the reach of
/// unknown_steps.
///
/// That is the spread seen, and what is rare is mostly not seen in a few visits. Unless the world is
/// deterministic, two errors come on top of it for each pair, independent like the rest: 2 / N(pair) times
/// the most that an outcome not seen yet could change (any step of the data, to where any action led from
/// that state), and 2 / N(pair) times the mean spread of all pairs. For the first states 2 / episodes times
/// the farthest of those seen: a start that no episode had is taken not to exist.
FittedEstimate fitted_q(const EmpiricalModel& model, const Policy& policy,
                        const EmpiricalOccupancy& occupancy);

}  // namespace c2rl
