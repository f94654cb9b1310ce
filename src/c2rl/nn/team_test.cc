// What a team computes is what one thread computes, bit for bit: in shapes and batches of which none is a round number.

#include "c2rl/base/team.h"

#include <vector>

#include <gtest/gtest.h>

#include "c2rl/nn/adam.h"
#include "c2rl/nn/network.h"

namespace c2rl {
namespace {

int between(Rng& rng, int least, int most) {
  return least + static_cast<int>(rng.below(static_cast<std::uint64_t>(most - least + 1)));
}

NetworkShape random_shape(Rng& rng) {
  const auto widths = [&](int layers) {
    std::vector<int> all;
    for (int i = 0; i < layers; ++i) all.push_back(between(rng, 1, 200));
    return all;
  };
  NetworkShape shape{.inputs = between(rng, 1, 70), .indexed = rng.below(3) == 0};
  shape.common = between(rng, 0, 2);
  shape.trunk = widths(between(rng, 0, 2));
  shape.heads = {{"one", widths(between(rng, 0, 2)), between(rng, 1, 5)},
                 {"two", widths(between(rng, 0, 2)), between(rng, 1, 40)}};
  shape.activation = rng.below(2) == 0 ? Activation::relu : Activation::tanh;
  return shape;
}

/// All that comes out of some updates on batches of different sizes.
template <typename Scalar>
std::vector<Scalar> updates(const NetworkShape& shape, Rng rng, Team& team) {
  constexpr int kMost = 700;
  BasicNetwork<Scalar> network(shape, kMost);
  network.initialize(Initialization::he, rng.fork("network"));
  BasicAdam<Scalar> adam(network.parameter_count());
  network.set_common(rng.normal_vector(shape.common).cast<Scalar>());
  std::vector<Scalar> all;
  const auto keep = [&](const auto& numbers) {
    for (const Scalar x : numbers.reshaped()) all.push_back(x);
  };
  for (const int batch : {between(rng, 1, kMost), 64, 129, kMost}) {
    if (shape.indexed) {
      std::vector<int> states(batch);
      for (int& state : states) state = between(rng, 0, shape.inputs - 1);
      network.forward(states, team);
    } else {
      const Matrix features = rng.normal_vector(shape.inputs * batch).reshaped(shape.inputs, batch);
      network.forward(features.cast<Scalar>(), team);
    }
    for (int head = 0; head < 2; ++head) {
      keep(network.output(head));
      network.output_gradient(head) = network.output(head) / Scalar(batch);
    }
    network.backward(team);
    keep(network.gradient());
    adam.step(network.parameters(), network.gradient(), 1e-2, team);
    keep(network.parameters());
    if (shape.indexed) continue;
    network.backward_to_inputs(team);
    keep(network.input_gradient());
  }
  return all;
}

TEST(NetworkTeam, ComputesTheSameBits) {
  Team two(2), three(3), five(5);
  for (int seed = 0; seed < 15; ++seed) {
    Rng rng = Rng(1).fork("shape", static_cast<std::uint64_t>(seed));
    const NetworkShape shape = random_shape(rng);
    const auto alone = updates<float>(shape, rng, Team::alone());
    const auto alone_double = updates<double>(shape, rng, Team::alone());
    for (Team* team : {&two, &three, &five}) {
      EXPECT_TRUE(updates<float>(shape, rng, *team) == alone) << seed << " " << team->threads();
      EXPECT_TRUE(updates<double>(shape, rng, *team) == alone_double) << seed << " " << team->threads();
    }
  }
}

}  // namespace
}  // namespace c2rl
