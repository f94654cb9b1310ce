#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include "c2rl/base/error.h"
#include "c2rl/environments/environment_kinds.h"
#include "c2rl/mdp/evaluate.h"
#include "c2rl/mdp/models_testing.h"
#include "c2rl/oracle/actor_critic.h"
#include "c2rl/oracle/actor_critic_oracle.h"
#include "c2rl/oracle/dynamic_programming.h"
#include "c2rl/oracle/one_hot_testing.h"

namespace c2rl {
namespace {

std::shared_ptr<const TabularModel> navigation() {
  static const auto model = std::make_shared<const TabularModel>(navigation_model());
  return model;
}

/// A state with one action, which costs 1 and ends the episode or leads back.
std::shared_ptr<const TabularModel> one_state(bool ends) {
  TabularModel model;
  model.states = 2;
  model.measurements = {"steps"};
  model.choice_begin = {0, 1, 1};
  model.transition_begin = {0, 1};
  model.next = {ends ? 1 : 0};
  model.probability = {1};
  model.measurement = Matrix::Ones(1, 1);
  model.start = Vector{{1, 0}};
  model.horizon = 10;
  validate(model);
  return std::make_shared<const TabularModel>(model);
}

const Network& network_of(const PolicyPtr& policy) {
  return dynamic_cast<const NetworkPolicy&>(*policy).network();
}

/// What the critic of a trained network expects from a state on: each measurement, and steps.
Eigen::VectorXf values_of(const PolicyPtr& policy, int state) {
  Network network(network_of(policy).shape(), 1);
  network.parameters() = network_of(policy).parameters();
  network.forward(std::vector<int>{state});
  return network.output(1).col(0);
}

TEST(A2c, FindsTheNavigationOptima) {
  DynamicProgramming exact(navigation());
  ActorCriticOracle oracle(make_world(navigation()));
  for (const Vector& direction :
       {Vector{{1, 0}}, Vector{{1, 1}}, Vector{{1, 3}}, Vector{{0.1, 1}}, Vector{{1, 2.5}}}) {
    const double least = direction.dot(exact.minimize(direction, Rng(0)).measurement);
    for (int seed = 0; seed < 4; ++seed) {
      const OracleAnswer answer = oracle.minimize(direction, Rng(seed));
      EXPECT_LE(direction.dot(answer.measurement), least + (least < 5 ? 0.1 : 0.02 * least))
          << direction.transpose() << ", seed " << seed;
      EXPECT_FALSE(answer.exact);
      EXPECT_EQ(answer.measurement, evaluate(*navigation(), *answer.policy).measurement);
    }
  }
}

// Where nothing tells policies apart, the one that comes to an end is preferred.
TEST(A2c, TiesGoToShortEpisodes) {
  ActorCriticOracle oracle(make_world(navigation()));
  int short_ones = 0;
  for (int seed = 0; seed < 10; ++seed) {
    const OracleAnswer answer = oracle.minimize(Vector{{0, 1}}, Rng(seed));
    EXPECT_EQ(answer.measurement[1], 0);
    if (answer.measurement[0] == 12) ++short_ones;
  }
  EXPECT_GE(short_ones, 9);
}

TEST(A2c, EveryKindOfReturnsLearns) {
  for (const Returns returns : {Returns::gae, Returns::n_step, Returns::monte_carlo}) {
    ActorCriticOracle oracle(make_world(navigation()), {.returns = returns});
    EXPECT_EQ(oracle.minimize(Vector{{1, 0}}, Rng(2)).measurement, (Vector{{8, 4}}))
        << returns_names().of(returns);
  }
}

TEST(A2c, SameSeedSameAnswerOnAnyNumberOfThreads) {
  ActorCriticOracle oracle(make_world(navigation()),
                           {.training_steps = 50'000, .execution = Execution::stochastic});
  const auto answer = [&](int threads) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    return oracle.minimize(Vector{{1, 1}}, Rng(5));
  };
  const OracleAnswer one = answer(1), two = answer(2);
  EXPECT_EQ(one.measurement, two.measurement);
  EXPECT_EQ(one.standard_error, two.standard_error);
  EXPECT_EQ(one.steps, two.steps);
  ASSERT_EQ(one.policy->arrays().size(), two.policy->arrays().size());
  for (size_t i = 0; i < one.policy->arrays().size(); ++i)
    EXPECT_EQ(one.policy->arrays()[i].bytes, two.policy->arrays()[i].bytes);
}

// An episode that is cut would have gone on; one that terminates has nothing ahead. Every step measures 1.
TEST(A2c, CutEpisodesAreValuedBeyondTheCutTerminatedOnesAreNot) {
  ActorCriticOptions options{.training_steps = 200'000, .training_discount = 0.9, .step_cost = 0};
  for (const Returns returns : {Returns::gae, Returns::n_step, Returns::monte_carlo}) {
    options.returns = returns;
    for (const bool ends : {false, true}) {
      const World world = make_world(one_state(ends));
      ActorCritic training(world, options, Vector{{1}}, options.training_steps, Rng(1));
      while (!training.done()) training.update();
      const Eigen::VectorXf values = values_of(training.policy(Execution::greedy), 0);
      for (const float value : values) {
        EXPECT_NEAR(value, ends ? 1 : 10, 0.3)
            << returns_names().of(returns) << (ends ? ", terminates" : ", is cut");
      }
    }
  }
}

// The network sees each state of a rollout once, with what all visits say summed up: the same as a network
// that sees every visit as a vector of its own.
TEST(A2c, SummingOverVisitsChangesNothing) {
  const World indexed = make_world(navigation()), shown = one_hot_world(navigation());
  const ActorCriticOptions options{.training_steps = 1'000'000};
  const auto with_parameters = [&](const World& world, const Eigen::VectorXf& parameters) {
    auto network = std::make_shared<Network>(ActorCritic::shape(world, options), 1);
    network->parameters() = parameters;
    return NetworkPolicy(network, "policy", Execution::stochastic, ActionCounts(world));
  };
  Network first(ActorCritic::shape(indexed, options), 1);
  first.initialize(Initialization::orthogonal, Rng(3), 0.5);
  const NetworkPolicy indexed_start = with_parameters(indexed, first.parameters());
  const NetworkPolicy shown_start = with_parameters(shown, first.parameters());
  ActorCritic a(indexed, options, Vector{{1, 1}}, options.training_steps, Rng(4), &indexed_start);
  ActorCritic b(shown, options, Vector{{1, 1}}, options.training_steps, Rng(4), &shown_start);
  for (int i = 0; i < 5; ++i) {
    a.update();
    b.update();
  }
  const Eigen::VectorXf after_a = network_of(a.policy(Execution::greedy)).parameters();
  const Eigen::VectorXf after_b = network_of(b.policy(Execution::greedy)).parameters();
  EXPECT_GT((after_a - first.parameters()).norm(), 0.1f);
  EXPECT_LT((after_a - after_b).norm(), 1e-3f * (after_a - first.parameters()).norm());
}

TEST(A2c, LearnsFromFeatures) {
  const World world =
      make_world(Config::parse("[environment]\nkind = \"cart-pole\"\n", "p.toml").section("environment"));
  ActorCriticOracle oracle(world, {.training_steps = 300'000});
  // Of 200 steps; at random it is 22. A single training may end anywhere from 140 on.
  constexpr int kSeeds = 4;
  double mean = 0;
  for (int seed = 0; seed < kSeeds; ++seed)
    mean += oracle.minimize(Vector{{-1, 0}}, Rng(seed)).measurement[0] / kSeeds;
  EXPECT_GE(mean, 160);
}

TEST(A2c, WarmStartGoesOnFromThePolicy) {
  const World world = make_world(navigation());
  const OracleAnswer first = ActorCriticOracle(world).minimize(Vector{{1, 0}}, Rng(1));
  ASSERT_EQ(first.measurement, (Vector{{8, 4}}));
  // One update with a vanishing learning rate: what comes out is what was started from.
  ActorCriticOptions still{.training_steps = 1, .learning_rate = 1e-12, .learning_rate_last = 0};
  const OracleCall call{.direction = Vector{{1, 0}}, .rng = Rng(2), .start = first.policy};
  EXPECT_NE(ActorCriticOracle(world, still).minimize(call).measurement, (Vector{{8, 4}}));
  still.warm_start = true;
  EXPECT_EQ(ActorCriticOracle(world, still).minimize(call).measurement, (Vector{{8, 4}}));
}

TEST(A2c, EarlyStopSavesSteps) {
  ActorCriticOracle oracle(make_world(navigation()), {.early_stop = true});
  OracleCall call{.direction = Vector{{1, 0}}, .rng = Rng(1)};
  const std::int64_t all = oracle.minimize(call).steps.all();
  call.enough = 8;
  const OracleAnswer early = oracle.minimize(call);
  EXPECT_LE(early.measurement[0], 8);
  EXPECT_LT(early.steps.all(), 0.8 * static_cast<double>(all));
}

TEST(A2c, MoreEffortIsMoreTraining) {
  ActorCriticOracle oracle(make_world(navigation()), {.evaluation = {.evaluation = PolicyEvaluation::exact}});
  const auto steps = [&](double effort) {
    return oracle.minimize(Vector{{1, 0}}, Rng(1), effort).steps.all();
  };
  EXPECT_NEAR(static_cast<double>(steps(2)) / static_cast<double>(steps(1)), 2, 0.05);
}

TEST(A2c, StopsWhenAskedTo) {
  const ActorCriticOracle oracle(make_world(navigation()));
  const auto until = [](double last) {
    return OracleCall{
        .direction = Vector{{1, 0}}, .rng = Rng(1), .watcher = [=](double part) { return part < last; }};
  };
  EXPECT_THROW(oracle.minimize(until(0.3)), OracleInterrupted);
  EXPECT_THROW(oracle.minimize(until(1)), OracleInterrupted);  // while the answer is evaluated
  EXPECT_NO_THROW(oracle.minimize(until(1.1)));
}

TEST(A2c, BadOptionsAreRefused) {
  const World world = make_world(navigation());
  EXPECT_THROW(ActorCriticOracle(world, {.hidden = {0}}), InputError);
  EXPECT_THROW(ActorCriticOracle(world, {.training_steps = 0}), InputError);
  EXPECT_THROW(ActorCriticOracle(world, {.environments = 0}), InputError);
  EXPECT_THROW(ActorCriticOracle(world, {.gae_lambda = 2}), InputError);
  EXPECT_THROW(ActorCriticOracle(world, {.entropy_first = -1}), InputError);
  EXPECT_THROW(ActorCriticOracle(world, {.checks = 0}), InputError);
  EXPECT_THROW(returns_names().parse("gea"), InputError);
  EXPECT_THROW(
      ActorCriticOracle(one_hot_world(navigation()), {.evaluation = {.evaluation = PolicyEvaluation::exact}}),
      InputError);
  TabularModel endless = *navigation();
  endless.horizon = 0;
  EXPECT_THROW(ActorCriticOracle(make_world(endless), {.returns = Returns::monte_carlo}), InputError);
  World steered = one_hot_world(navigation());
  steered.controls = 2;
  EXPECT_THROW(ActorCriticOracle{steered}, InputError);
}

}  // namespace
}  // namespace c2rl
