#include "c2rl/nn/adam.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/base/state_visitor.h"
#include "c2rl/nn/chunks.h"

namespace c2rl {

void AdamOptions::validate() const {
  const auto check = [](bool good, const char* field, double found, const char* expected) {
    if (!good) throw InputError({.field = field}, fmt::format("is {}; expected {}", found, expected));
  };
  const auto is_mean = [](double x) { return x >= 0 && x < 1; };
  check(std::isfinite(learning_rate) && learning_rate >= 0, "learning_rate", learning_rate,
        "a finite number, at least 0");
  check(is_mean(beta1), "beta1", beta1, "a number in [0, 1)");
  check(is_mean(beta2), "beta2", beta2, "a number in [0, 1)");
  check(std::isfinite(epsilon) && epsilon > 0, "epsilon", epsilon, "a finite number above 0");
}

template <typename Scalar>
BasicAdam<Scalar>::BasicAdam(int parameters, const AdamOptions& options)
    : options_(options), mean_(Vector::Zero(parameters)), mean_square_(Vector::Zero(parameters)) {
  options_.validate();
}

template <typename Scalar>
void BasicAdam<Scalar>::step(Eigen::Ref<Vector> parameters, const Eigen::Ref<const Vector>& gradient,
                             double learning_rate, Team& team) {
  if (parameters.size() != mean_.size() || gradient.size() != mean_.size()) {
    throw std::invalid_argument(fmt::format("Adam: {} parameters and {} entries of a gradient, expected {}",
                                            parameters.size(), gradient.size(), mean_.size()));
  }
  ++steps_;
  const auto t = static_cast<double>(steps_);
  const auto keep = static_cast<Scalar>(options_.beta1), keep_square = static_cast<Scalar>(options_.beta2);
  const auto take = static_cast<Scalar>(1 - options_.beta1),
             take_square = static_cast<Scalar>(1 - options_.beta2);
  const auto rate = static_cast<Scalar>(learning_rate / (1 - std::pow(options_.beta1, t)));
  const auto scale = static_cast<Scalar>(1 / std::sqrt(1 - std::pow(options_.beta2, t)));
  const auto epsilon = static_cast<Scalar>(options_.epsilon);

  // One pass over memory: a chunk stays in the first cache over its three statements.
  for_each_chunk(team, mean_.size(), [&](Eigen::Index begin, Eigen::Index size) {
    const auto g = gradient.segment(begin, size).array();
    auto m = mean_.segment(begin, size).array();
    auto v = mean_square_.segment(begin, size).array();
    m = keep * m + take * g;
    v = keep_square * v + take_square * g.square();
    parameters.segment(begin, size).array() -= rate * m / (v.sqrt() * scale + epsilon);
  });
}

template <typename Scalar>
void BasicAdam<Scalar>::reset() {
  steps_ = 0;
  mean_.setZero();
  mean_square_.setZero();
}

template <typename Scalar>
void BasicAdam<Scalar>::visit(StateVisitor& state, const std::string& name) {
  state.value(name + ".steps", steps_);
  state.values(name + ".mean", mean_);
  state.values(name + ".mean_square", mean_square_);
}

template class BasicAdam<float>;
template class BasicAdam<double>;

namespace {

template <typename Scalar>
Scalar clip(Eigen::Ref<Eigen::Matrix<Scalar, Eigen::Dynamic, 1>> gradient, double limit) {
  if (!(limit > 0)) throw std::invalid_argument(fmt::format("clip_norm: limit {} is not positive", limit));
  constexpr double kGuard = 1e-6;  // PyTorch's, against a division by zero
  const Scalar norm = gradient.norm();
  const double scale = limit / (static_cast<double>(norm) + kGuard);
  if (scale < 1) gradient *= static_cast<Scalar>(scale);
  return norm;
}

}  // namespace

float clip_norm(Eigen::Ref<Eigen::VectorXf> gradient, double limit) {
  return clip<float>(gradient, limit);
}

double clip_norm(Eigen::Ref<Eigen::VectorXd> gradient, double limit) {
  return clip<double>(gradient, limit);
}

}  // namespace c2rl
