#include "c2rl/oracle/standardizer.h"

#include <cmath>

namespace c2rl {

Standardizer::Standardizer(int features)
    : mean_(Vector::Zero(features)),
      squares_(Vector::Zero(features)),
      shift_(Eigen::VectorXf::Zero(features)),
      scale_(Eigen::VectorXf::Ones(features)),
      inverse_(Eigen::VectorXf::Ones(features)),
      step_shift_(features),
      step_scale_(features) {}

void Standardizer::add(const Eigen::Ref<const Eigen::VectorXf>& features) {
  count_ += 1;
  for (int i = 0; i < mean_.size(); ++i) {
    const double before = features[i] - mean_[i];
    mean_[i] += before / count_;
    squares_[i] += before * (features[i] - mean_[i]);
  }
}

void Standardizer::renew(Network& network) {
  if (count_ == 0) return;
  // A feature that never changes, but for rounding, is left as large as it is: what it will be one day nobody knows.
  constexpr double kLeastSpread = 1e-8, kLeastPart = 1e-5;
  for (int i = 0; i < mean_.size(); ++i) {
    const double spread = std::sqrt(squares_[i] / count_);
    const auto shift = static_cast<float>(mean_[i]);
    const auto scale =
        static_cast<float>(spread > kLeastSpread + kLeastPart * std::abs(mean_[i]) ? spread : 1.0);
    // Of what it read so far to what it will read.
    step_shift_[i] = (shift - shift_[i]) * inverse_[i];
    step_scale_[i] = scale * inverse_[i];
    shift_[i] = shift;
    scale_[i] = scale;
    inverse_[i] = 1 / scale;
  }
  network.change_inputs(step_shift_, step_scale_);
}

void Standardizer::undo(Network& network) const {
  network.change_inputs((-shift_.array() * inverse_.array()).matrix(), inverse_);
}

void Standardizer::visit(StateVisitor& state) {
  state.value("standardizer_count", count_);
  state.values("standardizer_mean", mean_);
  state.values("standardizer_squares", squares_);
  state.values("standardizer_shift", shift_);
  state.values("standardizer_scale", scale_);
  if (state.restores()) inverse_ = scale_.cwiseInverse();
}

}  // namespace c2rl
