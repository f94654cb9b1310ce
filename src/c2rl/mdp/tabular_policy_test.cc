#include "c2rl/mdp/tabular_policy.h"

#include <limits>

#include <gtest/gtest.h>

#include "c2rl/base/error.h"
#include "c2rl/mdp/mixed_policy.h"

namespace c2rl {
namespace {

Vector probabilities(const Policy& policy, int state, int step, int actions) {
  Matrix out = Matrix::Constant(actions, 1, -1.0);
  policy.action_probabilities(std::vector<int>{state}, step, out);
  return out;
}

TEST(TabularPolicy, StationaryTakesOneActionPerState) {
  const auto policy = TabularPolicy::deterministic(std::vector<std::int32_t>{1, 0, 2});
  EXPECT_TRUE(policy->is_stationary());
  EXPECT_EQ(policy->states(), 3);
  EXPECT_EQ(policy->action(2, 99), 2);
  EXPECT_EQ(probabilities(*policy, 0, 5, 3), Vector::Unit(3, 1));
}

TEST(TabularPolicy, RunsChangeAtTheirFirstStep) {
  // State 0: action 3 always. State 1: action 0, from step 4 on action 1, from step 9 on action 2.
  const auto policy =
      TabularPolicy::deterministic(std::vector<std::int32_t>{3, 0, 1, 2}, {{0, 1, 4}, {0, 0, 4, 9}});
  EXPECT_FALSE(policy->is_stationary());
  EXPECT_EQ(policy->states(), 2);
  EXPECT_EQ(policy->action(0, 1000), 3);
  const int steps[] = {0, 3, 4, 8, 9, 500}, actions[] = {0, 0, 1, 1, 2, 2};
  for (int i = 0; i < 6; ++i) EXPECT_EQ(policy->action(1, steps[i]), actions[i]) << steps[i];
}

TEST(TabularPolicy, RandomisedRowsMayDifferInLengthAndTime) {
  const auto policy = TabularPolicy::randomized({0, 2, 2, 5, 8}, {0.25, 0.75, 1, 0, 0, 0.5, 0.25, 0.25},
                                                {{0, 1, 2, 4}, {0, 0, 0, 2}});
  EXPECT_EQ(probabilities(*policy, 0, 7, 3), (Vector{{0.25, 0.75, 0}}));
  EXPECT_EQ(probabilities(*policy, 2, 1, 3), (Vector{{1, 0, 0}}));
  EXPECT_EQ(probabilities(*policy, 2, 2, 3), (Vector{{0.5, 0.25, 0.25}}));
}

TEST(TabularPolicy, ArraysRoundTripAndActionsAreNarrow) {
  const std::shared_ptr<const TabularPolicy> policies[] = {
      TabularPolicy::deterministic(std::vector<std::int32_t>{1, 0, 255}),
      TabularPolicy::deterministic(std::vector<std::int32_t>{1, 0, 256}),
      TabularPolicy::deterministic(std::vector<std::int32_t>{3, 0, 1}, {{0, 1, 3}, {0, 0, 4}}),
      TabularPolicy::randomized({0, 2, 3}, {0.5, 0.5, 1})};
  const char* first_types[] = {"U8", "I32", "I32", "I32"};
  for (int i = 0; i < 4; ++i) {
    const auto arrays = policies[i]->arrays();
    EXPECT_EQ(arrays[0].type, first_types[i]);
    const auto copy = TabularPolicy::from_arrays(arrays);
    EXPECT_EQ(copy->is_stationary(), policies[i]->is_stationary());
    ASSERT_EQ(copy->states(), policies[i]->states());
    for (int s = 0; s < copy->states(); ++s) {
      for (int step = 0; step < 6; ++step) {
        EXPECT_EQ(probabilities(*copy, s, step, 300), probabilities(*policies[i], s, step, 300));
      }
    }
  }
}

TEST(TabularPolicy, KeepsWhatLiesAheadOfStates) {
  Eigen::MatrixXf values(2, 3);
  values << 1, -2, 0, 1e-30F, 3, 1e30F;
  const auto policy = TabularPolicy::deterministic(std::vector<std::int32_t>{1, 0, 2}, {}, values);
  auto arrays = policy->arrays();
  ASSERT_EQ(arrays.size(), 2U);
  EXPECT_EQ(arrays[1].shape, (std::vector<std::int64_t>{3, 2}));
  EXPECT_EQ(TabularPolicy::from_arrays(arrays)->values(), values);
  for (const std::vector<std::int64_t>& shape :
       {std::vector<std::int64_t>{6}, {2, 3}, {3, 3}, {3, 0}, {-3, -2}, {1LL << 40, 2}}) {
    arrays[1].shape = shape;
    EXPECT_THROW(TabularPolicy::from_arrays(arrays), InputError);
  }
  arrays[1].shape = {3, 2};
  arrays[1].bytes.pop_back();
  EXPECT_THROW(TabularPolicy::from_arrays(arrays), InputError);
  values(0, 0) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(TabularPolicy::deterministic(std::vector<std::int32_t>{1, 0, 2}, {}, values), InputError);
  const std::vector<Tensor> randomized = TabularPolicy::randomized({0, 2, 3, 4}, {0.5, 0.5, 1, 1})->arrays();
  EXPECT_THROW(
      TabularPolicy::from_arrays(std::vector<Tensor>{randomized[0], randomized[1], policy->arrays()[1]}),
      InputError);
}

TEST(TabularPolicy, RefusesWhatIsNoPolicy) {
  EXPECT_THROW(TabularPolicy::deterministic({}), InputError);
  EXPECT_THROW(TabularPolicy::deterministic(std::vector<std::int32_t>{0, -1}), InputError);
  EXPECT_THROW(TabularPolicy::deterministic(std::vector<std::int32_t>{0, 1}, {{0, 2}, {0, 0}}), InputError);
  EXPECT_THROW(TabularPolicy::deterministic(std::vector<std::int32_t>{0, 1}, {{0, 2}, {1, 2}}), InputError);
  EXPECT_THROW(TabularPolicy::deterministic(std::vector<std::int32_t>{0, 1}, {{0, 3}, {0, 2}}), InputError);
  EXPECT_THROW(TabularPolicy::randomized({0, 2}, {0.5, 0.6}), InputError);
  EXPECT_THROW(TabularPolicy::randomized({0, 2}, {1.5, -0.5}), InputError);
  EXPECT_THROW(TabularPolicy::randomized({0, 3}, {0.5, 0.5}), InputError);
  auto arrays = TabularPolicy::deterministic(std::vector<std::int32_t>{1, 0})->arrays();
  arrays[0].bytes.pop_back();
  EXPECT_THROW(TabularPolicy::from_arrays(arrays), InputError);
  arrays[0].name = "weights";
  EXPECT_THROW(TabularPolicy::from_arrays(arrays), InputError);
}

TEST(TabularPolicy, RefusesQuestionsThatDoNotFit) {
  const auto policy = TabularPolicy::randomized({0, 2, 3}, {0.5, 0.5, 1});
  Matrix one(2, 1), low(1, 1);
  EXPECT_THROW(policy->action_probabilities(std::vector<int>{0, 1}, 0, one), std::logic_error);
  EXPECT_THROW(policy->action_probabilities(std::vector<int>{2}, 0, one), std::logic_error);
  EXPECT_THROW(policy->action_probabilities(std::vector<int>{-1}, 0, one), std::logic_error);
  EXPECT_THROW(policy->action_probabilities(std::vector<int>{0}, 0, low), std::logic_error);
  EXPECT_THROW(policy->action_probabilities(Eigen::MatrixXf(2, 1), 0, one), std::logic_error);
}

TEST(MixedPolicy, DrawsInProportionToTheWeights) {
  const PolicyPtr policy = TabularPolicy::deterministic(std::vector<std::int32_t>{0});
  const MixedPolicy mixed(Vector{{0.2, 0.0, 0.8}}, {policy, policy, policy});
  Rng rng(1);
  int count[3] = {};
  for (int i = 0; i < 10000; ++i) ++count[mixed.draw(rng)];
  EXPECT_EQ(count[1], 0);
  EXPECT_NEAR(count[0], 2000, 5 * 40);  // the standard deviation is 40
}

TEST(MixedPolicy, ChecksItsParts) {
  const PolicyPtr policy = TabularPolicy::deterministic(std::vector<std::int32_t>{0});
  EXPECT_THROW(MixedPolicy(Vector{}, {}), InputError);
  EXPECT_THROW(MixedPolicy(Vector{{1.0}}, {nullptr}), InputError);
  EXPECT_THROW(MixedPolicy(Vector{{0.5, 0.5}}, {policy}), InputError);
  EXPECT_THROW(MixedPolicy(Vector{{1.5, -0.5}}, {policy, policy}), InputError);
  EXPECT_THROW(MixedPolicy(Vector{{0.5, 0.4}}, {policy, policy}), InputError);
}

TEST(TabularPolicy, IsDeterministicWhereNothingIsDrawn) {
  EXPECT_TRUE(TabularPolicy::deterministic(std::vector<std::int32_t>{0, 3})->is_deterministic());
  EXPECT_TRUE(TabularPolicy::randomized({0, 2, 2, 3}, {0, 1, 1})->is_deterministic());
  EXPECT_FALSE(TabularPolicy::randomized({0, 2, 3}, {0.5, 0.5, 1})->is_deterministic());
}

}  // namespace
}  // namespace c2rl
