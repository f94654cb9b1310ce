#pragma once

#include <cstdint>
#include <string>

#include <Eigen/Core>

#include "c2rl/base/team.h"

namespace c2rl {

class StateVisitor;

struct AdamOptions {
  double learning_rate = 1e-3;
  /// How much of the running means of the gradient and of its square a step keeps.
  double beta1 = 0.9;
  double beta2 = 0.999;
  /// Added to the root of the mean square: bounds the step where gradients vanish.
  double epsilon = 1e-8;

  /// An InputError names the field that is out of its range.
  void validate() const;
};

/// Adam (Kingma and Ba 2015) as PyTorch computes it:
///   m = beta1 m + (1 - beta1) g,  v = beta2 v + (1 - beta2) g^2,
///   p -= learning_rate / (1 - beta1^t) * m / (sqrt(v / (1 - beta2^t)) + epsilon).
template <typename Scalar>
class BasicAdam {
 public:
  using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;

  explicit BasicAdam(int parameters, const AdamOptions& options = {});

  void step(Eigen::Ref<Vector> parameters, const Eigen::Ref<const Vector>& gradient) {
    step(parameters, gradient, options_.learning_rate);
  }
  /// With another learning rate, for schedules; what a team computes together is the same, bit for bit.
  void step(Eigen::Ref<Vector> parameters, const Eigen::Ref<const Vector>& gradient, double learning_rate,
            Team& team = Team::alone());

  /// Forgets all gradients, as if new.
  void reset();
  /// All but the options.
  void visit(StateVisitor& state, const std::string& name);

  const AdamOptions& options() const { return options_; }
  std::int64_t steps() const { return steps_; }

 private:
  AdamOptions options_;
  std::int64_t steps_ = 0;
  Vector mean_;         // m
  Vector mean_square_;  // v
};

extern template class BasicAdam<float>;
extern template class BasicAdam<double>;
using Adam = BasicAdam<float>;

/// Scales a gradient longer than `limit` down to that length, as torch.nn.utils.clip_grad_norm_ does; gives
/// its length before.
float clip_norm(Eigen::Ref<Eigen::VectorXf> gradient, double limit);
double clip_norm(Eigen::Ref<Eigen::VectorXd> gradient, double limit);

}  // namespace c2rl
