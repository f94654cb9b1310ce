#include "c2rl/nn/network.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "c2rl/base/error.h"
#include "c2rl/nn/dueling.h"
#include "c2rl/nn/gradients_testing.h"

namespace c2rl {
namespace {

using DoubleNetwork = BasicNetwork<double>;

const NetworkShape kActorCritic{
    .inputs = 54, .indexed = true, .trunk = {128}, .heads = {{"policy", {}, 4}, {"value", {}, 1}}};
const NetworkShape kDueling{
    .inputs = 54, .indexed = true, .heads = {{"value", {128, 128}, 1}, {"advantage", {128, 128}, 4}}};

int below(Rng& rng, int n) {
  return static_cast<int>(rng.below(static_cast<std::uint64_t>(n)));
}

/// Random depths, widths and heads.
NetworkShape random_shape(Rng& rng, bool indexed, Activation activation, int trunk_depth) {
  const auto widths = [&](int depth) {
    std::vector<int> result;
    result.reserve(static_cast<std::size_t>(depth));
    for (int i = 0; i < depth; ++i) result.push_back(1 + below(rng, 6));
    return result;
  };
  NetworkShape shape{.inputs = 1 + below(rng, 5), .indexed = indexed, .trunk = widths(trunk_depth)};
  shape.activation = activation;
  const int heads = 1 + below(rng, 3);
  for (int i = 0; i < heads; ++i) {
    shape.heads.push_back({"head" + std::to_string(i), widths(below(rng, 3)), 1 + below(rng, 4)});
  }
  return shape;
}

/// A random batch, kept so that the network can be asked again.
struct Batch {
  Batch(const NetworkShape& shape, int size, Rng& rng) : features(Matrix::Zero(shape.inputs, size)) {
    for (int i = 0; i < size; ++i) states.push_back(below(rng, shape.inputs));
    for (double& x : features.reshaped()) x = rng.normal();
  }

  void forward(DoubleNetwork& network) const {
    if (network.shape().indexed) {
      network.forward(states);
    } else {
      network.forward(features);
    }
  }

