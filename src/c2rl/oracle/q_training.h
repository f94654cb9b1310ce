#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "c2rl/mdp/sampling.h"
#include "c2rl/mdp/tabular_policy.h"
#include "c2rl/oracle/experience.h"
#include "c2rl/oracle/q_learning.h"
#include "c2rl/oracle/training_episodes.h"

namespace c2rl {

/// One run of Q-learning with replay. Episodes go from a start of the world to their end; some of them look
/// for what was tried least, the others follow the policy that is best by all that was seen when it was last
/// replayed.
class QTraining {
 public:
  virtual ~QTraining() = default;
  QTraining(const QTraining&) = delete;
  QTraining& operator=(const QTraining&) = delete;

  /// Acts for about so many steps, and replays on the way; after visit, what is left of them. `report` hears how
  /// much is done, where visit is allowed.
  void run(std::int64_t steps, const std::function<void(double part)>& report);

  /// Takes so many steps, or a few more.
  virtual void act(std::int64_t steps) = 0;
  /// The best policy by all that was seen.
  std::shared_ptr<const TabularPolicy> replay(const std::function<void()>& report) const;

  /// All that the training goes on from; the world is its own.
  virtual void visit(StateVisitor& state, const World& world);

  const Experience& experience() const { return experience_; }
  /// Those that follow the policy, and began in this process.
  const TrainingEpisodes& episodes() const { return followed_; }
  std::int64_t env_steps() const { return env_steps_; }

 protected:
  /// Where an episode is.
  struct Walk {
    int state = -1, step = 0;  // -1 between episodes
    bool exploring = false;    // in this episode
    // For those who look on; nothing depends on it.
    bool followed = false;          // it began in this process, and follows the policy
    double cost = 0, discount = 1;  // so far; of the next step
  };

  /// Episodes are cut after `limit` steps; 0: never. The options must outlive it.
  QTraining(Experience experience, int limit, const QLearningOptions& options, const Rng& rng);

  /// An episode begins in `state`.
  void begin(Walk& walk, int state);
  int decide(const Walk& walk);
  /// Once the experience has it: a choice was made where the episode is, and cost so much.
  void note(Walk& walk, double cost);
  /// The episode is at another state, or at its end: -1.
  void go_on(Walk& walk, int state);

  const QLearningOptions& options_;
  Rng rng_;
  Experience experience_;
  int limit_;
  std::int64_t env_steps_ = 0;
  double remembered_ = 0;  // steps of earlier calls

 private:
  /// Nothing more is to be learnt by acting.
  virtual bool knows_enough(std::int64_t steps) const = 0;
  int random_choice(int state);
  int towards_untried(int state) const;
  double steps_to_untried(int choice) const;
  void update_reach(int state);

  std::shared_ptr<const TabularPolicy> policy_;  // that episodes follow; none before the first replay
  int round_ = 1;                                // of acting, each but the last with a replay at its end
  double wanted_ = 1;                            // visits below which a choice counts as untried
  double far_;                                   // steps to something untried that are not worth going
  std::vector<double> reach_;  // by state, and of the end: expected steps until something untried is done
  std::size_t next_update_ = 0;
  TrainingEpisodes followed_ = TrainingEpisodes(0, Vector(), 1);
};

/// In a model, one episode after the other; begins with nothing, and allocates nothing while it acts.
class QTrainingInModel final : public QTraining {
 public:
  /// Model, sampler and options must outlive it.
  QTrainingInModel(const TabularModel& model, const Sampler& sampler, const QLearningOptions& options,
                   const Vector& direction, const Rng& rng);

  void act(std::int64_t steps) override;
  void visit(StateVisitor& state, const World& world) override;

 private:
  bool knows_enough(std::int64_t steps) const override;

  const TabularModel& model_;
  const Sampler& sampler_;
  Walk walk_;
};

/// In a world that is known by acting in it only; begins with what earlier calls have seen, whatever their direction.
class QTrainingInWorld final : public QTraining {
 public:
  /// World and options must outlive it. `seen` is what an earlier one has left; null: nothing.
  QTrainingInWorld(const World& world, const QLearningOptions& options, const Vector& direction,
                   const Rng& rng, const Safetensors* seen);

  /// All episodes have ended by then.
  void act(std::int64_t steps) override;
  void visit(StateVisitor& state, const World& world) override;
  /// What was seen, for any direction.
  std::shared_ptr<const Safetensors> seen();

 private:
  QTrainingInWorld(const World& world, std::unique_ptr<Environment> environment,
                   const QLearningOptions& options, const Vector& direction, const Rng& rng,
                   const Safetensors* seen);
  bool knows_enough(std::int64_t steps) const override;
  bool begin_episode(int slot);

  std::unique_ptr<Environment> environment_;
  std::vector<Walk> walks_;
  std::vector<int> choices_, actions_;
  Vector measured_;
  std::uint64_t episodes_ = 0;
};

}  // namespace c2rl
