#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "c2rl/mdp/sampling.h"
#include "c2rl/mdp/tabular_policy.h"
#include "c2rl/oracle/experience.h"
#include "c2rl/oracle/q_learning.h"

namespace c2rl {

/// One run of Q-learning with replay. Episodes go from a start of the model to their end; some of them look
/// for what was tried least, the others follow the policy that is best by all that was seen when it was last
/// replayed.
class QTraining {
 public:
  /// Model, sampler and options must outlive it.
  QTraining(const TabularModel& model, const Sampler& sampler, const QLearningOptions& options,
            const Vector& direction, const Rng& rng);

  /// Acts for about so many steps, and replays on the way; after visit, what is left of them. `report` hears how
  /// much is done, where visit is allowed.
  void run(std::int64_t steps, const std::function<void(double part)>& report);

  /// Takes so many steps, and allocates nothing.
  void act(std::int64_t steps);
  /// The best policy by all that was seen.
  std::shared_ptr<const TabularPolicy> replay(const std::function<void()>& report) const;

  /// All that the training goes on from; the world is that of its model.
  void visit(StateVisitor& state, const World& world);

  const Experience& experience() const { return experience_; }
  std::int64_t env_steps() const { return env_steps_; }

 private:
  void begin_episode();
  int decide();
  int random_choice(int state);
  int towards_untried(int state) const;
  double steps_to_untried(int choice) const;
  void update_reach(int state);

  const TabularModel& model_;
  const Sampler& sampler_;
  const QLearningOptions& options_;
  Rng rng_;
  Experience experience_;
  std::shared_ptr<const TabularPolicy> policy_;  // that episodes follow; none before the first replay
  std::int64_t env_steps_ = 0;
  int round_ = 1;              // of acting, each but the last with a replay at its end
  int state_ = -1, step_ = 0;  // -1 between episodes
  bool exploring_ = false;     // in this episode
  double wanted_ = 1;          // visits below which a choice counts as untried
  double far_;                 // steps to something untried that are not worth going
  std::vector<double> reach_;  // by state: expected steps until something untried is done
  std::size_t next_update_ = 0;
};

}  // namespace c2rl
