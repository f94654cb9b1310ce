// Problems whose world only another program knows. The program behind most of them, tests/misbehaving_oracle.py,
// has a mode for everything that can go wrong.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "c2rl/base/error.h"
#include "c2rl/base/file.h"
#include "c2rl/run/evaluation.h"
#include "c2rl/run/solve.h"

namespace c2rl {
namespace {

namespace fs = std::filesystem;

struct FaultCase {
  std::string fault;
  std::string reason;     // is found in what is said
  std::string keys = "";  // of [oracle]
};

void PrintTo(const FaultCase& example, std::ostream* out) {
  *out << example.fault;
}

std::vector<FaultCase> faults() {
  const std::string quick = "time_limit = 0.5\n";
  const std::string late = "took longer than the 0.5 s that oracle.time_limit allows";
  return {
      {"exits-at-once",
       "'python3' ended with exit status 3; the last it wrote to its standard error:\nTraceback: "
       "something broke"},
      {"no-greeting", late, quick},
      {"garbage-greeting", "'python3' wrote 'Welcome to my oracle ?\?\?!', expected a JSON object"},
      {"other-protocol", "'python3' speaks protocol 2, expected 1"},
      {"other-measurements", "'python3' measures b, a, expected a, b as environment.measurements says"},
      {"deaf", "'python3' no longer reads its standard input"},
      {"garbage", "'python3' wrote '42 is the answer', expected a JSON object"},
      {"not-an-object", "'python3' wrote '[1, 2]', expected a JSON object"},
      {"nested", "expected a JSON object"},
      {"half-a-line", "'python3' ended with exit status 0"},
      {"gigabytes", "'python3' wrote a line of more than 67108864 bytes"},
      {"silence", late, quick},
      {"endless-progress", late, quick},
      {"ignores-terminate", late, quick},
      {"closes-output", "'python3' closed its standard output"},
      {"killed", "'python3' was ended by signal 9 (SIGKILL)"},
      {"memory", "MemoryError", "memory_limit = 2000\n"},
      {"says-error", "'python3' says: the simulator is on strike"},
      {"other-question", "'python3' answered question 8, expected 1"},
      {"progress-2", "'python3' says that its progress is 2, expected a number from 0 to 1"},
      {"no-token", "'python3' answered wrongly: token: "},
      {"token-is-a-path", "'python3' answered wrongly: token: found a dot at the beginning"},
      {"token-is-a-number", "'python3' answered wrongly: token: found 1, expected a text"},
      {"negative-steps", "'python3' answered wrongly: training_steps: found -1, expected 0 to"},
      {"wrong-size", "its measurement has 1 entries, expected 2"},
      {"infinite", "its measurement has an entry inf, expected a finite number"},
      {"text-for-a-number", "'python3' answered wrongly: measurement: found \"a\", expected a number"},
      {"cannot-evaluate", "'python3' cannot evaluate"},
      {"dies-evaluating", "'python3' ended with exit status 3"},
      {"too-few-episodes", "'python3' answered wrongly: totals: found 999 episodes, expected 1000"},
      {"not-a-number", "expected a JSON object"},
      {"nan-as-text", "'python3' answered wrongly: totals: found an episode with nan of b"},
      {"other-size", "'python3' answered wrongly: totals: found an episode with 3 numbers, expected 2"},
      {"out-of-range",
       "found an episode with 7 of a, expected a finite number from -1 to 2, as environment.range"},
      {"cut-too-many", "'python3' answered wrongly: cut: found 1001, expected 0 to 1000"},
  };
}

class CommandRun : public testing::TestWithParam<FaultCase> {
 protected:
  void SetUp() override { fs::remove_all(path_); }
  void TearDown() override {
    set_fault("");
    unsetenv("FAULT_ONCE");
    fs::remove_all(path_);
  }

  static Problem problem(const std::string& keys = "") {
    const std::string text = fmt::format(R"(
[environment]
kind = "external"
measurements = ["a", "b"]
[environment.range]
a = [-1, 2]
b = [-1, 2]
[target]
constraints = ["a <= 0.6", "b <= 0.6"]
[oracle]
kind = "command"
command = ["python3", "{}/tests/misbehaving_oracle.py"]
failures = 1
{})",
                                         C2RL_SOURCE_DIR, keys);
    return read_problem(Config::parse(text, "problem.toml"));
  }

  /// Programs that are started from now on have this fault.
  static void set_fault(const std::string& fault) { setenv("FAULT", fault.c_str(), 1); }

  static Result solve_silently(const Problem& problem, const RunDirectory* directory = nullptr) {
    SolveListener silent;
    return solve(problem, directory, silent);
  }

  static std::string comparable(Result result) {
    result.seconds = 0;
    return to_json_text(result);
  }

  const std::string path_ =
      testing::TempDir() + "c2rl_command_" +
      fs::path(testing::UnitTest::GetInstance()->current_test_info()->name()).filename().string();
};

TEST_P(CommandRun, EndsWithTheReason) {
  const auto start = std::chrono::steady_clock::now();
  set_fault(GetParam().fault);
  const Problem tried = problem(GetParam().keys);
  const RunDirectory directory = RunDirectory::create(path_, tried);
  const Result result = solve_silently(tried, &directory);
  EXPECT_EQ(result.status, Status::oracle_failed);
  ASSERT_EQ(result.failures.size(), 2u);
  for (const std::string& reason : result.failures)
    EXPECT_NE(reason.find(GetParam().reason), std::string::npos) << reason;
  EXPECT_EQ(directory.read_result().failures, result.failures);
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 20);
  // When the cause is gone, the run goes on.
  set_fault("");
  EXPECT_EQ(solve_silently(problem(), &directory).status, Status::feasible);
}

