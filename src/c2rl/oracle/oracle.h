#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "c2rl/base/random.h"
#include "c2rl/base/state_visitor.h"
#include "c2rl/base/vector.h"
#include "c2rl/mdp/monte_carlo.h"
#include "c2rl/mdp/policy.h"
#include "c2rl/mdp/step_count.h"

namespace c2rl {

/// Told from time to time how much of a call is done, from 0 to 1; false asks the oracle to stop.
using OracleWatcher = std::function<bool(double part)>;

/// Thrown out of a call whose watcher asked to stop.
struct OracleInterrupted : std::exception {
  const char* what() const noexcept override { return "the oracle was asked to stop"; }
};

/// Thrown out of a call that came to nothing; says why. Asked again, the oracle may do better.
struct OracleFailed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Names everything that a call goes on from (StateVisitor).
using StateVisit = std::function<void(StateVisitor& state)>;
/// Told where a call could be cut short and go on from later; it may save the state, or let it be. What it does
/// must not change the answer.
using OracleKeeper = std::function<void(const StateVisit& visit)>;

/// What training had come to on the way.
struct LearningMark {
  std::int64_t steps = 0;  // of training, in this call; from data, updates
  double value = 0;        // direction.J: of the last training episodes, or ...
  bool checked = false;    // ... of a policy on the way, on episodes of its own, or by what data say of it
};
/// Hears of learning; what it does must not change the answer.
using LearningListener = std::function<void(const LearningMark& mark)>;

/// Unless there is no watcher, or it wants the call to go on, an OracleInterrupted.
void report(const OracleWatcher& watcher, double part);

/// What a call leaves to later calls of the same run, in terms of the oracle's own; null: nothing.
using MemoryPtr = std::shared_ptr<const Safetensors>;

/// What an oracle found for a direction.
struct OracleAnswer {
  PolicyPtr policy;
  Vector measurement;     // J of the policy
  Vector standard_error;  // of each entry of `measurement`; zeros where it was computed, not sampled
  /// How far direction.J may be above the smallest one any policy reaches, for a direction of length 1:
  /// proven where `exact`, else only the part of it that is known, and zero says nothing.
  double slack = 0;
  bool exact = false;     // measurement and slack are computed from the model, not estimated
  bool computed = false;  // the measurement is J, not an estimate of it, whatever the slack
  /// The fresh episodes that the measurement is the mean of, where it is.
  EpisodeTotals episodes = {};
  StepCount steps = {};            // taken in the environment
  std::int64_t data_episodes = 0;  // that the measurement was estimated from, where it was from data
  MemoryPtr memory = nullptr;      // what the call leaves to later ones
  MemoryPtr left_off = nullptr;    // where training was in the end, for another attempt with more effort
};

/// What recorded episodes say of J of a policy.
struct DataEstimate {
  Vector measurement;
  Vector standard_error;
  bool computed = false;  // the data leave nothing open: it is J
};

/// The most steps that a call may be told to take: no limit in earnest, but a number that can be counted to.
inline constexpr double kMostSteps = 1e15;

/// What an oracle is asked.
struct OracleCall {
  Vector direction;
  /// All randomness comes from here, so the same call gives the same answer.
  Rng rng;
  /// Above 0; multiplies what the oracle spends. An exact oracle has no use for it.
  double effort = 1;
  /// A policy found earlier that training may go on from, if there is one.
  PolicyPtr start = nullptr;
  /// What earlier calls of the run have left, in their order.
  std::vector<MemoryPtr> memory = {};
  /// Steps of training that earlier attempts at the same direction have taken, each of which ended with nothing that is of use.
  std::int64_t tried = 0;
  /// Where the last attempt at the same direction left off, with less effort; null: this is the first.
  MemoryPtr left_off = nullptr;
  /// The solver is well served by any policy with direction.J at most this, so that training may stop there.
  double enough = -kInfinity;
  /// Hears of the call on the thread that makes it; empty where nobody listens.
  OracleWatcher watcher = {};
  /// Keeps states that the call passes through; empty where nobody does.
  OracleKeeper keeper = {};
  /// Hears what learning comes to; empty where nobody does.
  LearningListener learning = {};
  /// One that the same call has passed through before, and goes on from; null: it begins.
  std::shared_ptr<const Safetensors> saved = nullptr;

