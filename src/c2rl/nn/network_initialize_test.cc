#include <cmath>

#include <gtest/gtest.h>

#include "c2rl/nn/network.h"

namespace c2rl {
namespace {

using DoubleNetwork = BasicNetwork<double>;

/// The weights of the layer that begins at this parameter.
Matrix weights(const DoubleNetwork& network, Eigen::Index begin, int outputs, int inputs) {
  return Eigen::Map<const Matrix>(network.parameters().data() + begin, outputs, inputs);
}

TEST(Initialize, OrthogonalIsOrthogonal) {
  const NetworkShape shape{.inputs = 9, .trunk = {16}, .heads = {{"policy", {}, 4}}};
  for (const Activation activation : {Activation::relu, Activation::tanh}) {
    NetworkShape each = shape;
    each.activation = activation;
    DoubleNetwork network(each, 1);
    network.initialize(Initialization::orthogonal, Rng(1), 0.01);
    const double gain = activation == Activation::relu ? std::sqrt(2.0) : 5.0 / 3;
    const Matrix tall = weights(network, 0, 16, 9) / gain, wide = weights(network, 160, 4, 16) / 0.01;
    EXPECT_TRUE((tall.transpose() * tall).isIdentity(1e-12));
    EXPECT_TRUE((wide * wide.transpose()).isIdentity(1e-12));
    EXPECT_TRUE(network.parameters().segment(144, 16).isZero(0));
    EXPECT_TRUE(network.parameters().tail(4).isZero(0));
  }
}

// Over many draws no entry has a preferred sign, and those of the columns' rotations have the mean square of
// a uniform one: 1 / rows.
TEST(Initialize, OrthogonalIsUniform) {
  const int size = 4, draws = 4000;
  Matrix mean = Matrix::Zero(size, size), mean_square = mean;
  DoubleNetwork network({.inputs = size, .heads = {{"value", {}, size}}}, 1);
  for (int i = 0; i < draws; ++i) {
    network.initialize(Initialization::orthogonal, Rng(2).fork("draw", i));
    const Matrix q = weights(network, 0, size, size);
    mean += q / draws;
    mean_square += q.cwiseAbs2() / draws;
  }
  // Five standard errors: an entry has standard deviation 1/2, its square less.
  EXPECT_LE(mean.cwiseAbs().maxCoeff(), 5 * 0.5 / std::sqrt(draws));
  EXPECT_LE((mean_square.array() - 1.0 / size).abs().maxCoeff(), 5 * 0.5 / std::sqrt(draws));
}

TEST(Initialize, HeHasItsStandardDeviation) {
  DoubleNetwork network({.inputs = 200, .trunk = {300}, .heads = {{"value", {}, 100}}}, 1);
  network.initialize(Initialization::he, Rng(1), 0.5);
  // Of n normal numbers the root mean square is right to 1 / sqrt(2 n): 0.3 % and 0.4 %.
  const Matrix hidden = weights(network, 0, 300, 200), output = weights(network, 60300, 100, 300);
  EXPECT_NEAR(hidden.norm() / std::sqrt(hidden.size()) / std::sqrt(2.0 / 200), 1, 0.02);
  EXPECT_NEAR(output.norm() / std::sqrt(output.size()) / (0.5 / std::sqrt(300)), 1, 0.02);
}

// Whatever the kind of input, what reaches the hidden layers has entries of mean square 1: the gain makes up
// for the half that ReLU takes.
TEST(Initialize, SignalsKeepTheirSize) {
  for (const Initialization kind : {Initialization::orthogonal, Initialization::he}) {
    for (const bool indexed : {true, false}) {
      for (const int inputs : {8, 54, 500}) {
        const NetworkShape shape{
            .inputs = inputs, .indexed = indexed, .trunk = {128, 128}, .heads = {{"value", {}, 128}}};
        DoubleNetwork network(shape, inputs);
        network.initialize(kind, Rng(3));
        if (indexed) {
          std::vector<int> states(inputs);
          for (int i = 0; i < inputs; ++i) states[i] = i;
          network.forward(states);
        } else {
          network.forward(Rng(4).normal_vector(inputs * inputs).reshaped(inputs, inputs));
        }
        const double size = network.output(0).norm() / std::sqrt(network.output(0).size());
        // An orthogonal layer with more outputs than inputs spreads the length of its input over more
        // entries.
        const double wide =
            kind == Initialization::orthogonal && !indexed ? std::sqrt(std::min(inputs, 128) / 128.0) : 1;
        EXPECT_NEAR(size / wide, 1, 0.3) << "inputs " << inputs << (indexed ? " indexed" : "");
      }
    }
  }
}

TEST(Initialize, TheStreamDecides) {
  const NetworkShape shape{.inputs = 3, .indexed = true, .heads = {{"value", {5}, 2}}};
  DoubleNetwork one(shape, 1), two(shape, 1);
  one.initialize(Initialization::he, Rng(1));
  two.initialize(Initialization::he, Rng(1));
  EXPECT_EQ(one.parameters(), two.parameters());
  two.initialize(Initialization::he, Rng(2));
  EXPECT_NE(one.parameters(), two.parameters());
}

}  // namespace
}  // namespace c2rl
