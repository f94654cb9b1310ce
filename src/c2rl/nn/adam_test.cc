#include "c2rl/nn/adam.h"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "c2rl/base/error.h"
#include "c2rl/base/random.h"
#include "c2rl/nn/dueling.h"
#include "c2rl/nn/gradients_testing.h"

namespace c2rl {
namespace {

/// The update of one parameter, in the words of the paper.
struct ScalarAdam {
  AdamOptions options;
  double m = 0, v = 0;
  int t = 0;

  double step(double parameter, double gradient, double learning_rate) {
    ++t;
    m = options.beta1 * m + (1 - options.beta1) * gradient;
    v = options.beta2 * v + (1 - options.beta2) * gradient * gradient;
    const double mean = m / (1 - std::pow(options.beta1, t)), square = v / (1 - std::pow(options.beta2, t));
    return parameter - learning_rate * mean / (std::sqrt(square) + options.epsilon);
  }
};

// More parameters than a chunk, and no multiple of one.
constexpr int kParameters = 2500;

TEST(Adam, IsThePapersUpdate) {
  const AdamOptions options{.learning_rate = 0.02, .beta1 = 0.8, .beta2 = 0.99, .epsilon = 1e-6};
  BasicAdam<double> adam(kParameters, options);
  std::vector<ScalarAdam> expected(kParameters, ScalarAdam{.options = options});
  Rng rng(1);
  Vector parameters = rng.normal_vector(kParameters), reference = parameters;
  for (int t = 0; t < 20; ++t) {
    const double rate = t < 10 ? options.learning_rate : 0.1 / t;
    // Over many sizes, zero among them.
    Vector gradient = rng.normal_vector(kParameters);
    for (double& g : gradient) g = rng.uniform() < 0.1 ? 0 : g * std::pow(10, -8 * rng.uniform());
    if (t < 10) {
      adam.step(parameters, gradient);
    } else {
      adam.step(parameters, gradient, rate);
    }
    for (int i = 0; i < kParameters; ++i) reference[i] = expected[i].step(reference[i], gradient[i], rate);
  }
  EXPECT_LE((parameters - reference).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_EQ(adam.steps(), 20);
}

TEST(Adam, FloatFollowsDouble) {
  BasicAdam<double> precise(kParameters);
  Adam adam(kParameters);
  Rng rng(1);
  Vector parameters = rng.normal_vector(kParameters);
  Eigen::VectorXf single = parameters.cast<float>();
  for (int t = 0; t < 50; ++t) {
    const Vector gradient = rng.normal_vector(kParameters);
    precise.step(parameters, gradient);
    adam.step(single, gradient.cast<float>().eval());
  }
  // Each of the steps rounds a parameter of size up to 4.
  EXPECT_LE((single.cast<double>() - parameters).cwiseAbs().maxCoeff(), 50 * 4 * 6e-8);
}

TEST(Adam, ResetForgets) {
  Rng rng(1);
  const Vector gradient = rng.normal_vector(kParameters), other = rng.normal_vector(kParameters);
  BasicAdam<double> used(kParameters), fresh(kParameters);
  Vector parameters = Vector::Zero(kParameters);
  used.step(parameters, other);
  used.reset();
  parameters.setZero();
  used.step(parameters, gradient);
  Vector expected = Vector::Zero(kParameters);
  fresh.step(expected, gradient);
  EXPECT_EQ(parameters, expected);
}

TEST(Adam, RefusesWhatDoesNotFit) {
  Adam adam(3);
  Eigen::VectorXf three = Eigen::VectorXf::Zero(3), four = Eigen::VectorXf::Zero(4);
  EXPECT_THROW(adam.step(three, four), std::invalid_argument);
  EXPECT_THROW(adam.step(four, four), std::invalid_argument);
  EXPECT_THROW(Adam(3, {.learning_rate = -1}), InputError);
  EXPECT_THROW(Adam(3, {.beta1 = 1}), InputError);
  EXPECT_THROW(Adam(3, {.beta2 = std::numeric_limits<double>::quiet_NaN()}), InputError);
  EXPECT_THROW(Adam(3, {.epsilon = 0}), InputError);
}

TEST(ClipNorm, ShortensOnlyWhatIsLonger) {
  Vector gradient{{3, 0, -4}};
  EXPECT_DOUBLE_EQ(clip_norm(gradient, 6), 5);
  EXPECT_EQ(gradient, (Vector{{3, 0, -4}}));
  EXPECT_DOUBLE_EQ(clip_norm(gradient, 0.5), 5);
  EXPECT_TRUE(gradient.isApprox(Vector{{0.3, 0, -0.4}}, 1e-6));
  Eigen::VectorXf single{{3, 0, -4}};
  EXPECT_FLOAT_EQ(clip_norm(single, 0.5), 5);
  EXPECT_NEAR(single.norm(), 0.5, 1e-6);
  Vector zero = Vector::Zero(3);
  EXPECT_EQ(clip_norm(zero, 1), 0);
  EXPECT_TRUE(zero.isZero(0));
  EXPECT_THROW(clip_norm(zero, 0), std::invalid_argument);
}

TEST(Dueling, ValuesAndGradient) {
  const Matrix value{{1, 2}}, advantage{{1, 4}, {2, 4}, {6, 1}};
  Matrix q(3, 2);
  dueling_values(value, advantage, q);
  EXPECT_EQ(q, (Matrix{{-1, 3}, {0, 3}, {4, 0}}));

  Matrix value_gradient(1, 2), advantage_gradient(3, 2);
  dueling_gradient(Matrix{{1, 0}, {2, 3}, {0, 0}}, value_gradient, advantage_gradient);
  EXPECT_EQ(value_gradient, (Matrix{{3, 3}}));
  EXPECT_EQ(advantage_gradient, (Matrix{{0, -1}, {1, 2}, {-1, -1}}));
}

}  // namespace
}  // namespace c2rl
