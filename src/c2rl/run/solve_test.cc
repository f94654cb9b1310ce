#include "c2rl/run/solve.h"

#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>

#include "c2rl/base/error.h"
#include "c2rl/base/file.h"
#include "c2rl/mdp/evaluate.h"
#include "c2rl/run/evaluation.h"

namespace c2rl {
namespace {

class Solve : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::remove_all(directory_); }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  static Problem example(const std::string& name, const std::vector<std::string>& overrides = {}) {
    Config config = Config::read(std::string(C2RL_SOURCE_DIR) + "/examples/" + name + ".toml");
    for (const std::string& assignment : overrides) config.override_value(assignment);
    return read_problem(config);
  }

  RunDirectory fresh(const Problem& problem) const {
    std::filesystem::remove_all(directory_);
    return RunDirectory::create(directory_, problem);
  }

  Result run(const std::string& name, const std::vector<std::string>& overrides = {}) const {
    const Problem problem = example(name, overrides);
    SolveListener silent;
    const RunDirectory directory = fresh(problem);
    return solve(problem, &directory, silent);
  }

  const std::string directory_ =
      testing::TempDir() + "c2rl_solve_" + testing::UnitTest::GetInstance()->current_test_info()->name();
};

void expect_near(const Vector& found, const Vector& expected, double tolerance = 1e-9) {
  ASSERT_EQ(found.size(), expected.size());
  EXPECT_LE((found - expected).lpNorm<Eigen::Infinity>(), tolerance)
      << "found " << found.transpose() << ", expected " << expected.transpose();
}

TEST_F(Solve, Navigation) {
  const Result result = run("navigation");
  EXPECT_EQ(result.status, Status::feasible);
  expect_near(result.measurement, Vector{{11, 0.5}});
  EXPECT_EQ(result.policies.size(), 2u);
  EXPECT_LE(result.oracle_calls, 6);
}

// The saved policies, loaded and evaluated exactly, measure what the result says.
TEST_F(Solve, SavedPoliciesMeasureWhatTheResultSays) {
  const Result result = run("navigation");
  const MixedPolicy mixed = load_mixture(RunDirectory::open(directory_), example("navigation").world);
  expect_near(evaluate(*example("navigation").world.model, mixed).measurement, result.measurement);
}

// Ties at (0, c) go to the policy that never arrives: the paper's stall, on demand.
TEST_F(Solve, NavigationStallsWithModifiedMnpAndLongestTies) {
  const std::vector<std::string> stall = {"solver.first_direction=[1, 0]", "oracle.ties=longest",
                                          "solver.max_oracle_calls=1000", "solver.tolerance=1.4142e-5"};
  auto literal = stall;
  literal.push_back("solver.kind=modified-mnp");
  const Result result = run("navigation", literal);
  EXPECT_EQ(result.status, Status::feasible);
  EXPECT_NEAR(result.oracle_calls, 109, 3);
  EXPECT_LE(result.policies_stored_max, 3);
  EXPECT_LE(run("navigation", stall).oracle_calls, 6);
}

TEST_F(Solve, NavigationInfeasibleWithProof) {
  const Result result = run("navigation", {"target.constraints=[\"steps <= 9\", \"risk <= 0.5\"]"});
  EXPECT_EQ(result.status, Status::infeasible);
  EXPECT_EQ(exit_status(result.status), 3);
  EXPECT_EQ(result.certificate.grade, Grade::proof);
  EXPECT_NEAR(result.distance, 4 / std::sqrt(13.0), 1e-9);
  EXPECT_NEAR(result.certificate.bound, result.distance, 1e-6);
}

