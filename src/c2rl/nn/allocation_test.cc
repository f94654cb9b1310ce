#include "c2rl/base/allocation_testing.h"
#ifdef C2RL_COUNTS_ALLOCATIONS

#include <vector>

#include <gtest/gtest.h>

#include "c2rl/nn/adam.h"
#include "c2rl/nn/dueling.h"
#include "c2rl/nn/network.h"

namespace c2rl {
namespace {

/// Allocations of forward, backward, clipping and a step, on a batch of the network's capacity.
template <typename Scalar>
long allocations_of_an_update(const NetworkShape& shape, int batch) {
  BasicNetwork<Scalar> network(shape, batch);
  network.initialize(Initialization::he, Rng(1));
  BasicAdam<Scalar> adam(network.parameter_count());
  using Matrix = typename BasicNetwork<Scalar>::Matrix;
  const Matrix features = Matrix::Ones(shape.inputs, shape.indexed ? 0 : batch);
  const std::vector<int> states(batch, 3);
  const bool dueling = shape.heads[1].name == "advantage";
  Matrix q = Matrix::Ones(shape.heads[1].outputs, batch);

  const long before = allocations;
  for (int i = 0; i < 2; ++i) {
    if (shape.indexed) {
      network.forward(states);
    } else {
      network.forward(features);
    }
    if (dueling) {
      dueling_values(network.output(0), network.output(1), q);
      dueling_gradient(q, network.output_gradient(0), network.output_gradient(1));
    } else {
      network.output_gradient(0).setOnes();
      network.output_gradient(1).setOnes();
    }
    network.backward();
    clip_norm(network.gradient(), 0.5);
    adam.step(network.parameters(), network.gradient());
  }
  return allocations - before;
}

TEST(Allocation, IsCounted) {
  const long before = allocations;
  const Eigen::VectorXf vector = Eigen::VectorXf::Zero(100);
  const std::vector<float> other(100, vector[0]);
  EXPECT_EQ(allocations - before, 2) << other[0];
}

TEST(Allocation, AnUpdateTakesNothing) {
  const NetworkShape states{
      .inputs = 54, .indexed = true, .trunk = {128}, .heads = {{"policy", {}, 4}, {"value", {}, 1}}};
  NetworkShape features = states;
  features.indexed = false;
  features.inputs = 2048;
  NetworkShape dueling = states;
  dueling.trunk = {};
  dueling.heads = {{"value", {128, 128}, 1}, {"advantage", {128, 128}, 4}};
  NetworkShape wide = features;
  wide.trunk = {512, 700};
  wide.activation = Activation::tanh;
  EXPECT_EQ(allocations_of_an_update<float>(states, 54), 0);
  EXPECT_EQ(allocations_of_an_update<float>(features, 54), 0);
  EXPECT_EQ(allocations_of_an_update<float>(dueling, 256), 0);
  EXPECT_EQ(allocations_of_an_update<float>(wide, 300), 0);
  EXPECT_EQ(allocations_of_an_update<double>(dueling, 256), 0);
  EXPECT_EQ(allocations_of_an_update<double>(wide, 300), 0);
}

}  // namespace
}  // namespace c2rl

#endif
