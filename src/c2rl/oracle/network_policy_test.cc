#include "c2rl/oracle/network_policy.h"

#include <gtest/gtest.h>

#include "c2rl/base/error.h"
#include "c2rl/mdp/models_testing.h"

namespace c2rl {
namespace {

std::shared_ptr<const Network> network(bool indexed, int actions = 3) {
  NetworkShape shape{.inputs = 5, .indexed = indexed, .trunk = {8}};
  shape.heads = {{.name = "policy", .outputs = actions}, {.name = "value", .outputs = 1}};
  auto made = std::make_shared<Network>(shape, 1);
  made->initialize(Initialization::orthogonal, Rng(7));
  return made;
}

Matrix probabilities(const Policy& policy, const Observations& observations, int rows = 3) {
  Matrix found = Matrix::Constant(rows, observations.size(), -1);
  policy.action_probabilities(observations, 0, found);
  return found;
}

TEST(NetworkPolicy, StochasticDrawsBySoftmaxGreedyTakesTheHighest) {
  const std::vector<int> states = {4, 0, 4};
  const NetworkPolicy drawn(network(true), "policy", Execution::stochastic, ActionCounts(3));
  const NetworkPolicy greedy(network(true), "policy", Execution::greedy, ActionCounts(3));
  const Matrix p = probabilities(drawn, states), g = probabilities(greedy, states);
  Network scores = *network(true);
  for (int i = 0; i < 3; ++i) {
    scores.forward(std::vector<int>{states[i]});
    const Vector expected = scores.output(0).col(0).cast<double>().array().exp();
    EXPECT_LT((p.col(i) - expected / expected.sum()).norm(), 1e-6);
    Eigen::Index best = 0;
    expected.maxCoeff(&best);
    EXPECT_EQ(g.col(i), Vector(Vector::Unit(3, best)));
  }
}

TEST(NetworkPolicy, FeaturesAreScoredLikeTheStatesTheyShow) {
  const auto indexed = network(true);
  auto shown = std::make_shared<Network>(network(false)->shape(), 1);
  shown->parameters() = indexed->parameters();
  const Eigen::MatrixXf one_hot = Eigen::MatrixXf::Identity(5, 5);
  const std::vector<int> states = {0, 1, 2, 3, 4};
  EXPECT_LT((probabilities(NetworkPolicy(indexed, "policy", Execution::stochastic, ActionCounts(3)), states) -
             probabilities(NetworkPolicy(shown, "policy", Execution::stochastic, ActionCounts(3)), one_hot))
                .norm(),
            1e-6);
}

// Actions that a state does not have are never taken.
TEST(NetworkPolicy, StatesHaveTheirOwnActions) {
  const ActionCounts counts(3, {1, 2, 3, 1, 2});
  for (const Execution execution : {Execution::stochastic, Execution::greedy}) {
    const NetworkPolicy policy(network(true), "policy", execution, counts);
    const Matrix p = probabilities(policy, std::vector<int>{0, 1, 2, 3, 4});
    for (int s = 0; s < 5; ++s) {
      EXPECT_NEAR(p.col(s).head(counts.of(s)).sum(), 1, 1e-12);
      EXPECT_EQ(p.col(s).tail(3 - counts.of(s)).sum(), 0);
    }
    const Matrix narrow = probabilities(policy, std::vector<int>{0, 3}, 1);
    EXPECT_EQ(narrow, Matrix(Matrix::Ones(1, 2)));
  }
}

TEST(NetworkPolicy, FilesGiveTheSamePolicy) {
  const NetworkPolicy policy(network(true), "policy", Execution::greedy, ActionCounts(3, {1, 2, 3, 1, 2}));
  const auto again = NetworkPolicy::from_file(policy.metadata(), policy.arrays());
  EXPECT_EQ(again->execution(), Execution::greedy);
  EXPECT_EQ(again->network().parameters(), policy.network().parameters());
  const std::vector<int> states = {0, 1, 2, 3, 4};
  EXPECT_EQ(probabilities(*again, states), probabilities(policy, states));
}

TEST(NetworkPolicy, BadFilesAreRefused) {
  const NetworkPolicy policy(network(true), "policy", Execution::greedy, ActionCounts(3, {1, 2, 3, 1, 2}));
  const auto refused = [&](auto change) {
    auto metadata = policy.metadata();
    auto arrays = policy.arrays();
    change(metadata, arrays);
    EXPECT_THROW(NetworkPolicy::from_file(metadata, arrays), InputError);
  };
  refused([](auto& metadata, auto&) { metadata.erase("policy_head"); });
  refused([](auto& metadata, auto&) { metadata["policy_head"] = "value"; });
  refused([](auto& metadata, auto&) { metadata["execution"] = "both"; });
  refused([](auto& metadata, auto&) { metadata.erase("activation"); });
  refused([](auto&, auto& arrays) { arrays.back().type = "F32"; });
  refused([](auto&, auto& arrays) { arrays.back().bytes.resize(8); });
  refused([](auto&, auto& arrays) { arrays.back().bytes[0] = std::byte{9}; });
  refused([](auto&, auto& arrays) { arrays.erase(arrays.begin()); });
  EXPECT_THROW(NetworkPolicy(network(true), "other", Execution::greedy, ActionCounts(3)), InputError);
  EXPECT_THROW(NetworkPolicy(network(true), "policy", Execution::greedy, ActionCounts(4)), InputError);
}

TEST(NetworkPolicy, RefusesWhatItCannotSee) {
  const NetworkPolicy indexed(network(true), "policy", Execution::greedy, ActionCounts(3));
  const NetworkPolicy shown(network(false), "policy", Execution::greedy, ActionCounts(3));
  const Eigen::MatrixXf features = Eigen::MatrixXf::Identity(5, 5), narrow = Eigen::MatrixXf::Identity(4, 4);
  EXPECT_THROW(probabilities(indexed, features), std::logic_error);
  EXPECT_THROW(probabilities(shown, std::vector<int>{0}), std::logic_error);
  EXPECT_THROW(probabilities(shown, narrow), std::logic_error);
  EXPECT_THROW(probabilities(indexed, std::vector<int>{5}), std::logic_error);
  EXPECT_THROW(probabilities(indexed, std::vector<int>{-1}), std::logic_error);
  Matrix wrong(3, 2);
  EXPECT_THROW(indexed.action_probabilities(std::vector<int>{0}, 0, wrong), std::logic_error);
}

TEST(ActionCounts, ComeFromTheModel) {
  const World world = make_world(std::make_shared<const TabularModel>(navigation_model()));
  EXPECT_EQ(ActionCounts(world).most(), 4);
  EXPECT_TRUE(ActionCounts(world).per_state().empty());  // all alike, but for where episodes end
}

}  // namespace
}  // namespace c2rl