  std::vector<int> states;
  Matrix features;
};

void draw_parameters(DoubleNetwork& network, Rng& rng) {
  for (double& x : network.parameters()) x = rng.normal();
}

RC_GTEST_PROP(Network, GradientIsThatOfCentralDifferences, ()) {
  Rng rng(*rc::gen::arbitrary<std::uint64_t>());
  NetworkShape shape =
      random_shape(rng, *rc::gen::arbitrary<bool>(), *rc::gen::element(Activation::relu, Activation::tanh),
                   *rc::gen::inRange(0, 4));
  shape.common = below(rng, 3);
  const int size = 1 + below(rng, 8);
  DoubleNetwork network(shape, size);
  draw_parameters(network, rng);
  network.set_common(rng.normal_vector(shape.common));
  const Batch batch(shape, size, rng);

  // Any smooth loss will do: of each output its square, weighted at random.
  std::vector<Matrix> weights;
  weights.reserve(shape.heads.size());
  for (const auto& head : shape.heads)
    weights.push_back(rng.normal_vector(head.outputs * size).reshaped(head.outputs, size));
  const auto loss = [&] {
    batch.forward(network);
    double sum = 0;
    for (size_t h = 0; h < shape.heads.size(); ++h) {
      sum += (weights[h].array() * network.output(static_cast<int>(h)).array().square()).sum();
    }
    return sum;
  };
  const Vector expected = central_differences(network.parameters(), loss);

  batch.forward(network);
  for (int h = 0; h < static_cast<int>(shape.heads.size()); ++h) {
    network.output_gradient(h) = (2 * weights[h].array() * network.output(h).array()).matrix();
  }
  network.backward();
  RC_ASSERT((network.gradient() - expected).norm() <= 1e-6 * (1 + expected.norm()));
}

// What all inputs have in common is one more feature of each, the same for all.
TEST(Network, CommonNumbersAreInputsLikeOthers) {
  Rng rng(3);
  const std::vector<NetworkShape::Head> heads = {{"a", {4}, 2}, {"b", {}, 3}};
  DoubleNetwork network({.inputs = 3, .common = 2, .heads = heads}, 5);
  draw_parameters(network, rng);
  const Vector common = rng.normal_vector(2);
  network.set_common(common);
  DoubleNetwork plain = network.without_common();
  DoubleNetwork wide({.inputs = 5, .heads = heads}, 5);
  // Weights, biases, common weights there; weights of all five, then biases here.
  const auto widen = [&](Eigen::Index from, Eigen::Index to, int width) {
    wide.parameters().segment(to, 3 * width) = network.parameters().segment(from, 3 * width);
    wide.parameters().segment(to + 5 * width, width) = network.parameters().segment(from + 3 * width, width);
    wide.parameters().segment(to + 3 * width, 2 * width) =
        network.parameters().segment(from + 4 * width, 2 * width);
  };
  widen(0, 0, 4);
  wide.parameters().segment(24, 10) = network.parameters().segment(24, 10);  // from 4 to 2
  widen(34, 34, 3);
  const Matrix seen = rng.normal_vector(15).reshaped(3, 5);
  Matrix all(5, 5);
  all << seen, common.replicate(1, 5);
  network.forward(seen);
  wide.forward(all);
  for (int h = 0; h < 2; ++h) EXPECT_TRUE(network.output(h).isApprox(wide.output(h), 1e-12)) << h;
  for (int i = 0; i < 5; ++i) {
    plain.forward(seen.col(i));
    for (int h = 0; h < 2; ++h) EXPECT_TRUE(plain.output(h).isApprox(wide.output(h).col(i), 1e-12));
  }
  EXPECT_THROW(network.set_common(Vector::Zero(3)), std::invalid_argument);
}

RC_GTEST_PROP(Network, GradientByInputsIsThatOfCentralDifferences, ()) {
  Rng rng(*rc::gen::arbitrary<std::uint64_t>());
  const NetworkShape shape = random_shape(
      rng, /*indexed=*/false, *rc::gen::element(Activation::relu, Activation::tanh), *rc::gen::inRange(0, 4));
  const int size = 1 + below(rng, 8);
  DoubleNetwork network(shape, size);
  draw_parameters(network, rng);
  Matrix inputs = rng.normal_vector(shape.inputs * size).reshaped(shape.inputs, size);
  const auto loss = [&] {
    network.forward(inputs);
    double sum = 0;
    for (size_t h = 0; h < shape.heads.size(); ++h)
      sum += static_cast<double>(h + 1) * network.output(static_cast<int>(h)).squaredNorm();
    return sum;
  };
  const Vector expected = central_differences(Eigen::Map<Vector>(inputs.data(), inputs.size()), loss);

  network.forward(inputs);
  for (int h = 0; h < static_cast<int>(shape.heads.size()); ++h)
    network.output_gradient(h) = 2 * (h + 1) * network.output(h);
  network.backward();
  const Vector by_parameters = network.gradient();
  network.backward_to_inputs();
  RC_ASSERT(network.gradient() == by_parameters);
  RC_ASSERT((network.input_gradient().reshaped() - expected).norm() <= 1e-6 * (1 + expected.norm()));
}

RC_GTEST_PROP(Network, IndexIsAOneHotVector, ()) {
  Rng rng(*rc::gen::arbitrary<std::uint64_t>());
  NetworkShape shape = random_shape(rng, /*indexed=*/true, Activation::tanh, *rc::gen::inRange(0, 3));
  const int size = 1 + below(rng, 8);
  DoubleNetwork indexed(shape, size);
  draw_parameters(indexed, rng);
  shape.indexed = false;
  DoubleNetwork dense(shape, size);
  dense.parameters() = indexed.parameters();

  const Batch batch(shape, size, rng);
  Matrix one_hot = Matrix::Zero(shape.inputs, size);
  for (int i = 0; i < size; ++i) one_hot(batch.states[i], i) = 1;
  indexed.forward(batch.states);
  dense.forward(one_hot);
  for (int h = 0; h < static_cast<int>(shape.heads.size()); ++h) {
    RC_ASSERT(indexed.output(h).isApprox(dense.output(h), 1e-12));
    indexed.output_gradient(h).setRandom();
    dense.output_gradient(h) = indexed.output_gradient(h);
  }
  indexed.backward();
  dense.backward();
  RC_ASSERT((indexed.gradient() - dense.gradient()).norm() <= 1e-12 * (1 + dense.gradient().norm()));
}

TEST(Network, DuelingGradientIsThatOfCentralDifferences) {
  NetworkShape shape = kDueling;
  shape.inputs = 5;
  for (auto& head : shape.heads) head.hidden = {6, 7};
  shape.activation = Activation::tanh;
  Rng rng(1);
  const int size = 9;
  DoubleNetwork network(shape, size);
  draw_parameters(network, rng);
  const Batch batch(shape, size, rng);
  const Matrix weights = rng.normal_vector(4 * size).reshaped(4, size);

  Matrix q(4, size);
  const auto loss = [&] {
    batch.forward(network);
    dueling_values(network.output(0), network.output(1), q);
    return (weights.array() * q.array().square()).sum();
  };
  const Vector expected = central_differences(network.parameters(), loss);
  loss();
  dueling_gradient((2 * weights.array() * q.array()).matrix().eval(), network.output_gradient(0),
                   network.output_gradient(1));
  network.backward();
  EXPECT_LE((network.gradient() - expected).norm(), 1e-6 * expected.norm());
}

// Larger than the tiles in which products are done, against a plain loop.
TEST(Network, LargeProductsAreWhole) {
  const NetworkShape shape{.inputs = 700, .heads = {{"sum", {}, 300}}};
  Rng rng(1);
  const int size = 270;
  DoubleNetwork network(shape, size);
  draw_parameters(network, rng);
  const Batch batch(shape, size, rng);
  batch.forward(network);
  const Eigen::Map<const Matrix> weights(network.parameters().data(), 300, 700);
  const Matrix expected = weights.lazyProduct(batch.features).colwise() + network.parameters().tail(300);
  EXPECT_TRUE(network.output(0).isApprox(expected, 1e-12));

  network.output_gradient(0).setRandom();
  network.backward();
  const Matrix gradient = network.output_gradient(0).lazyProduct(batch.features.transpose());
  EXPECT_TRUE(network.gradient().head(700 * 300).isApprox(gradient.reshaped(), 1e-12));
}

TEST(Network, ASmallerBatchUsesNothingOfALargerOne) {
  Rng rng(1);
  DoubleNetwork network(kActorCritic, 8), fresh(kActorCritic, 2);
  draw_parameters(network, rng);
  fresh.parameters() = network.parameters();
  network.forward(std::vector{0, 1, 2, 3, 4, 5, 6, 7});
  for (const int h : {0, 1}) network.output_gradient(h).setOnes();
  network.backward();
  for (DoubleNetwork* each : {&network, &fresh}) {
    each->forward(std::vector{9, 4});
    for (const int h : {0, 1}) each->output_gradient(h).setConstant(0.5);
    each->backward();
  }
  EXPECT_EQ(network.output(0).cols(), 2);
  EXPECT_EQ(network.output(0), fresh.output(0));
  EXPECT_EQ(network.gradient(), fresh.gradient());
}

TEST(Network, AnEmptyBatchHasNoGradient) {
  DoubleNetwork network(kDueling, 4);
  network.gradient().setOnes();
  network.forward(std::vector<int>{});
  network.backward();
  EXPECT_EQ(network.output(1).cols(), 0);
  EXPECT_TRUE(network.gradient().isZero(0));
}

TEST(Network, WrongSizesAreRefused) {
  Network network(kActorCritic, 2);
  EXPECT_THROW(network.forward(std::vector{0, 1, 2}), std::invalid_argument);
  EXPECT_THROW(network.forward(std::vector{54}), std::invalid_argument);
  EXPECT_THROW(network.forward(std::vector{-1}), std::invalid_argument);
  EXPECT_THROW(network.forward(Eigen::MatrixXf::Zero(54, 1)), std::invalid_argument);
  EXPECT_THROW(network.output(2), std::out_of_range);
  EXPECT_THROW(network.output_gradient(-1), std::out_of_range);
  EXPECT_THROW(Network(kActorCritic, 0), std::invalid_argument);
  Network dense({.inputs = 3, .heads = {{"value"}}}, 2);
  EXPECT_THROW(dense.forward(Eigen::MatrixXf::Zero(2, 1)), std::invalid_argument);
  EXPECT_THROW(dense.forward(Eigen::MatrixXf::Zero(3, 3)), std::invalid_argument);
  EXPECT_THROW(dense.forward(std::vector{0}), std::invalid_argument);
}

TEST(NetworkShape, WhatIsOutOfRangeIsNamed) {
  const auto message = [](const NetworkShape& shape) -> std::string {
    try {
      shape.validate();
    } catch (const InputError& error) {
      return error.what();
    }
    return "valid";
  };
  EXPECT_EQ(message(kActorCritic), "valid");
  EXPECT_EQ(message(kDueling), "valid");
  EXPECT_EQ(message({.inputs = 1}), "heads: is empty; expected at least one");
  EXPECT_TRUE(message({.inputs = 0, .heads = {{"value"}}}).starts_with("inputs: is 0;"));
  EXPECT_TRUE(message({.inputs = 1 << 20, .heads = {{"value"}}}).starts_with("inputs: is 1048576;"));
  EXPECT_TRUE(message({.inputs = 1, .trunk = {-3}, .heads = {{"value"}}}).starts_with("trunk: is -3;"));
  EXPECT_TRUE(message({.inputs = 1, .heads = {{"value", {1 << 20}}}}).starts_with("value: is 1048576;"));
  EXPECT_TRUE(message({.inputs = 1, .heads = {{"value", {}, 0}}}).starts_with("value: is 0;"));
  EXPECT_TRUE(message({.inputs = 1, .heads = {{"trunk"}}}).starts_with("heads: is 'trunk';"));
  EXPECT_TRUE(message({.inputs = 1, .heads = {{"a.b"}}}).starts_with("heads: is 'a.b';"));
  EXPECT_TRUE(message({.inputs = 1, .heads = {{"a"}, {"a"}}}).starts_with("heads: is a; expected different"));
  EXPECT_TRUE(
      message({.inputs = 1 << 28, .indexed = true, .heads = {{"a", {}, 99}}}).starts_with("parameters:"));
  EXPECT_TRUE(message({.inputs = 1, .trunk = std::vector<int>(64, 1), .heads = {{"a"}}})
                  .starts_with("layers: are 65"));
}

}  // namespace
}  // namespace c2rl