INSTANTIATE_TEST_SUITE_P(Faults, CommandRun, testing::ValuesIn(faults()), [](const auto& example) {
  std::string name = example.param.fault;
  std::ranges::replace(name, '-', '_');
  return name;
});

using Command = CommandRun;

TEST_F(Command, IsConfirmedOnFreshEpisodes) {
  const Problem good = problem();
  const RunDirectory directory = RunDirectory::create(path_, good);
  const Result result = solve_silently(good, &directory);
  EXPECT_EQ(result.status, Status::feasible);
  EXPECT_FALSE(result.claim.proven);
  EXPECT_GT(result.claim.episodes, 0);
  EXPECT_FALSE(result.claim.assumes_nothing_unseen);
  ASSERT_EQ(result.policies.size(), 2u);
  // The true J of the mixture, from its weights.
  const MixedPolicy mixed = load_mixture(directory, good.world);
  EXPECT_LE(mixed.weights().maxCoeff(), 0.6);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(mixed.policy(i).kind(), "token");
  const RunEvaluation evaluation = evaluate_run(good, mixed, 5000, Rng(1));
  EXPECT_EQ(evaluation.verdict, Verdict::inside);
  EXPECT_NEAR(evaluation.measurement.sum(), 1, 0.03);
}

TEST_F(Command, ThatComputesNeedsNoEpisodes) {
  set_fault("computes");
  const Result computed = solve_silently(problem());
  EXPECT_EQ(computed.status, Status::feasible);
  EXPECT_TRUE(computed.claim.proven);
  // What it proves is a proof: nothing is below a + b = 1.
  set_fault("proves");
  Config config = Config::parse(problem().resolved, "problem.toml");
  config.override_value("target.constraints=['a <= 0.3', 'b <= 0.3']");
  const Result proven = solve_silently(read_problem(config));
  EXPECT_EQ(proven.status, Status::infeasible);
  EXPECT_NEAR(proven.certificate.bound, 0.4 / std::sqrt(2), 1e-9);
}

TEST_F(Command, ThatFailsOnceIsStartedAgainAndChangesNothing) {
  const std::string once = path_ + "_once";
  const std::string undisturbed = comparable(solve_silently(problem()));
  setenv("FAULT_ONCE", once.c_str(), 1);
  for (const char* fault : {"killed", "garbage", "dies-evaluating", "exits-at-once"}) {
    fs::remove(once);
    set_fault(fault);
    EXPECT_EQ(comparable(solve_silently(problem())), undisturbed) << fault;
    EXPECT_TRUE(fs::exists(once));
  }
  fs::remove(once);
}

// Long after the question was asked, whatever the program does then.
TEST_F(Command, StopsWhenAskedTo) {
  using Clock = std::chrono::steady_clock;
  struct Stops final : SolveListener {
    bool oracle_progress(int, double) override {
      const bool goes_on = Clock::now() < stop;
      if (!goes_on) stopped = Clock::now();
      return goes_on;
    }
    Clock::time_point stop = Clock::now() + std::chrono::milliseconds(600), stopped = {};
  };
  for (const char* fault : {"silence", "ignores-terminate", "no-greeting", "endless-progress"}) {
    set_fault(fault);
    Stops stops;
    EXPECT_TRUE(solve(problem(), nullptr, stops).interrupted) << fault;
    EXPECT_LT(std::chrono::duration<double>(Clock::now() - stops.stopped).count(), 1) << fault;
    EXPECT_LT(std::chrono::duration<double>(stops.stopped - stops.stop).count(), 0.4) << fault;
  }
}

TEST_F(Command, StandardErrorGoesToTheRunDirectory) {
  set_fault("dies-evaluating");
  const RunDirectory directory = RunDirectory::create(path_, problem());
  solve_silently(problem(), &directory);
  EXPECT_EQ(read_file(path_ + "/oracle.log"), "Traceback: something broke\nTraceback: something broke\n");
}

TEST_F(Command, AndItsWorldNeedEachOther) {
  const auto error_of = [](const std::string& environment, const std::string& oracle) -> std::string {
    try {
      read_problem(Config::parse(
          "[environment]\n" + environment + "[target]\nconstraints = ['m1 <= 1']\n[oracle]\n" + oracle,
          "p.toml"));
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  };
  const std::string external = "kind = 'external'\nmeasurements = ['m1']\n";
  const std::string command = "kind = 'command'\ncommand = ['true']\n";
  EXPECT_EQ(error_of(external, command), "no error");
  EXPECT_EQ(
      error_of(external, "kind = 'q-learning'\n"),
      "p.toml:7: oracle.kind: needs an environment that it can act in; in this one only a program of its own "
      "can, for which there is command or python");
  EXPECT_NE(
      error_of("kind = 'garnet'\n", command)
          .find("oracle.kind: acts in a world of its own, which environment.kind = \"external\" stands for"),
      std::string::npos);
  EXPECT_EQ(error_of("kind = 'external'\nmeasurements = ['m1', 'm1']\n", command),
            "p.toml:3: environment.measurements: found 'm1', expected names, each of them once");
  EXPECT_NE(error_of(external, "kind = 'command'\n").find("oracle.command"), std::string::npos);
  EXPECT_EQ(error_of(external, "kind = 'command'\ncommand = []\n"),
            "p.toml:8: oracle.command: found no program, expected its name and its arguments");
}

}  // namespace
}  // namespace c2rl
