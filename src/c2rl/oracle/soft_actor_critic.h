#pragma once

#include <cstdint>
#include <vector>

#include "c2rl/base/random.h"
#include "c2rl/base/state_visitor.h"
#include "c2rl/base/team.h"
#include "c2rl/nn/adam.h"
#include "c2rl/nn/network.h"
#include "c2rl/oracle/transitions.h"

namespace c2rl {

struct SoftActorCriticSettings {
  std::vector<int> hidden;
  Activation activation = Activation::relu;
  int batch = 128;
  double discount = 1;
  double target_rate = 0.005;
  double first_temperature = 0.2;
  double target_entropy = -1;
  /// The networks read the direction that is asked for, too: one serves all of them.
  bool conditioned = false;
  int threads = 1;
};

/// Soft actor-critic (Haarnoja et al. 2018) on transitions that may become more: an actor whose actions are real
/// numbers, drawn and squashed, two critics of which the lower is believed, and a temperature, the price of entropy,
/// that keeps the actor's entropy where it is to be. An action has a value for each outcome that is counted, and one
/// for the entropy of what follows; prices say what one more of each outcome is worth, so that neither they nor the
/// temperature are part of what the critics learn. Nothing is allocated once it is made.
class SoftActorCritic {
 public:
  /// Transitions must outlive it; the actor can be asked about `asked` things together.
  SoftActorCritic(const WorldShape& shape, const Transitions& transitions,
                  const SoftActorCriticSettings& settings, const Rng& rng, int asked = 1);

  static NetworkShape actor_shape(const WorldShape& shape, const SoftActorCriticSettings& settings);
  static NetworkShape critic_shape(const WorldShape& shape, const SoftActorCriticSettings& settings,
                                   int outcomes);

  void set_prices(const Eigen::Ref<const Eigen::VectorXf>& prices);
  /// The direction that conditioned networks are asked for from now on.
  void turn_to(const Eigen::Ref<const Eigen::VectorXf>& direction);
  /// Brings what is seen to mean 0 and spread 1, by the transitions that are there: once, before anything is learnt.
  void standardize();
  bool is_standardized() const { return standardized_; }

  /// One step of Adam each for critics, actor and temperature.
  void update(double learning_rate);

  /// Draws what to do where these features are seen.
  void act(const Eigen::Ref<const Eigen::MatrixXf>& features, Rng& draws,
           Eigen::Ref<Eigen::MatrixXf> controls);
  /// The actor, as a network that reads features as they are.
  std::shared_ptr<const Network> actor() const;

  std::int64_t updates() const { return done_; }
  double temperature() const;
  /// What the first critic says of an action: of each outcome, and of entropy.
  Eigen::VectorXf value(const Eigen::Ref<const Eigen::MatrixXf>& features,
                        const Eigen::Ref<const Eigen::MatrixXf>& action);

  /// Between updates: all that learning goes on from.
  void visit(StateVisitor& state);
  /// What has been learnt, without how: a new one may begin with it.
  void visit_knowledge(StateVisitor& state);

 private:
  enum ActorHead { kMean, kLogSpread };
  static constexpr int kTwins = 2;

  void draw();
  void read(const Eigen::Ref<const Eigen::MatrixXf>& features, Eigen::Ref<Eigen::MatrixXf> into) const;
  void sample(int count, Rng& draws);
  void judge(Network& critics, int count);
  void teach_critics(double learning_rate);
  void lead_actor(double learning_rate);
  void scale_values();

  const Transitions& transitions_;
  SoftActorCriticSettings settings_;
  int features_, controls_, outcomes_, values_;  // values_: one more than outcomes, for entropy
  std::int64_t done_ = 0;
  Rng draws_;
  Team team_;
  Network actor_, critics_, target_;
  Adam actor_adam_, critics_adam_, temperature_adam_;
  Eigen::VectorXf log_temperature_, temperature_gradient_;  // of one entry
  Eigen::VectorXf shift_, scale_, inverse_;                 // of features
  bool standardized_ = false;
  Eigen::VectorXf prices_;
  Eigen::VectorXf value_scale_, inverse_scale_;  // what the critics say is in units of this
  Vector mean_square_;                           // of what they are to say

  std::vector<int> drawn_;
  Eigen::MatrixXf seen_, next_seen_;           // as networks read them
  Eigen::MatrixXf noise_, numbers_, actions_;  // drawn by the actor: before tanh, and after
  Eigen::MatrixXf clamped_;                    // logarithms of spreads
  std::vector<float> log_density_;
  Eigen::MatrixXf judged_;   // what critics read
  std::vector<int> lower_;   // which of the two critics says less
  Eigen::VectorXf weights_;  // of what critics say
  Eigen::MatrixXf to_say_;   // what the critics are to say
  Eigen::VectorXf squares_, factor_;
};

}  // namespace c2rl
