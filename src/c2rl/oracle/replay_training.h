#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "c2rl/mdp/world.h"
#include "c2rl/oracle/online_training.h"
#include "c2rl/oracle/running_episodes.h"
#include "c2rl/oracle/transitions.h"

namespace c2rl {

/// How a training acts, and what it remembers.
struct ReplayOptions {
  std::int64_t training_steps = 20'000;
  int environments = 8;
  double updates_per_step = 0.5;
  int batch = 128;
  std::int64_t first_steps = 1000;
  bool remember = true;
  std::int64_t memory = 1'000'000;
  std::int64_t updates_before = 2000;
  double step_cost = 0.05;
  double training_discount = 0;
  bool conditioned = false;
  int threads = 1;

  void visit(OptionVisitor& visitor);
  /// The discount that learning is to use in a world.
  double discount(const WorldShape& world) const;
  /// An InputError where they do not go together, or so much cannot be kept.
  void check(const World& world) const;
};

/// A training that learns from all steps ever taken, its own and those of earlier calls, whatever direction they were
/// taken for. Counted are each measurement and the number of steps; prices say what one more of each is worth for
/// the direction. What it leaves to later calls are its steps, and it may be what it has learnt. A call that has a
/// memory to begin with learns from that first. Nothing is allocated once training has begun.
class ReplayTraining : public OnlineTraining {
 public:
  void update() final;
  void visit(StateVisitor& state) final;
  TrainingEpisodes& episodes() final { return finished_; }
  std::int64_t env_steps() const final { return env_steps_; }
  bool has_learnt() const final { return has_learnt_; }
  double step_cost() const final { return options_.step_cost * usual_cost(); }

  /// What it leaves to later calls.
  MemoryPtr memory();
  /// Where it is, for another attempt at the same direction; that begins with the same memory, too.
  MemoryPtr left_off();
  /// Of the attempt that it goes on from; they count among its own.
  std::int64_t steps_before() const { return steps_before_; }
  const Transitions& transitions() const { return transitions_; }

 protected:
  /// One that is `resumable` notes what visit needs. An InputError where what earlier calls have left is not its
  /// own. Keeps references to world and options.
  ReplayTraining(const World& world, const ReplayOptions& options, const OracleCall& call, const Rng& rng);

  /// Once the learner is there: it takes up what the last call had learnt, or where the last attempt left off.
  void take_up(const OracleCall& call);
  /// What one more of each number that is counted is worth, as far as is known.
  const Eigen::VectorXf& prices();
  /// The same for another direction than the one asked for.
  const Eigen::VectorXf& prices_for(const Eigen::VectorXf& direction);
  /// What a step costs, by size: the largest mean that a few hundred had so far.
  double usual_cost() const;
  /// Of a conditioned learner, the direction that it is to learn for in update number `update`: every other time the
  /// one asked for, and in between earlier ones and some near it.
  const Eigen::VectorXf& direction_to_learn(std::int64_t update);

  const World& world_;
  const ReplayOptions& options_;
  Rng rng_;
  std::unique_ptr<Environment> environment_;
  Transitions transitions_;
  // What is done in each slot:
  std::vector<int> chosen_;
  Eigen::MatrixXf controls_;
  Eigen::VectorXf asked_;  // the direction

 private:
  /// Fills in what the slots do, by the policy as it is, exploring; or at random, where nothing has been learnt.
  virtual void choose(bool at_random, Rng& draws) = 0;
  /// One step on a batch.
  virtual void learn() = 0;
  /// There are more transitions, or other prices.
  virtual void renew() = 0;
  /// All that the learner goes on from.
  virtual void visit_learner(StateVisitor& state) = 0;
  /// What it has learnt, where later calls are to begin with it.
  virtual void visit_knowledge(StateVisitor& /*state*/) {}
  /// What another attempt at the same direction goes on with.
  virtual void visit_attempt(StateVisitor& /*state*/) {}

  void go_on_from(const Safetensors& left_off);
  void visit_directions(StateVisitor& state);
  void act();
  void count_in(int place);
  void learn_for(int most);

  std::vector<std::uint8_t> acts_;  // by slot, in this round
  Vector direction_;
  Eigen::VectorXf prices_, other_prices_;
  std::vector<float> earlier_;  // directions that earlier calls have asked for, one behind the other
  Eigen::VectorXf other_;       // room for a direction
  bool has_learnt_ = false;     // what an earlier call has learnt serves this one, too
  std::int64_t env_steps_ = 0, steps_before_ = 0;
  std::uint64_t episodes_ = 0, rounds_ = 0;
  double due_ = 0;               // updates
  std::int64_t remembered_ = 0;  // of the transitions, those of earlier calls
  double usual_cost_ = 0;        // of a step, by size: the largest mean that a few hundred had so far
  double cost_ = 0;              // of the last steps ...
  int counted_ = 0;              // ... that are not in it yet
  std::optional<RunningEpisodes> running_;
  TrainingEpisodes finished_;
};

}  // namespace c2rl
