#include "c2rl/oracle/soft_actor_critic.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "c2rl/nn/chunks.h"
#include "c2rl/oracle/training_threads.h"

namespace c2rl {
namespace {

/// Of the actor's spreads, by their logarithms: smaller ones explore nothing, and their densities are huge.
constexpr float kLeastLog = -5, kMostLog = 2;
/// Updates between two changes of the units that critics speak in.
constexpr int kScalePeriod = 50;

/// log(1 - tanh(x)^2), which for large x would be that of zero.
float log_slope(float x) {
  const float size = 2 * std::abs(x);
  return 2 * (std::numbers::ln2_v<float> - std::abs(x) - std::log1p(std::exp(-size)));
}

}  // namespace

NetworkShape SoftActorCritic::actor_shape(const WorldShape& shape, const SoftActorCriticSettings& settings) {
  NetworkShape network;
  network.inputs = shape.features;
  if (settings.conditioned) network.common = shape.dim();
  network.trunk = settings.hidden;
  network.heads = {{.name = "policy", .outputs = shape.controls},
                   {.name = "log_spread", .outputs = shape.controls}};
  network.activation = settings.activation;
  return network;
}

NetworkShape SoftActorCritic::critic_shape(const WorldShape& shape, const SoftActorCriticSettings& settings,
                                           int outcomes) {
  NetworkShape network;
  network.inputs = shape.features + shape.controls;
  if (settings.conditioned) network.common = shape.dim();
  network.heads = {{.name = "first", .hidden = settings.hidden, .outputs = outcomes + 1},
                   {.name = "second", .hidden = settings.hidden, .outputs = outcomes + 1}};
  network.activation = settings.activation;
  return network;
}

SoftActorCritic::SoftActorCritic(const WorldShape& shape, const Transitions& transitions,
                                 const SoftActorCriticSettings& settings, const Rng& rng, int asked)
    : transitions_(transitions),
      settings_(settings),
      features_(shape.features),
      controls_(shape.controls),
      outcomes_(transitions.outcomes()),
      values_(outcomes_ + 1),
      draws_(rng.fork("batches")),
      team_(training_threads(settings.threads, critic_shape(shape, settings, outcomes_), settings.batch)),
      actor_(actor_shape(shape, settings), std::max(settings.batch, asked)),
      critics_(critic_shape(shape, settings, outcomes_), settings.batch),
      target_(critics_.shape(), settings.batch),
      actor_adam_(actor_.parameter_count()),
      critics_adam_(critics_.parameter_count()),
      temperature_adam_(1),
      log_temperature_(
          Eigen::VectorXf::Constant(1, static_cast<float>(std::log(settings.first_temperature)))),
      temperature_gradient_(1),
      shift_(Eigen::VectorXf::Zero(features_)),
      scale_(Eigen::VectorXf::Ones(features_)),
      inverse_(scale_),
      prices_(Eigen::VectorXf::Ones(outcomes_)),
      value_scale_(Eigen::VectorXf::Ones(values_)),
      inverse_scale_(value_scale_),
      mean_square_(Vector::Zero(values_)),
      drawn_(settings.batch),
      seen_(features_, std::max(settings.batch, asked)),
      next_seen_(features_, settings.batch),
      noise_(controls_, std::max(settings.batch, asked)),
      numbers_(noise_),
      actions_(noise_),
      clamped_(noise_),
      log_density_(noise_.cols()),
      judged_(features_ + controls_, settings.batch),
      lower_(settings.batch),
      weights_(values_),
      to_say_(values_, settings.batch),
      squares_(values_),
      factor_(values_) {
  // Small outputs: the first actions are nearly without preference, and all values begin near zero.
  actor_.initialize(Initialization::orthogonal, rng.fork("actor"), 0.01);
  critics_.initialize(Initialization::orthogonal, rng.fork("critics"), 0.01);
  target_.parameters() = critics_.parameters();
}

double SoftActorCritic::temperature() const {
  return std::exp(double{log_temperature_[0]});
}

void SoftActorCritic::set_prices(const Eigen::Ref<const Eigen::VectorXf>& prices) {
  prices_ = prices;
}

void SoftActorCritic::turn_to(const Eigen::Ref<const Eigen::VectorXf>& direction) {
  for (Network* network : {&actor_, &critics_, &target_}) network->set_common(direction);
}

void SoftActorCritic::standardize() {
  constexpr double kLeastSpread = 1e-6;
  const int count = transitions_.size();
  for (int k = 0; k < features_; ++k) {
    double sum = 0, squares = 0;
    for (int i = 0; i < count; ++i) {
      const double value = transitions_.features(k, i);
      sum += value;
      squares += value * value;
    }
    const double mean = sum / count;
    const double spread = std::sqrt(std::max(0.0, squares / count - mean * mean));
    shift_[k] = static_cast<float>(mean);
    scale_[k] = spread > kLeastSpread * (1 + std::abs(mean)) ? static_cast<float>(spread) : 1.0f;
  }
  inverse_ = scale_.cwiseInverse();
  standardized_ = true;
}

void SoftActorCritic::read(const Eigen::Ref<const Eigen::MatrixXf>& features,
                           Eigen::Ref<Eigen::MatrixXf> into) const {
  into = ((features.colwise() - shift_).array().colwise() * inverse_.array()).matrix();
}

void SoftActorCritic::draw() {
  for (int e = 0; e < settings_.batch; ++e) {
    drawn_[e] = static_cast<int>(draws_.below(static_cast<std::uint64_t>(transitions_.size())));
    seen_.col(e) = (transitions_.features.col(drawn_[e]) - shift_).cwiseProduct(inverse_);
    next_seen_.col(e) = (transitions_.next_features.col(drawn_[e]) - shift_).cwiseProduct(inverse_);
  }
}

/// What the actor does where it was asked last, and how dense its distribution is there.
void SoftActorCritic::sample(int count, Rng& draws) {
  const auto means = actor_.output(kMean), log_spreads = actor_.output(kLogSpread);
  static const float kHalfLogTwoPi = 0.5f * std::log(2 * std::numbers::pi_v<float>);
  for (int e = 0; e < count; ++e) {
    float sum = 0;
    for (int k = 0; k < controls_; ++k) {
      const float log_spread = std::clamp(log_spreads(k, e), kLeastLog, kMostLog);
      const auto noise = static_cast<float>(draws.normal());
      const float number = means(k, e) + std::exp(log_spread) * noise;
      clamped_(k, e) = log_spread;
      noise_(k, e) = noise;
      numbers_(k, e) = number;
      actions_(k, e) = std::tanh(number);
      sum -= 0.5f * noise * noise + log_spread + kHalfLogTwoPi + log_slope(number);
    }
    log_density_[e] = sum;
  }
}

/// Has the critics say what the actor's last actions are worth, and notes which of the two says less.
void SoftActorCritic::judge(Network& critics, int count) {
  judged_.bottomRows(controls_).leftCols(count) = actions_.leftCols(count);
  critics.forward(judged_.leftCols(count), team_);
  for (int e = 0; e < count; ++e) {
    const float first = weights_.dot(critics.output(0).col(e));
    lower_[e] = weights_.dot(critics.output(1).col(e)) < first ? 1 : 0;
  }
}

void SoftActorCritic::update(double learning_rate) {
  if (done_ % kScalePeriod == 0) scale_values();
  const auto temperature = static_cast<float>(this->temperature());
  weights_.head(outcomes_) = prices_.cwiseProduct(value_scale_.head(outcomes_));
  weights_[outcomes_] = temperature * value_scale_[outcomes_];
  draw();
  teach_critics(learning_rate);
  lead_actor(learning_rate);
  const auto rate = static_cast<float>(settings_.target_rate);
  for_each_chunk(team_, target_.parameter_count(), [&](Eigen::Index begin, Eigen::Index size) {
    auto follows = target_.parameters().segment(begin, size);
    follows += rate * (critics_.parameters().segment(begin, size) - follows);
  });
  ++done_;
}

void SoftActorCritic::teach_critics(double learning_rate) {
  const int batch = settings_.batch;
  actor_.forward(next_seen_.leftCols(batch), team_);
  sample(batch, draws_);
  judged_.topRows(features_) = next_seen_;
  judge(target_, batch);
  const auto discount = static_cast<float>(settings_.discount);
  squares_.setZero();
  for (int e = 0; e < batch; ++e) {
    const int i = drawn_[e];
    auto target = to_say_.col(e);
    target.head(outcomes_) = transitions_.outcome.col(i);
    target[outcomes_] = 0;
    if (!transitions_.terminated[i]) {
      const auto ahead = target_.output(lower_[e]).col(e);
      target += discount * ahead.cwiseProduct(value_scale_);
      target[outcomes_] -= discount * log_density_[e];
    }
    squares_ += target.cwiseAbs2();
    target = target.cwiseProduct(inverse_scale_);
  }
  constexpr double kShare = 0.02;
  const double share = std::max(kShare, 1.0 / static_cast<double>(done_ + 1));
  for (int j = 0; j < values_; ++j)
    mean_square_[j] += share * (double{squares_[j]} / batch - mean_square_[j]);

  judged_.topRows(features_) = seen_.leftCols(batch);
  for (int e = 0; e < batch; ++e) judged_.col(e).tail(controls_) = transitions_.controls.col(drawn_[e]);
  critics_.forward(judged_, team_);
  for (int twin = 0; twin < kTwins; ++twin)
    critics_.output_gradient(twin) = (critics_.output(twin) - to_say_) / static_cast<float>(batch);
  critics_.backward(team_);
  critics_adam_.step(critics_.parameters(), critics_.gradient(), learning_rate, team_);
}

void SoftActorCritic::lead_actor(double learning_rate) {
  const int batch = settings_.batch;
  const float per_entry = 1 / static_cast<float>(batch);
  const auto temperature = static_cast<float>(this->temperature());
  actor_.forward(seen_.leftCols(batch), team_);
  sample(batch, draws_);
  judge(critics_, batch);
  for (int twin = 0; twin < kTwins; ++twin) {
    auto gradient = critics_.output_gradient(twin);
    for (int e = 0; e < batch; ++e) {
      if (lower_[e] == twin) {
        gradient.col(e) = -per_entry * weights_;
      } else {
        gradient.col(e).setZero();
      }
    }
  }
  critics_.backward_to_inputs(team_);
  const auto by_action = critics_.input_gradient().bottomRows(controls_);
  auto by_mean = actor_.output_gradient(kMean), by_log_spread = actor_.output_gradient(kLogSpread);
  float entropy = 0;
  for (int e = 0; e < batch; ++e) {
    entropy -= per_entry * log_density_[e];
    for (int k = 0; k < controls_; ++k) {
      const float action = actions_(k, e), log_spread = clamped_(k, e);
      // Of -log(1 - tanh^2), that is, and of what the critics say.
      const float by_number = per_entry * temperature * 2 * action + by_action(k, e) * (1 - action * action);
      by_mean(k, e) = by_number;
      const bool inside = log_spread > kLeastLog && log_spread < kMostLog;
      by_log_spread(k, e) =
          inside ? by_number * std::exp(log_spread) * noise_(k, e) - per_entry * temperature : 0.0f;
    }
  }
  actor_.backward(team_);
  actor_adam_.step(actor_.parameters(), actor_.gradient(), learning_rate, team_);
  temperature_gradient_[0] = entropy - static_cast<float>(settings_.target_entropy);
  temperature_adam_.step(log_temperature_, temperature_gradient_, learning_rate);
}

/// Keeps what the critics say at a size of about 1, however large that is; what it means stays the same.
void SoftActorCritic::scale_values() {
  for (int j = 0; j < values_; ++j) {
    const auto scale = static_cast<float>(std::sqrt(mean_square_[j]));
    factor_[j] = 1;
    if (!(scale > 0)) continue;
    factor_[j] = value_scale_[j] / scale;
    value_scale_[j] = scale;
    inverse_scale_[j] = 1 / scale;
  }
  for (int twin = 0; twin < kTwins; ++twin) {
    critics_.scale_output(twin, factor_);
    target_.scale_output(twin, factor_);
  }
}

void SoftActorCritic::act(const Eigen::Ref<const Eigen::MatrixXf>& features, Rng& draws,
                          Eigen::Ref<Eigen::MatrixXf> controls) {
  const auto count = features.cols();
  read(features, seen_.leftCols(count));
  actor_.forward(seen_.leftCols(count));
  sample(static_cast<int>(count), draws);
  controls = actions_.leftCols(count);
}

Eigen::VectorXf SoftActorCritic::value(const Eigen::Ref<const Eigen::MatrixXf>& features,
                                       const Eigen::Ref<const Eigen::MatrixXf>& action) {
  Eigen::MatrixXf input(features_ + controls_, 1);
  input.topRows(features_) = (features.colwise() - shift_).cwiseProduct(inverse_);
  input.bottomRows(controls_) = action;
  critics_.forward(input);
  return critics_.output(0).col(0).cwiseProduct(value_scale_);
}

std::shared_ptr<const Network> SoftActorCritic::actor() const {
  auto copy = std::make_shared<Network>(actor_.without_common());
  copy->change_inputs((-shift_.array() * inverse_.array()).matrix(), inverse_);
  return copy;
}

void SoftActorCritic::visit_knowledge(StateVisitor& state) {
  state.values("actor", actor_.parameters());
  state.values("critics", critics_.parameters());
  state.values("target", target_.parameters());
  state.values("log_temperature", log_temperature_);
  state.value("standardized", standardized_);
  state.values("shift", shift_);
  state.values("scale", scale_);
  state.values("value_scale", value_scale_);
  state.values("mean_square", mean_square_);
  if (!state.restores()) return;
  state.expect(actor_.parameters().allFinite() && critics_.parameters().allFinite(), "actor");
  state.expect(shift_.allFinite() && scale_.allFinite() && (scale_.array() > 0).all(), "scale");
  state.expect(value_scale_.allFinite() && (value_scale_.array() > 0).all(), "value_scale");
  inverse_ = scale_.cwiseInverse();
  inverse_scale_ = value_scale_.cwiseInverse();
}

void SoftActorCritic::visit(StateVisitor& state) {
  visit_knowledge(state);
  actor_adam_.visit(state, "actor_adam");
  critics_adam_.visit(state, "critics_adam");
  temperature_adam_.visit(state, "temperature_adam");
  state.value("updates", done_);
  state.value("batches", draws_);
}

}  // namespace c2rl
