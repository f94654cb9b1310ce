// The half of training that learns: what each step was worth, and what follows from that.
#include <algorithm>
#include <cmath>

#include "c2rl/oracle/actor_critic.h"

namespace c2rl {
namespace {

/// From here on the critic's loss grows linearly, so that a few returns far off do not drown the actor.
constexpr float kHuberLimit = 1;

}  // namespace

/// Features, as they are, as the network's next inputs.
void ActorCritic::read(const Eigen::Ref<const Eigen::MatrixXf>& features) {
  if (!standardizer_) {
    network_.forward(features, team_);
    return;
  }
  const auto count = features.cols();
  standardizer_->apply(features, standard_.leftCols(count));
  network_.forward(standard_.leftCols(count), team_);
}

/// How much more of each measurement a step led to than the critic expected, and from that how much better for the
/// direction it was.
void ActorCritic::find_advantages() {
  const auto gamma = static_cast<float>(discount_);
  const float lambda = options_.returns == Returns::gae ? static_cast<float>(options_.gae_lambda) : 1.0f;
  const int m = world_.dim();
  order_.clear();
  double sum = 0, squares = 0;
  for (int e = 0; e < rollout_.steps * rollout_.slots; ++e) {
    if (!rollout_.taken[e]) continue;
    order_.push_back(e);
    sum += std::abs(direction_.dot(rollout_.measurement.col(e)));
  }
  const auto count = static_cast<double>(order_.size());
  usual_cost_ = std::max(usual_cost_, sum / count);
  const double step_cost = options_.step_cost * usual_cost_;
  sum = 0;
  for (int j = 0; j < m; ++j) price_[j] = static_cast<float>(-direction_[j]);
  price_[m] = static_cast<float>(-step_cost);
  for (auto entry = order_.rbegin(); entry != order_.rend(); ++entry) {
    const int e = *entry;
    const int after = e + rollout_.slots;  // the next step of the same episode, unless this is the last
    const bool terminated = rollout_.terminated[e] != 0, last = terminated || cut_[e];
    const float* value = &values_(0, rollout_.column[e]);
    const float* ahead = cut_[e] ? &ahead_(0, e) : terminated ? value : &values_(0, rollout_.column[after]);
    const float* later = last ? value : &gain_(0, after);
    const float of_ahead = terminated ? 0.0f : gamma, of_later = last ? 0.0f : gamma * lambda;
    const double* measured = &rollout_.measurement(0, e);
    float advantage = 0;
    for (int j = 0; j <= m; ++j) {
      const float found = j < m ? static_cast<float>(measured[j]) : 1.0f;
      const float gain = found + of_ahead * ahead[j] - value[j] + of_later * later[j];
      gain_(j, e) = gain;
      target_(j, e) = gain + value[j];
      advantage += price_[j] * gain;
    }
    advantage_[e] = advantage;
    sum += advantage;
    squares += double{advantage} * advantage;
  }
  if (!options_.normalize_advantages) return;
  const double mean = sum / count;
  const double variance = std::max(0.0, squares / count - mean * mean);
  const auto shift = static_cast<float>(mean);
  const auto scale = static_cast<float>(1 / (std::sqrt(variance) + 1e-8));
  for (const int e : order_) advantage_[e] = (advantage_[e] - shift) * scale;
}

/// Keeps what the network says of each measurement at a size of about 1, however large that is; what it means stays
/// the same.
void ActorCritic::scale_values() {
  constexpr double kLeastShare = 0.02;  // of this rollout in the mean over all
  const double share = std::max(kLeastShare, 1 / static_cast<double>(updates_));
  squares_.setZero();
  for (const int e : order_) squares_ += target_.col(e).cwiseAbs2();
  for (int j = 0; j < values(); ++j) {
    mean_square_[j] += share * (double{squares_[j]} / static_cast<double>(order_.size()) - mean_square_[j]);
    const auto scale = static_cast<float>(std::sqrt(mean_square_[j]));
    factor_[j] = 1;
    if (!(scale > 0)) continue;
    factor_[j] = value_scale_[j] / scale;
    value_scale_[j] = scale;
  }
  network_.scale_output(kValue, factor_);
}

void ActorCritic::learn() {
  const int size = static_cast<int>(order_.size());
  const int batch = options_.minibatch == 0 ? size : std::min(options_.minibatch, size);
  const Rng shuffles = rng_.fork("minibatches", updates_);
  for (int epoch = 0; epoch < options_.epochs; ++epoch) {
    if (batch < size) {
      Rng shuffle = shuffles.fork("epoch", static_cast<std::uint64_t>(epoch));
      for (int i = size - 1; i > 0; --i)
        std::swap(order_[i], order_[shuffle.below(static_cast<std::uint64_t>(i) + 1)]);
    }
    // What is left over is not worth a step of its own.
    for (int first = 0; first + batch <= size; first += batch) {
      learn_from(std::span<const int>(order_).subspan(first, batch));
      if (options_.kl_limit > 0 && kl_sum_ > options_.kl_limit * batch) return;
    }
  }
}

/// One step of Adam on these entries of the rollout.
void ActorCritic::learn_from(std::span<const int> entries) {
  look_at(entries);
  distribute(0, inputs_);
  visits_.head(inputs_).setZero();
  for (const int e : entries) visits_[rollout_.column[e]] += 1;
  kl_sum_ = 0;
  clip_ = scheduled(options_.clip, options_.clip_last);
  has_controls() ? lead_controls(entries) : lead_numbered(entries);
  teach_critic(entries);
  network_.backward(team_);
  clip_norm(network_.gradient(), options_.max_gradient_norm);
  const double rate = scheduled(options_.learning_rate, options_.learning_rate_last);
  adam_.step(network_.parameters(), network_.gradient(), rate, team_);
  if (!has_controls()) return;
  clip_norm(log_spread_gradient_, options_.max_gradient_norm);
  spread_adam_->step(log_spread_, log_spread_gradient_, rate);
  log_spread_ = log_spread_.cwiseMax(kLeastLogSpread).cwiseMin(kMostLogSpread);
}

/// Has the network look at what was seen in these entries, each state once, and notes which input it was.
void ActorCritic::look_at(std::span<const int> entries) {
  forget_inputs();
  if (has_features()) {
    for (const int e : entries) {
      seen_.col(inputs_) = rollout_.features.col(e);
      rollout_.column[e] = inputs_++;
    }
    read(seen_.leftCols(inputs_));
  } else {
    for (const int e : entries) rollout_.column[e] = input_of(rollout_.state[e]);
    network_.forward(std::span<const int>(input_states_), team_);
  }
}

/// How strongly an entry pulls at the logarithm of its action's probability, which is `ratio` times what it was.
/// With a clip, not at all once it has been pulled far enough.
float ActorCritic::weight_of(int entry, double ratio) {
  if (options_.kl_limit > 0) kl_sum_ += ratio - 1 - std::log(ratio);
  const float advantage = advantage_[entry];
  if (options_.clipped && (advantage > 0 ? ratio > 1 + clip_ : ratio < 1 - clip_)) return 0;
  return static_cast<float>(ratio) * advantage;
}

double ActorCritic::entropy_weight() const {
  const double decay = options_.entropy_decay_part > 0 ? part_done() / options_.entropy_decay_part : 1;
  return options_.entropy_first + std::min(1.0, decay) * (options_.entropy_last - options_.entropy_first);
}

/// The actor's gradient where actions are numbered.
void ActorCritic::lead_numbered(std::span<const int> entries) {
  action_weight_.leftCols(inputs_).setZero();
  for (const int e : entries) {
    const int input = rollout_.column[e], action = rollout_.action[e];
    const double now = std::max(probabilities_(action, input), 1e-300);
    action_weight_(action, input) += weight_of(e, now / rollout_.probability[e]);
  }
  const double entropy_weight = this->entropy_weight();
  const float per_visit = 1 / static_cast<float>(entries.size());
  auto scores = network_.output_gradient(kPolicy);
  for (int i = 0; i < inputs_; ++i) {
    const auto p = probabilities_.col(i);
    const double all = action_weight_.col(i).sum();
    double entropy = 0;
    for (int a = 0; a < world_.actions; ++a) entropy -= p[a] > 0 ? p[a] * std::log(p[a]) : 0;
    for (int a = 0; a < world_.actions; ++a) {
      const double pull = p[a] > 0 ? p[a] * (std::log(p[a]) + entropy) : 0;
      scores(a, i) = per_visit * static_cast<float>(p[a] * all - action_weight_(a, i) +
                                                    entropy_weight * visits_[i] * pull);
    }
  }
}

/// The same where they are real numbers; an input is an entry then.
void ActorCritic::lead_controls(std::span<const int> entries) {
  const float per_visit = 1 / static_cast<float>(entries.size());
  const int count = world_.controls;
  auto means = network_.output_gradient(kPolicy);
  log_spread_gradient_.setConstant(-static_cast<float>(entropy_weight()));
  for (const int e : entries) {
    const int input = rollout_.column[e];
    const double now = log_density(&rollout_.controls(0, e), &means_(0, input), log_spread_.data(), count);
    const float weight = weight_of(e, std::exp(now - rollout_.probability[e]));
    for (int k = 0; k < count; ++k) {
      const float spread = std::exp(log_spread_[k]);
      const float off = (rollout_.controls(k, e) - means_(k, input)) / spread;
      means(k, input) = -per_visit * weight * off / spread;
      log_spread_gradient_[k] -= per_visit * weight * (off * off - 1);
    }
  }
}

void ActorCritic::teach_critic(std::span<const int> entries) {
  const auto said = network_.output(kValue);
  auto gradient = network_.output_gradient(kValue);
  gradient.setZero();
  const float weight = static_cast<float>(options_.value_weight) / static_cast<float>(entries.size());
  factor_ = value_scale_.cwiseInverse();
  const int count = values();
  for (const int e : entries) {
    const float* says = said.col(rollout_.column[e]).data();
    const float* target = target_.col(e).data();
    float* pulls = gradient.col(rollout_.column[e]).data();
    for (int j = 0; j < count; ++j)
      pulls[j] += weight * std::clamp(says[j] - target[j] * factor_[j], -kHuberLimit, kHuberLimit);
  }
}

}  // namespace c2rl
