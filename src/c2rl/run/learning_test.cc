// Whole runs with oracles that learn: by acting, and from data alone.
#include <atomic>
#include <filesystem>

#include <gtest/gtest.h>

#include "c2rl/base/error.h"
#include "c2rl/base/file.h"
#include "c2rl/oracle/collect.h"
#include "c2rl/oracle/ddqn.h"
#include "c2rl/run/evaluation.h"
#include "c2rl/run/experiment.h"
#include "c2rl/run/solve.h"

namespace c2rl {
namespace {

class Learning : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static Config config(const std::string& name, const std::vector<std::string>& overrides) {
    Config config = Config::read(std::string(C2RL_SOURCE_DIR) + "/examples/" + name + ".toml");
    for (const std::string& assignment : overrides) config.override_value(assignment);
    return config;
  }
  static Problem problem(const std::string& name, const std::vector<std::string>& overrides) {
    return read_problem(config(name, overrides));
  }

  RunDirectory create(const std::string& name, const Problem& problem) const {
    return RunDirectory::create(folder_ + "/" + name, problem);
  }

  /// A dataset of the navigation task, in a file.
  std::string recorded(std::int64_t samples) const {
    const Problem navigation = problem("navigation", {});
    const Dataset data = collect(navigation.world, {}, {Vector{{1, 1}}, Vector{{1, 0}}, Vector{{0, 1}}},
                                 samples, Rng(1), [](double) { return true; });
    write_dataset(folder_ + "/navigation.data", data);
    return folder_ + "/navigation.data";
  }

  const std::string folder_ =
      testing::TempDir() + "c2rl_learning_" + testing::UnitTest::GetInstance()->current_test_info()->name();
};

/// Stops after so many calls.
class StopAfter final : public SolveListener {
 public:
  explicit StopAfter(int calls) : calls_(calls) {}
  bool call_finished(const CallRecord& record) override { return record.call < calls_; }

 private:
  int calls_;
};

TEST_F(Learning, NavigationByA2c) {
  SolveListener silent;
  for (const char* seed : {"seed=0", "seed=1", "seed=2"}) {
    const Problem navigation = problem("navigation", {"oracle.kind=a2c", seed});
    const RunDirectory directory = create(seed, navigation);
    const Result result = solve(navigation, &directory, silent);
    EXPECT_EQ(result.status, Status::feasible) << seed;
    EXPECT_LE(result.policies.size(), 3u);
    EXPECT_GT(result.steps.all(), 0);
    // The networks on disk are the policies of the result.
    const RunEvaluation again =
        evaluate_run(navigation, load_mixture(directory, navigation.world), 10, Rng(1));
    EXPECT_LT((again.measurement - result.measurement).norm(), 1e-12);
  }
}

// The call that was begun with steps left is ended; no other is begun, and nothing is confirmed with more than there are.
TEST_F(Learning, StepsAreABudget) {
  SolveListener silent;
  const std::vector<std::string> keys = {"oracle.kind=a2c", "oracle.training_steps=20000",
                                         "environment.slip=0.1", "solver.max_oracle_calls=50"};
  const auto run = [&](const std::string& steps) {
    std::vector<std::string> all = keys;
    all.push_back("oracle.max_env_steps=" + steps);
    return solve(problem("navigation", all), nullptr, silent);
  };
  const Result little = run("1000");
  EXPECT_EQ(little.status, Status::budget);
  EXPECT_EQ(little.oracle_calls, 1);
  const Result some = run("300000");
  EXPECT_LE(some.steps.all(), 300'000 + 4 * 20'000 * 4);
  EXPECT_GT(some.steps.all(), little.steps.all());
  EXPECT_EQ(little.steps.confirmation, 0);
}

// Training goes on from stored policies, which a resumed run reads back: it comes out the same to the bit.
TEST_F(Learning, ResumedWarmStartsComeOutTheSame) {
  const Problem navigation = problem(
      "navigation", {"oracle.kind=a2c", "oracle.warm_start=true", "oracle.early_stop=true",
                     "oracle.training_steps=60000", "oracle.retries=0", "solver.kind=modified-mnp",
                     "solver.first_direction=[1, 0]", "solver.max_oracle_calls=8", "solver.tolerance=1e-12"});
  SolveListener silent;
  const RunDirectory whole = create("whole", navigation), parts = create("parts", navigation);
  const Result undisturbed = solve(navigation, &whole, silent);
  ASSERT_GT(undisturbed.oracle_calls, 2);
  StopAfter two(2);
  EXPECT_TRUE(solve(navigation, &parts, two).interrupted);
  const Result resumed = solve(navigation, &parts, silent);
  EXPECT_EQ(resumed.oracle_calls, undisturbed.oracle_calls);
  EXPECT_EQ(resumed.measurement, undisturbed.measurement);
  EXPECT_EQ(resumed.steps, undisturbed.steps);
  for (const ResultPolicy& policy : undisturbed.policies)
    EXPECT_EQ(read_file(whole.path() + "/" + policy.file), read_file(parts.path() + "/" + policy.file));
}

/// Whether the simulator was asked while the solver was running.
class Witness final : public SolveListener {
 public:
  explicit Witness(const std::atomic<int>& asked) : asked_(asked) {}
  bool oracle_progress(int, double) override { return note(); }
  bool call_finished(const CallRecord&) override { return note(); }
  int asked_while_running() const { return most_; }

 private:
  bool note() {
    most_ = std::max(most_, asked_.load());
    return true;
  }

