#include "c2rl/oracle/dynamic_programming.h"

#include <limits>

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include "c2rl/base/error.h"
#include "c2rl/mdp/evaluate.h"
#include "c2rl/mdp/models_testing.h"
#include "c2rl/mdp/tabular_policy.h"

namespace c2rl {
namespace {

OracleAnswer solve(const TabularModel& model, const Vector& direction, Ties ties = Ties::shortest,
                   int seed = 0) {
  return DynamicProgramming(std::make_shared<TabularModel>(model), {.ties = ties})
      .minimize(direction, Rng(seed));
}

TEST(DynamicProgramming, NavigationOptima) {
  const TabularModel model = navigation_model();
  const auto expect = [&](const Vector& direction, const Vector& point, Ties ties = Ties::shortest) {
    const OracleAnswer answer = solve(model, direction, ties);
    EXPECT_LE((answer.measurement - point).norm(), 1e-12) << answer.measurement.transpose();
    EXPECT_TRUE(answer.exact);
    EXPECT_EQ(answer.standard_error, Vector::Zero(2));
    EXPECT_EQ(answer.steps.all(), 0);
    EXPECT_LE(answer.slack, 2e-12 * (1 + point.norm()));
    EXPECT_EQ(evaluate(model, *answer.policy).measurement, answer.measurement);
    EXPECT_TRUE(answer.policy->is_stationary());
  };
  expect(Vector{{1, 0}}, Vector{{8, 4}});
  expect(Vector{{1, 1.5}}, Vector{{10, 1}});
  expect(Vector{{1, 2.5}}, Vector{{12, 0}});
  expect(Vector{{0.1, 1}}, Vector{{12, 0}});
  expect(Vector{{1e9, 1.5e9}}, Vector{{10, 1}});
  expect(Vector{{0, 1}}, Vector{{12, 0}});
  expect(Vector{{0, 1}}, Vector{{500, 0}}, Ties::longest);
  expect(Vector{{-1, 0}}, Vector{{500, 0}}, Ties::longest);
  expect(Vector{{0, 0}}, Vector{{8, 4}});
  EXPECT_EQ(solve(model, Vector{{0, 0}}, Ties::longest).measurement[0], 500);
  EXPECT_EQ(solve(model, Vector{{-1, -1}}).measurement, (Vector{{500, 499}}));
}

TEST(DynamicProgramming, TieRulesAgreeOnTheValue) {
  const TabularModel model = navigation_model();
  for (const Ties ties : {Ties::shortest, Ties::longest, Ties::first, Ties::random}) {
    const OracleAnswer answer = solve(model, Vector{{1, 2}}, ties);  // (10, 1) and (12, 0) both cost 12
    EXPECT_NEAR(answer.measurement.dot(Vector{{1, 2}}), 12, 1e-12);
    EXPECT_EQ(ties_names().parse(ties_names().of(ties)), ties);
  }
  EXPECT_EQ(solve(model, Vector{{1, 2}}, Ties::shortest).measurement, (Vector{{10, 1}}));
  EXPECT_EQ(solve(model, Vector{{1, 2}}, Ties::longest).measurement, (Vector{{12, 0}}));
  EXPECT_THROW(ties_names().parse("shortst"), InputError);
}

TEST(DynamicProgramming, RandomTiesDependOnTheStream) {
  const TabularModel model = navigation_model();
  std::vector<Vector> found;
  for (int seed = 0; seed < 20; ++seed) {
    const OracleAnswer answer = solve(model, Vector{{1, 2}}, Ties::random, seed);
    EXPECT_EQ(answer.measurement, solve(model, Vector{{1, 2}}, Ties::random, seed).measurement);
    found.push_back(answer.measurement);
  }
  EXPECT_EQ(std::count(found.begin(), found.end(), Vector{{10, 1}}) +
                std::count(found.begin(), found.end(), Vector{{12, 0}}),
            20);
  EXPECT_GT(std::count(found.begin(), found.end(), Vector{{10, 1}}), 0);
  EXPECT_GT(std::count(found.begin(), found.end(), Vector{{12, 0}}), 0);
}

// What an oracle remembers of its answers saves it work, and is in no bit of a later one; what planning goes on from is in the
// file of the policy.
TEST(DynamicProgramming, RemembersNothingThatMatters) {
  for (const double discount : {0.9, 0.999}) {
    const auto model = std::make_shared<TabularModel>(garnet_model(
        {.states = 300, .branching = 8, .end_probability = 0, .discount = discount, .terminal = false},
        Rng(3)));
    const DynamicProgramming asked(model);
    OracleCall call{.direction = Vector{{1, 0.2}}, .rng = Rng(0)}, resumed = call;
    for (int i = 0; i < 6; ++i) {
      const OracleAnswer answer = asked.minimize(call), anew = DynamicProgramming(model).minimize(resumed);
      EXPECT_EQ(answer.measurement, anew.measurement);
      EXPECT_EQ(answer.slack, anew.slack);
      const auto& policy = dynamic_cast<const TabularPolicy&>(*answer.policy);
      EXPECT_EQ(policy.values().rows(), model->dim());
      const auto found = policy.arrays(), again = anew.policy->arrays();
      ASSERT_EQ(found.size(), again.size());
      for (std::size_t j = 0; j < found.size(); ++j) EXPECT_EQ(found[j].bytes, again[j].bytes);
      call.direction = resumed.direction = Vector{{1 - 0.3 * i, 0.3}};
      call.start = answer.policy;
      resumed.start = TabularPolicy::from_arrays(again);
    }
  }
}

// J from a state is J from where episodes start and what the policy's values say.
TEST(DynamicProgramming, SaysWhatItsPolicyMeasuresFromEveryState) {
  auto model = garnet_model(
      {.states = 100, .branching = 5, .end_probability = 0, .discount = 0.9, .terminal = false}, Rng(4));
  const OracleAnswer answer = solve(model, Vector{{1, -0.5}});
  const auto& policy = dynamic_cast<const TabularPolicy&>(*answer.policy);
  ASSERT_EQ(policy.values().cols(), model.states);
  for (int s = 0; s < model.states; ++s) {
    model.start = Vector::Unit(model.states, s);
    const Vector from_there = evaluate(model, policy).measurement;
    EXPECT_LE((answer.measurement + policy.values().col(s).cast<double>() - from_there).norm(), 1e-5) << s;
  }
}

// Whatever the values of the policy that a call begins with: they come from a file, and nothing that is claimed rests on them.
TEST(DynamicProgramming, IsNotMisledByWhatItBeginsWith) {
  constexpr int kStates = 200;
  for (const double discount : {0.9, 0.999}) {
    const auto model = std::make_shared<TabularModel>(garnet_model(
        {.states = kStates, .branching = 8, .end_probability = 0, .discount = discount, .terminal = false},
        Rng(5)));
    const DynamicProgramming oracle(model);
    const Vector direction{{1, -0.4}};
    const OracleAnswer known = oracle.minimize(direction, Rng(0));
    const double best = direction.dot(known.measurement), unit = std::abs(best) + 1;
    EXPECT_LE(known.slack, 1e-9 * unit);
    Rng draws = Rng(6);
    const std::vector<std::int32_t> actions(kStates, 0);
    for (const float size : {0.0F, 1.0F, 1e4F, 1e15F, 1e30F, std::numeric_limits<float>::max()}) {
      Eigen::MatrixXf values(model->dim(), kStates);
      for (float& value : values.reshaped()) value = size * static_cast<float>(2 * draws.uniform() - 1);
      OracleCall call{.direction = direction, .rng = Rng(0)};
      call.start = TabularPolicy::deterministic(actions, {}, values);
      const OracleAnswer answer = oracle.minimize(call);
      EXPECT_LE(answer.slack, 1e-9 * unit) << size;
      EXPECT_NEAR(direction.dot(answer.measurement), best, 1e-9 * unit) << size;
      EXPECT_LE((evaluate(*model, *answer.policy).measurement - answer.measurement).norm(), 1e-9 * unit)
          << size;
    }
  }
}

TEST(DynamicProgramming, ChangesOverTimeWhereThatIsBetter) {
  // State 0 may invest 1 and is paid 3 a step later, or idle. With an odd horizon the last investment never
  // pays.
  TabularModel model;
  model.measurements = {"cost"};
  add_state(model, {{{1, 1.0, Vector{{1.0}}}}, {{0, 1.0, Vector{{0.0}}}}});
  add_state(model, {{{0, 1.0, Vector{{-3.0}}}}});
  model.start = Vector::Unit(2, 0);
  model.horizon = 101;
  validate(model);
  const OracleAnswer answer = solve(model, Vector{{1.0}});
  EXPECT_EQ(answer.measurement[0], -100);
  const auto& policy = dynamic_cast<const TabularPolicy&>(*answer.policy);
  EXPECT_FALSE(policy.is_stationary());
  EXPECT_EQ(policy.action(0, 100), 1);
  EXPECT_LE(answer.slack, 1e-10);
}

TEST(DynamicProgramming, StationaryWhereThatIsAsGood) {
  // Working costs 1 and finishes with probability 0.1; stopping costs 3. With k steps to go working costs
  // 1 + 0.9 V(k - 1): 1, 1.9, 2.71, 3.439 > 3. Whoever stops at once never sees the last three steps.
  TabularModel model;
  model.measurements = {"cost"};
  add_state(model, {{{0, 0.9, Vector{{1.0}}}, {1, 0.1, Vector{{1.0}}}}, {{1, 1.0, Vector{{3.0}}}}});
  add_state(model, {});
  model.start = Vector::Unit(2, 0);
  model.horizon = 20;
  validate(model);
  const OracleAnswer answer = solve(model, Vector{{1.0}});
  EXPECT_EQ(answer.measurement[0], 3);
  EXPECT_TRUE(answer.policy->is_stationary());
  model.horizon = 3;
  EXPECT_NEAR(solve(model, Vector{{1.0}}).measurement[0], 2.71, 1e-15);
}

/// The smallest direction.J over all deterministic policies, stationary or (with a horizon) not, one by one.
double brute_force(const TabularModel& model, const Vector& direction) {
  const int steps = std::max(model.horizon, 1);
  std::vector<std::int32_t> actions(static_cast<size_t>(model.states) * steps, 0);
  double least = kInfinity;
  for (;;) {
    PolicyRuns runs;
    if (model.horizon > 0) {
      for (int s = 0; s <= model.states; ++s) runs.begin.push_back(s * steps);
      for (int i = 0; i < model.states * steps; ++i) runs.first_step.push_back(i % steps);
    }
    least = std::min(
        least, direction.dot(evaluate(model, *TabularPolicy::deterministic(actions, runs)).measurement));
    int i = 0;
    while (i < std::ssize(actions) && ++actions[i] >= std::max(1, model.actions(i / steps))) actions[i++] = 0;
    if (i == std::ssize(actions)) return least;
  }
}

TEST(DynamicProgramming, MatchesBruteForceOnTinyModels) {
  for (int seed = 0; seed < 60; ++seed) {
    Rng rng(seed);
    GarnetOptions options{.states = seed % 3 == 0 ? 4 : 6, .actions = seed % 3 == 0 ? 2 : 3};
    options.horizon = seed % 3 == 0 ? 3 : 0;
    options.discount = seed % 3 == 1 ? 0.9 : 1.0;
    options.end_probability = seed % 3 == 2 ? 0.05 : 0.0;
    const TabularModel model = garnet_model(options, rng.fork("model"));
    validate(model);
    const Vector direction = rng.normal_vector(2).normalized();
    const OracleAnswer answer = solve(model, direction);
    const double expected = brute_force(model, direction);
    const double scale = 1 + std::abs(expected);
    EXPECT_NEAR(direction.dot(answer.measurement), expected, 1e-12 * scale) << seed;
    EXPECT_LE(direction.dot(answer.measurement) - answer.slack, expected + 1e-15 * scale) << seed;
    EXPECT_LE(answer.slack, 1e-10 * scale) << seed;
  }
}

TEST(DynamicProgramming, SecondObjectiveIsOptimalAmongTheOptima) {
  // Along the zero direction every policy is optimal, so the tie rule optimises the steps alone: compare with
  // the direction that measures steps.
  for (int seed = 0; seed < 30; ++seed) {
    TabularModel model = garnet_model({.states = 15, .horizon = seed % 2 ? 12 : 0}, Rng(seed));
    model.measurement.row(1).setOnes();
    validate(model);
    const double fewest = solve(model, Vector{{0, 1}}, Ties::first).measurement[1];
    const double most = solve(model, Vector{{0, -1}}, Ties::first).measurement[1];
    EXPECT_NEAR(solve(model, Vector::Zero(2), Ties::shortest).measurement[1], fewest, 1e-12 * most);
    EXPECT_NEAR(solve(model, Vector::Zero(2), Ties::longest).measurement[1], most, 1e-12 * most);
  }
}

TEST(DynamicProgramming, SlackGrowsOnlyAsRoundingDoes) {
  // Endless and nearly undiscounted: far too many sweeps for value iteration. What can be proven in double
  // precision is rounding, some tens of epsilons, times the length 1 / (1 - discount) of an episode.
  for (const double discount : {0.9, 0.999, 1 - 1e-6}) {
    const TabularModel model =
        garnet_model({.states = 40, .end_probability = 0, .discount = discount}, Rng(5));
    validate(model);
    const OracleAnswer answer = solve(model, Vector{{1, 1}});
    EXPECT_LE(answer.slack, 100 * kEpsilon / (1 - discount) * answer.measurement.norm()) << discount;
  }
}

TEST(DynamicProgramming, SameAnswerOnAnyNumberOfThreads) {
  for (const int horizon : {0, 60}) {
    const TabularModel model = garnet_model(
        {.states = 20'000, .end_probability = 0.01, .discount = 0.95, .horizon = horizon}, Rng(6));
    std::vector<OracleAnswer> answers;
    for (const int threads : {1, 2, 5}) {
      tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads);
      answers.push_back(solve(model, Vector{{1, -2}}));
    }
    for (const OracleAnswer& answer : answers) {
      EXPECT_EQ(answer.measurement, answers[0].measurement);
      EXPECT_EQ(answer.slack, answers[0].slack);
      EXPECT_EQ(answer.policy->arrays()[0].bytes, answers[0].policy->arrays()[0].bytes);
    }
  }
}

TEST(Oracle, ChecksItsArguments) {
  DynamicProgramming oracle(std::make_shared<TabularModel>(navigation_model()));
  EXPECT_THROW(oracle.minimize(Vector::Zero(3), Rng(0)), InputError);
  EXPECT_THROW(oracle.minimize(Vector{{1, kInfinity}}, Rng(0)), InputError);
  EXPECT_THROW(oracle.minimize(Vector{{1, 0}}, Rng(0), 0), InputError);
}

}  // namespace
}  // namespace c2rl
