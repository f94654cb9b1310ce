// What it cannot learn from.
#include <cstdio>
#include <filesystem>

#include <gtest/gtest.h>

#include "c2rl/base/error.h"
#include "c2rl/mdp/models_testing.h"
#include "c2rl/oracle/ddqn_testing.h"
#include "c2rl/oracle/ddqn_training.h"
#include "c2rl/oracle/oracle_kinds.h"

namespace c2rl {
namespace {

TEST(Ddqn, DatasetMustBeOfTheWorld) {
  const std::string path = testing::TempDir() + "c2rl_ddqn_test.safetensors";
  const auto model = std::make_shared<TabularModel>(navigation_model());
  const World world = make_world(model);
  const Dataset good = *exploration(*model, 10);
  const auto make = [&](const Dataset& dataset, const World& in) {
    write_dataset(path, dataset);
    const Config file =
        Config::parse("[oracle]\nkind = 'ddqn'\ndataset = '" + path + "'\nupdates = 5\n", "problem.toml");
    const Config section = file.section("oracle");
    const auto oracle = make_oracle(oracle_kinds().named_in(section), section, in);
    file.reject_unknown_keys();
    return oracle->minimize(Vector{{1, 0}}, Rng(1));
  };
  EXPECT_EQ(make(good, world).policy->kind(), "network");

  const auto complaint = [&](void (*change)(Dataset&)) -> std::string {
    Dataset changed = good;
    change(changed);
    try {
      make(changed, world);
    } catch (const InputError& error) {
      const std::string message = error.what();
      EXPECT_TRUE(message.starts_with(path + ": ")) << message;
      return message.substr(std::min(message.size(), path.size() + 2));
    }
    return "none";
  };
  EXPECT_EQ(complaint([](Dataset& d) { d.states = 60; }),
            "states: found 60, expected 54 as the environment has");
  EXPECT_EQ(complaint([](Dataset& d) { d.actions = 5; }),
            "actions: found 5, expected 4 as the environment has");
  EXPECT_EQ(complaint([](Dataset& d) {
              d.measurements = {"steps", "danger"};
            }),
            "measurements: found steps, danger, expected steps, risk as the environment has");
  EXPECT_EQ(complaint([](Dataset& d) { d.discount = 0.9; }),
            "discount: found 0.9, expected 1 as the environment has");
  EXPECT_EQ(complaint([](Dataset& d) { d.horizon = 0; }),
            "horizon: found 0, expected 500 as the environment has");
  std::filesystem::remove(path);
}

TEST(Ddqn, ActionsMustExist) {
  const TabularModel model = garnet_model({.states = 8}, Rng(1));
  Dataset dataset = *exploration(model, 100);
  const ActionCounts counts(make_world(model));
  ASSERT_EQ(counts.of(dataset.state[0]), 2);
  dataset.action[0] = 2;
  try {
    const RecordedActions recorded(dataset, counts);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "action: transition 0: found 2 in state 0, expected 0 to 1");
  }
  EXPECT_THROW(RecordedActions(dataset, ActionCounts(4)), InputError);
}

TEST(Ddqn, NamesTheOptionThatIsWrong) {
  const TabularModel model = garnet_model({.states = 8}, Rng(1));
  const auto dataset = exploration(model, 10);
  try {
    oracle_for(model, dataset, {.target_period = 0});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "target_period: found 0, expected a whole number from 1 to 1000000");
  }
  for (const DdqnOptions& bad :
       {DdqnOptions{.hidden = {0}}, DdqnOptions{.updates = 0}, DdqnOptions{.batch = 0},
        DdqnOptions{.learning_rate = 0}, DdqnOptions{.learning_rate_last = -1}, DdqnOptions{.momentum = 1},
        DdqnOptions{.training_discount = 1.1}, DdqnOptions{.step_cost = -1}, DdqnOptions{.huber_limit = 0},
        DdqnOptions{.judging_part = 1}}) {
    EXPECT_THROW(oracle_for(model, dataset, bad), InputError);
  }
}

}  // namespace
}  // namespace c2rl
