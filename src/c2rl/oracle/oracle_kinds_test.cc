#include "c2rl/oracle/oracle_kinds.h"

#include <gtest/gtest.h>

#include "c2rl/base/error.h"
#include "c2rl/mdp/evaluate.h"
#include "c2rl/mdp/models_testing.h"
#include "c2rl/mdp/tabular_policy.h"
#include "c2rl/oracle/collect.h"
#include "c2rl/oracle/dynamic_programming.h"
#include "c2rl/oracle/one_hot_testing.h"

namespace c2rl {
namespace {

World navigation() {
  return make_world(std::make_shared<const TabularModel>(navigation_model()));
}
World shown() {
  return one_hot_world(std::make_shared<const TabularModel>(navigation_model()));
}

std::unique_ptr<Oracle> make(const std::string& options, const World& world) {
  const Config file = Config::parse("[oracle]\n" + options, "problem.toml");
  const Config section = file.section("oracle");
  auto oracle = make_oracle(oracle_kinds().named_in(section, oracle_kinds().standard().name), section, world);
  file.reject_unknown_keys();
  return oracle;
}

std::string complaint(const std::string& options, const World& world) {
  try {
    make(options, world);
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

TEST(OracleKinds, TheExactOneIsStandard) {
  EXPECT_TRUE(oracle_kinds().standard().exact);
  EXPECT_TRUE(make("", navigation())->minimize(Vector{{1, 0}}, Rng(1)).exact);
  EXPECT_THROW(make("kind = 'a3c'\n", navigation()), InputError);
}

TEST(OracleKinds, SuggestWhatSuitsTheWorld) {
  EXPECT_EQ(
      complaint("kind = 'dynamic-programming'\n", shown()),
      "problem.toml:2: oracle.kind: needs an environment with finitely many states; this one can only be "
      "acted in, for which there is a2c or ppo or dqn");
  for (const std::string kind : {"q-learning", "ddqn"}) {
    EXPECT_EQ(
        complaint("kind = '" + kind + "'\n", shown()),
        "problem.toml:2: oracle.kind: needs an environment with numbered states; this one shows features, "
        "for which there is a2c or ppo or dqn");
  }
  EXPECT_EQ(complaint("kind = 'a2c'\n", shown()), "none");
  EXPECT_EQ(
      complaint("kind = 'sac'\n", shown()),
      "problem.toml:2: oracle.kind: needs an environment whose actions are real numbers; those of this one "
      "are numbered, for which there is a2c or ppo or dqn");
  World steered = shown();
  steered.controls = 2;
  for (const OracleKind* kind : oracle_kinds().all()) {
    if (kind->brings_world || kind->needs_parts) continue;
    EXPECT_EQ(
        complaint("kind = '" + kind->name + "'\n", steered),
        kind->needs_numbered_actions
            ? "problem.toml:2: oracle.kind: needs an environment with numbered actions; those of this one "
              "are real numbers, for which there is ppo or sac"
            : "none")
        << kind->name;
  }
}

TEST(OracleKinds, OneIsForModelsInParts) {
  EXPECT_EQ(
      complaint("kind = 'partitioned-planning'\n", shown()),
      "problem.toml:2: oracle.kind: needs a model in parts, environment.partitioned = true; this one is "
      "none, for which there is a2c or ppo or dqn");
  World parts = shown();
  parts.part = [](int, int) { return ModelPart(); };
  EXPECT_EQ(
      complaint("kind = 'dynamic-programming'\n", parts),
      "problem.toml:2: oracle.kind: cannot use a model in parts, for which there is partitioned-planning");
}

TEST(OracleKinds, OptionsThatTheWorldIsNotMadeForAreRefusedWhereTheyStand) {
  EXPECT_EQ(complaint("kind = 'a2c'\nevaluation = 'exact'\n", shown()),
            "problem.toml:3: oracle.evaluation: this environment has no model to compute from; expected "
            "monte-carlo");
  TabularModel endless = navigation_model();
  endless.horizon = 0;
  EXPECT_EQ(complaint("kind = 'a2c'\nreturns = 'monte-carlo'\n", make_world(endless)),
            "problem.toml:3: oracle.returns: found monte-carlo, but episodes have no end to wait for: the "
            "environment has neither horizon nor discount");
  EXPECT_EQ(complaint("kind = 'ddqn'\n", navigation()),
            "problem.toml:1: oracle.dataset: missing; expected the path of a dataset, which c2rl collect "
            "writes");
}

// Keys that mean nothing with the other values are unknown.
TEST(OracleKinds, OptionsGoWithOthers) {
  EXPECT_EQ(complaint("kind = 'a2c'\nreturns = 'n-step'\nrollout_steps = 8\n", navigation()), "none");
  EXPECT_THROW(make("kind = 'a2c'\nreturns = 'n-step'\ngae_lambda = 0.5\n", navigation()), InputError);
  EXPECT_THROW(make("kind = 'a2c'\nreturns = 'monte-carlo'\nrollout_steps = 8\n", navigation()), InputError);
}

TEST(OracleKinds, DefaultsFollowTheWorldAndOtherOptions) {
  const auto resolved = [](const std::string& kind, const std::string& options) {
    const Config file = Config::parse("[oracle]\n" + options, "problem.toml");
    make_oracle(oracle_kinds().find(kind), file.section("oracle"), navigation());
    return file.resolved();
  };
  const auto expect_line = [](const std::string& text, const std::string& line) {
    EXPECT_NE(("\n" + text + "\n").find("\n" + line + "\n"), std::string::npos) << text;
  };
  expect_line(resolved("a2c", "learning_rate = 0.5\n"), "learning_rate_last = 0.001");
  expect_line(resolved("a2c", "learning_rate = 0.0005\n"), "learning_rate_last = 0.0005");
  expect_line(resolved("q-learning", ""), "training_steps = 848000");  // of 53 * 4 choices
  expect_line(resolved("q-learning", "training_steps = 5\n"), "training_steps = 5");
}

TEST(OracleKinds, CollectWithTheAgentOfTheOracle) {
  EXPECT_EQ(agent_of(*make("kind = 'a2c'\nenvironments = 7\n", navigation())).environments, 7);
  EXPECT_EQ(agent_of(*make("", navigation())).environments, ActorCriticOptions{}.environments);
}

TEST(OracleKinds, TraitsInWords) {
  EXPECT_EQ(trait_words(oracle_kinds().standard()),
            (std::vector<std::string>{"its certificates are proofs", "needs a model"}));
  for (const OracleKind* kind : oracle_kinds().all()) EXPECT_FALSE(kind->summary.empty()) << kind->name;
}

/// Takes one action everywhere, whatever is asked for.
class Stubborn final : public Oracle {
 public:
  struct Options {
    int action = 0;
    void visit(OptionVisitor& visitor) {
      visitor.integer("action", action, at_least(0), "the one that is always taken");
    }
  };
  Stubborn(std::shared_ptr<const TabularModel> model, const Options& options)
      : model_(std::move(model)), options_(options) {}
  int dim() const override { return model_->dim(); }

 private:
  OracleAnswer answer(const OracleCall&) const override {
    OracleAnswer found;
    found.policy = TabularPolicy::deterministic(std::vector<std::int32_t>(model_->states, options_.action));
    found.measurement = evaluate(*model_, *found.policy).measurement;
    found.standard_error = Vector::Zero(dim());
    return found;
  }

  std::shared_ptr<const TabularModel> model_;
  Options options_;
};

TEST(OracleKinds, AProgramMayAddItsOwn) {
  OracleKind kind;
  kind.name = "stubborn";
  kind.summary = "always the same action";
  kind.options = list_options<Stubborn::Options>();
  kind.needs_model = true;
  kind.make = [](const Config& section, const World& world, const OracleDefaults&) {
    return std::make_unique<Stubborn>(world.model, read_options<Stubborn::Options>(section));
  };
  oracle_kinds().add(kind);
  EXPECT_THROW(oracle_kinds().add(kind), InputError);
  const auto oracle = make("kind = 'stubborn'\naction = 3\n", navigation());
  EXPECT_EQ(oracle->minimize(Vector{{1, 0}}, Rng(1)).measurement, (Vector{{500, 0}}));  // against the wall
  EXPECT_EQ(complaint("kind = 'stubborn'\naction = -1\n", navigation()),
            "problem.toml:3: oracle.action: found -1, expected a whole number, 0 or more");
}

}  // namespace
}  // namespace c2rl
