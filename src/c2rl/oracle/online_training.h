#pragma once

#include <algorithm>
#include <cstdint>

#include "c2rl/mdp/world.h"
#include "c2rl/oracle/oracle.h"
#include "c2rl/oracle/policy_evaluation.h"
#include "c2rl/oracle/training_episodes.h"

namespace c2rl {

/// A training that acts, for about so many environment steps.
class OnlineTraining {
 public:
  virtual ~OnlineTraining() = default;
  OnlineTraining(const OnlineTraining&) = delete;
  OnlineTraining& operator=(const OnlineTraining&) = delete;

  /// Acts a little, and learns from it.
  virtual void update() = 0;
  /// Between updates, of a training that is resumable: all that it goes on from. What is restored goes into a
  /// new one.
  virtual void visit(StateVisitor& state) = 0;
  /// The policy as it is now, as an answer.
  virtual PolicyPtr policy() const = 0;
  /// What the last episodes of the training came to.
  virtual TrainingEpisodes& episodes() = 0;
  virtual std::int64_t env_steps() const = 0;
  /// Whether what earlier calls have learnt may be an answer already, before anything is done; and what a step costs
  /// while learning, which such an answer has not been taught to avoid yet.
  virtual bool has_learnt() const { return false; }
  virtual double step_cost() const { return 0; }

  /// Whether what is only just good enough is not: it takes the solver many episodes to tell from what is not good enough, and
  /// training goes on as long as these would be more steps than it has taken.
  virtual bool wants_room() const { return false; }

  bool done() const { return env_steps() >= steps_; }
  double part_done() const { return std::min(1.0, static_cast<double>(env_steps()) / double(steps_)); }

 protected:
  explicit OnlineTraining(std::int64_t steps) : steps_(steps) {}

  std::int64_t steps_;
};

/// Trains, tries the policy on fresh episodes on the way, and answers with the best that was tried; stops before the
/// end where that is good enough for the call.
OracleAnswer learn_by_acting(const World& world, const ChoiceOptions& options, const OracleCall& call,
                             OnlineTraining& training);

}  // namespace c2rl