  /// Oracles whose calls take long call this every now and then.
  void report(double part) const { c2rl::report(watcher, part); }
  /// Those whose state is small call this, too, where the visit names all of it: once it is restored, the call
  /// must give the same answer, bit for bit.
  void checkpoint(const StateVisit& visit) const {
    if (keeper) keeper(visit);
  }
  /// Those that learn by acting call this where they know, without any more steps, what learning has come to.
  void mark(const LearningMark& now) const {
    if (learning) learning(now);
  }
  /// Before they begin: fills in what was saved, if anything was. UnfitState where that is of no use.
  void restore(const StateVisit& visit) const;
  /// What the call may spend where an effort of 1 spends `steps`.
  std::int64_t budget(std::int64_t steps) const;
};

/// Finds a policy whose J is as small as it can make it along a direction: the linear oracle that turns
/// reinforcement learning into a convex solver's step. A call leaves nothing behind but its answer, so that an
/// oracle may be used from several threads at once; what one call learns for the next is part of the answer, and
/// whoever asks hands it on.
class Oracle {
 public:
  virtual ~Oracle() = default;
  Oracle(const Oracle&) = delete;
  Oracle& operator=(const Oracle&) = delete;

  /// Entries of a direction: measurements of the environment.
  virtual int dim() const = 0;

  /// Learns from data that are there already, and estimates from them what its policies measure: nothing is
  /// simulated.
  virtual bool is_offline() const { return false; }

  /// Of recorded episodes, those that it learns nothing from, so that they can judge what it learned.
  virtual std::int64_t judging_episodes() const { return 0; }
  /// What `count` of those, from number `first` on, say of J of a policy.
  virtual DataEstimate judge(const Policy& policy, std::int64_t first, std::int64_t count) const;

  /// Episodes of one of its policies, as episode_totals runs them, in a world that it brings itself.
  virtual EpisodeTotals draw(const Policy& policy, std::int64_t first, int count, const Rng& rng,
                             const Pulse& listener) const;
  /// Programs that it starts from now on add to this file what they say beside their answers.
  virtual void log_to(const std::string& /*file*/) const {}

  /// What must be done by all ranks together before the first of them makes a call; nothing, of most oracles. An InputError
  /// where what it is about turns out to be of no use.
  virtual void prepare() const {}
  /// Does this rank's part of a call that the first rank makes, which has sent this (Order::plan). Only of oracles whose
  /// calls are made by all ranks together.
  virtual void help(std::string_view order) const;

  /// Calls train on from the policy they are given to start from, instead of from a random one.
  virtual bool goes_on() const { return false; }

  /// The answer depends on the direction's length in no way: it is made a unit vector first. A zero direction
  /// is allowed: every policy is optimal then, and the oracle's own preference decides. An InputError for a
  /// direction of another size, and for a number that is not finite or an effort that is not above 0.
  /// OracleFailed where what comes back is no answer: without a policy, of another size, not finite. UnfitState
  /// where a state was given to go on from that is not the oracle's: without it, the call can be made.
  OracleAnswer minimize(OracleCall call) const;
  OracleAnswer minimize(const Vector& direction, const Rng& rng, double effort = 1) const {
    return minimize({.direction = direction, .rng = rng, .effort = effort});
  }

 protected:
  Oracle() = default;

 private:
  /// The direction has length 1, or is zero.
  virtual OracleAnswer answer(const OracleCall& call) const = 0;
  void check(const OracleAnswer& answer) const;
};

}  // namespace c2rl