TEST_F(Solve, NavigationByQLearning) {
  int good = 0;
  for (int seed = 0; seed < 20; ++seed) {
    const Result result = run("navigation", {"oracle.kind=q-learning", "seed=" + std::to_string(seed)});
    EXPECT_LE(result.policies_stored_max, 3);
    EXPECT_EQ(result.certificate.direction.size() == 0 || result.certificate.grade == Grade::evidence, true);
    if (0.5 * result.distance * result.distance < 1e-3) ++good;
  }
  EXPECT_GE(good, 19);
}

TEST_F(Solve, RockPaperScissors) {
  const Result result = run("rock_paper_scissors");
  EXPECT_EQ(result.status, Status::feasible);
  expect_near(result.measurement, Vector::Constant(3, 1.0 / 9));
  ASSERT_EQ(result.policies.size(), 3u);
  for (const ResultPolicy& policy : result.policies) EXPECT_NEAR(policy.weight, 1.0 / 3, 1e-9);
  EXPECT_EQ(run("rock_paper_scissors",
                {"target.constraints=[\"rock >= 1/8\", \"paper >= 1/8\", \"scissors >= 1/8\"]"})
                .status,
            Status::infeasible);
}

TEST_F(Solve, WorstCaseNeedsAllPolicies) {
  for (const int m : {2, 8}) {
    std::string constraints = "target.constraints=[";
    for (int i = 1; i <= m; ++i)
      constraints += (i > 1 ? ", \"c" : "\"c") + std::to_string(i) + " == 1/" + std::to_string(2 * m) + "\"";
    for (const char* kind : {"corrective-mnp", "wolfe-mnp"}) {
      const Result result =
          run("worst_case", {"environment.dimension=" + std::to_string(m), constraints + "]",
                             std::string("solver.kind=") + kind, "solver.tolerance=1e-10"});
      EXPECT_EQ(result.status, Status::feasible);
      ASSERT_EQ(result.policies.size(), static_cast<size_t>(m + 1));
      for (const ResultPolicy& policy : result.policies) {
        EXPECT_NEAR(policy.weight, policy.measurement.norm() == 0 ? 0.5 : 0.5 / m, 1e-9);
      }
    }
  }
}

TEST_F(Solve, DeepSeaTreasure) {
  const Result concave = run("deep_sea_treasure");
  EXPECT_EQ(concave.status, Status::feasible);
  ASSERT_EQ(concave.policies.size(), 2u);
  for (const ResultPolicy& policy : concave.policies) {
    const bool rich = policy.measurement[0] > 100;
    expect_near(policy.measurement, rich ? Vector{{124, 19}} : Vector{{1, 1}});
    if (rich) {
      EXPECT_GE(policy.weight, 49.0 / 123 - 1e-9);
      EXPECT_LE(policy.weight, 0.4 + 1e-9);
    }
  }
  const Result convex =
      run("deep_sea_treasure",
          {"environment.map=convex", "target.constraints=[\"treasure >= 20.3\", \"steps <= 14\"]"});
  EXPECT_EQ(convex.status, Status::feasible);
  expect_near(convex.measurement, Vector{{20.3, 14}}, 1e-6);
  const Result infeasible =
      run("deep_sea_treasure",
          {"environment.map=convex", "target.constraints=[\"treasure >= 21\", \"steps <= 14\"]"});
  EXPECT_EQ(infeasible.status, Status::infeasible);
  EXPECT_NEAR(infeasible.distance, 2.8 / std::sqrt(4 * 4 + 2.8 * 2.8), 1e-9);
}

TEST_F(Solve, MaximizeBothWays) {
  const std::vector<std::string> direct = {"target.constraints=[\"steps <= 8.2\"]",
                                           "target.maximize=treasure"};
  auto bisecting = direct;
  bisecting.push_back("target.maximize_method=bisection");
  const Result best = run("deep_sea_treasure", direct), bisected = run("deep_sea_treasure", bisecting);
  for (const Result& result : {best, bisected}) {
    EXPECT_EQ(result.status, Status::optimal);
    ASSERT_TRUE(result.optimum.has_value());
    EXPECT_NEAR(result.optimum->value, 50.2, 1e-5);
    EXPECT_GE(result.optimum->bound, 50.2 - 1e-5);
    EXPECT_LE(result.optimum->bound, 50.2 + 1e-4);
    EXPECT_EQ(result.optimum->grade, Grade::proof);
  }
  EXPECT_LT(best.oracle_calls, bisected.oracle_calls);
}