  const std::atomic<int>& asked_;
  int most_ = 0;
};

TEST_F(Learning, NothingIsSimulatedBetweenDatasetAndReport) {
  Problem navigation = problem("navigation", {"oracle.kind=ddqn", "oracle.dataset=" + recorded(60'000)});
  ASSERT_TRUE(navigation.oracle->is_offline());
  // Whatever acts in this world is counted, and its model is out of reach.
  std::atomic<int> asked = 0;
  const auto environment = navigation.world.environment;
  navigation.world.environment = [&asked, environment](int batch) {
    ++asked;
    return environment(batch);
  };
  navigation.world.model = nullptr;
  Witness witness(asked);
  const Result result = solve(navigation, nullptr, witness);
  EXPECT_EQ(witness.asked_while_running(), 0);
  EXPECT_EQ(result.steps.all(), 0);
  EXPECT_GT(asked, 0);  // at the end, for the report
  ASSERT_TRUE(result.simulated);
  EXPECT_LT((result.simulated->measurement - result.measurement).norm(), 0.1);
  for (const ResultPolicy& policy : result.policies) EXPECT_EQ(policy.simulated.size(), 2);
}

TEST_F(Learning, DatasetsMustFitTheProblem) {
  const std::string data = "oracle.dataset=" + recorded(1000);
  EXPECT_THROW(problem("navigation", {"oracle.kind=ddqn"}), InputError);
  EXPECT_THROW(problem("navigation", {"oracle.kind=ddqn", "oracle.dataset=/nowhere"}), InputError);
  EXPECT_THROW(problem("navigation", {"oracle.kind=ddqn", data, "environment.horizon=100"}), InputError);
  EXPECT_THROW(problem("deep_sea_treasure", {"oracle.kind=ddqn", data}), InputError);
}

TEST_F(Learning, ErrorsOfCellsFromDataAreThoseOfTheSimulator) {
  const std::string text = R"(
name = "offline"
seeds = 1
set = ["oracle.kind=ddqn", "oracle.updates=300", "oracle.retries=0", "solver.max_oracle_calls=3"]
[problems.navigation]
file = ")" C2RL_SOURCE_DIR R"(/examples/navigation.toml"
set = ["oracle.dataset=)" + recorded(5000) +
                           R"("]
[methods]
corrective-mnp = { set = [] }
)";
  const std::vector<Cell> cells = cells_of(read_experiment(Config::parse(text, folder_ + "/e.toml")));
  ASSERT_TRUE(run_cells(cells, folder_ + "/out", 2, [](const ExperimentProgress&) { return true; }).empty());
  const auto rows = read_cell(folder_ + "/out", cells.at(0));
  ASSERT_TRUE(rows);
  // The first mixture is one policy, which both ways measure alike in a world without chance.
  EXPECT_EQ(rows->at(0).estimated_error, 0.5 * rows->at(0).distance * rows->at(0).distance);
  EXPECT_NEAR(rows->at(0).error, rows->at(0).estimated_error, 1e-9);
}

// A wider middle than the example's, which takes less training.
TEST_F(Learning, CartPole) {
  const Problem cart_pole = problem("cart_pole", {"environment.middle=0.5", "oracle.training_steps=300000"});
  SolveListener silent;
  const RunDirectory directory = create("run", cart_pole);
  const Result result = solve(cart_pole, &directory, silent);
  EXPECT_EQ(result.status, Status::feasible);
  const RunEvaluation again = evaluate_run(cart_pole, load_mixture(directory, cart_pole.world), 200, Rng(1));
  EXPECT_GE(again.measurement[0], 185);
  EXPECT_LE(again.measurement[1], 25);
}

// One policy that is trained on and on, with the penalties that its violations call for.
TEST_F(Learning, Rcpo) {
  const std::vector<std::string> overrides = {"oracle.kind=a2c",
                                              "solver.kind=rcpo",
                                              "oracle.execution=stochastic",
                                              "oracle.training_steps=20000",
                                              "oracle.entropy_first=0.05",
                                              "oracle.entropy_last=0.05",
                                              "oracle.checks=1",
                                              "oracle.warm_start=true",
                                              "solver.max_oracle_calls=60",
                                              "solver.tolerance=0.3"};
  const Problem navigation = problem("navigation", overrides);
  SolveListener silent;
  const Result result = solve(navigation, nullptr, silent);
  EXPECT_EQ(result.policies.size(), 1u);
  EXPECT_EQ(result.policies_stored_max, 1);
  EXPECT_EQ(result.certificate.bound, 0);
  EXPECT_LT(result.distance, 1.2);                                        // (8, 4) is 3.5 away, (12, 0) is 1
  EXPECT_THROW(problem("navigation", {"solver.kind=rcpo"}), InputError);  // the example's oracle is exact
  EXPECT_THROW(problem("navigation", {"solver.kind=rcpo", "oracle.kind=a2c", "oracle.warm_start=false"}),
               InputError);
}

// Where the file names no oracle, the solver's needs decide, and what is taken is what is written down.
TEST_F(Learning, RcpoTakesAnOracleThatGoesOn) {
  const std::string text = read_file(C2RL_SOURCE_DIR "/examples/navigation.toml");
  const std::string without = text.substr(0, text.find("[oracle]")) + text.substr(text.find("[solver]"));
  Config config = Config::parse(without, "navigation.toml");
  config.override_value("solver.kind=rcpo");
  const Problem navigation = read_problem(config);
  EXPECT_TRUE(navigation.oracle_kind->can_go_on);
  EXPECT_TRUE(navigation.oracle->goes_on());
  EXPECT_EQ(navigation.patience.retries, 0);
  const Config resolved = Config::parse(navigation.resolved, "resolved");
  EXPECT_EQ(resolved.section("oracle").text("kind"), navigation.oracle_kind->name);
  EXPECT_TRUE(resolved.section("oracle").boolean("warm_start"));
}

}  // namespace
}  // namespace c2rl