// The other systems, in the same loop and from the same file. ApproPO's cache answers most rounds itself.
TEST_F(Solve, NavigationByTheOtherSystems) {
  const std::vector<std::string> start = {"solver.first_direction=[1, 0]", "solver.max_oracle_calls=100"};
  const auto with = [&](std::vector<std::string> overrides) {
    overrides.insert(overrides.begin(), start.begin(), start.end());
    return run("navigation", overrides);
  };
  const Result plain = with({"solver.kind=appropo"});
  EXPECT_EQ(plain.status, Status::budget);
  EXPECT_NEAR(0.5 * plain.distance * plain.distance, 4.5e-4, 1e-6);
  const Result cached = with({"solver.kind=appropo", "solver.cache=true", "solver.momentum=0.9"});
  EXPECT_LE(cached.distance, 0.1 * plain.distance);
  EXPECT_EQ(cached.policies.size(), static_cast<size_t>(cached.oracle_calls));  // all are kept
  const World world = example("navigation").world;
  expect_near(evaluate(*world.model, load_mixture(RunDirectory::open(directory_), world)).measurement,
              cached.measurement);
  const Result lagrangian = with({"solver.kind=lagrangian"});
  EXPECT_LE(0.5 * lagrangian.distance * lagrangian.distance, 1e-2);
}

TEST_F(Solve, MaximizeByTheLagrangian) {
  const std::vector<std::string> best = {"target.constraints=[\"steps <= 8.2\"]", "target.maximize=treasure",
                                         "solver.kind=lagrangian", "solver.gap=0.1",
                                         "solver.max_oracle_calls=20000"};
  const Result result = run("deep_sea_treasure", best);
  EXPECT_EQ(result.status, Status::optimal);
  ASSERT_TRUE(result.optimum.has_value());
  EXPECT_NEAR(result.optimum->value, 50.2, 0.1);
  EXPECT_GE(result.optimum->bound, 50.2 - 1e-9);
  EXPECT_LE(result.optimum->bound, 50.3);
  auto bisecting = best;
  bisecting.push_back("target.maximize_method=bisection");
  EXPECT_THROW(example("deep_sea_treasure", bisecting), InputError);
}

TEST_F(Solve, ModelsFromFilesAndSetsFromTables) {
  const Result courier = run("courier");
  EXPECT_EQ(courier.status, Status::feasible);
  expect_near(courier.measurement, Vector{{14.5, 0.1}});
  const Result ball = run("navigation", {"target.constraints=[]", "target.set.kind=ball",
                                         "target.set.center=[9, 0]", "target.set.radius=0.5"});
  // The vertex (10, 1) is the nearest achievable point to the center (9, 0).
  EXPECT_EQ(ball.status, Status::infeasible);
  EXPECT_NEAR(ball.distance, std::sqrt(2.0) - 0.5, 1e-6);
}

/// Stops after a number of calls, as Ctrl-C does.
struct StopAfter final : SolveListener {
  explicit StopAfter(int calls) : left(calls) {}
  bool call_finished(const CallRecord&) override { return --left > 0; }
  int left;
};

// Stopped after any number of calls and resumed, a run ends bit for bit as if undisturbed.
TEST_F(Solve, ResumedRunsEndAsUndisturbedOnes) {
  const std::vector<std::string> options = {"solver.kind=modified-mnp", "oracle.kind=q-learning", "seed=3",
                                            "target.constraints=[\"steps <= 9\", \"risk <= 0.5\"]"};
  Result whole = run("navigation", options);
  ASSERT_GE(whole.oracle_calls, 3);
  for (int stop = 1; stop < whole.oracle_calls; ++stop) {
    const Problem problem = example("navigation", options);
    std::optional<RunDirectory> directory = fresh(problem);
    StopAfter first(stop);
    const Result part = solve(problem, &*directory, first);
    directory.reset();  // one writer at a time
    EXPECT_TRUE(part.interrupted);
    EXPECT_EQ(part.oracle_calls, stop);
    EXPECT_EQ(part.status, Status::budget);
    SolveListener silent;
    const RunDirectory again = RunDirectory::resume(directory_);
    Result resumed = solve(example("navigation", options), &again, silent);
    resumed.seconds = whole.seconds = 0;
    EXPECT_EQ(to_json_text(resumed), to_json_text(whole));
  }
}

TEST_F(Solve, ACutOffRecordLineIsForgotten) {
  const Result whole = run("navigation");
  const std::string file = directory_ + "/record.jsonl";
  const std::string record = read_file(file);
  write_file(file, record.substr(0, record.size() - 20));
  SolveListener silent;
  const RunDirectory again = RunDirectory::resume(directory_);
  EXPECT_EQ(solve(example("navigation"), &again, silent).oracle_calls, whole.oracle_calls);
}

TEST_F(Solve, AnotherProblemsRecordIsRefused) {
  run("navigation");
  SolveListener silent;
  const Problem other = example("navigation", {"solver.first_direction=[1, 0]"});
  const RunDirectory again = RunDirectory::resume(directory_);
  EXPECT_THROW(solve(other, &again, silent), InputError);
}

TEST_F(Solve, DirectoriesAreNotOverwritten) {
  run("navigation");
  EXPECT_THROW(RunDirectory::create(directory_, example("navigation")), InputError);
  EXPECT_THROW(RunDirectory::open(directory_ + "/nowhere"), InputError);
  // Nor what would be part of a run.
  std::filesystem::remove(directory_ + "/problem.toml");
  for (const char* name : {"record.jsonl", "result.json", "policies/call-1.safetensors"}) {
    try {
      RunDirectory::create(directory_, example("navigation"));
      ADD_FAILURE() << name;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(std::string("holds ") + name), std::string::npos)
          << error.what();
    }
    std::filesystem::remove(directory_ + "/" + name);
  }
  std::filesystem::remove(directory_ + "/policies/call-2.safetensors");
  EXPECT_NO_THROW(RunDirectory::create(directory_, example("navigation")));
}

// ---- Evaluation on fresh episodes -------------------------------------------------------------------------

TEST(SimultaneousQuantile, KnownValues) {
  EXPECT_NEAR(simultaneous_quantile(0.95, 1), 1.959963984540054, 1e-12);
  EXPECT_NEAR(simultaneous_quantile(0.95, 5), 2.5758293035489004, 1e-12);  // 99%
}

TEST_F(Solve, EvaluationDecidesOrSaysWhatWould) {
  const auto evaluation = [&](const std::string& crash, int episodes) {
    run("mars_rover");
    // The first policy found crashes in about 0.0266 of all episodes.
    const Problem problem = example("mars_rover", {"target.constraints=[\"crash <= " + crash + "\"]"});
    return evaluate_run(problem, load_mixture(RunDirectory::open(directory_), problem.world), episodes,
                        Rng(1));
  };
  EXPECT_EQ(evaluation("0.2", 200).verdict, Verdict::inside);
  EXPECT_EQ(evaluation("0.001", 2000).verdict, Verdict::outside);
  const RunEvaluation close = evaluation("0.0275", 5000);
  EXPECT_EQ(close.verdict, Verdict::undecided);
  ASSERT_TRUE(close.episodes_to_decide.has_value());
  EXPECT_GT(*close.episodes_to_decide, 5000);
}

}  // namespace
}  // namespace c2rl
