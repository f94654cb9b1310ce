// Oracles that fail: the run ends, says why, keeps what it has, and goes on when the cause is gone.

#include <atomic>
#include <cmath>
#include <filesystem>
#include <functional>
#include <sstream>

#include <gtest/gtest.h>

#include "c2rl/base/error.h"
#include "c2rl/base/file.h"
#include "c2rl/run/result_json.h"
#include "c2rl/run/solve.h"

namespace c2rl {
namespace {

namespace fs = std::filesystem;

/// Another oracle's answers, spoilt on the calls that a test chooses, which it counts from 1.
class Spoilt final : public Oracle {
 public:
  using Fault = std::function<void(const OracleCall& call, OracleAnswer& answer)>;
  Spoilt(std::shared_ptr<const Oracle> good, std::function<bool(int call, const OracleCall&)> when,
         Fault fault)
      : good_(std::move(good)), when_(std::move(when)), fault_(std::move(fault)) {}

  int dim() const override { return good_->dim(); }

 private:
  OracleAnswer answer(const OracleCall& call) const override {
    OracleAnswer answer = good_->minimize(call);
    if (when_(++calls_, call)) fault_(call, answer);
    return answer;
  }

  std::shared_ptr<const Oracle> good_;
  std::function<bool(int, const OracleCall&)> when_;
  Fault fault_;
  mutable std::atomic<int> calls_ = 0;
};

struct FaultCase {
  std::string name;
  Spoilt::Fault fault;
  std::string reason;
};

void PrintTo(const FaultCase& example, std::ostream* out) {
  *out << example.name;
}

[[noreturn]] void go_on_for_ever(const OracleCall& call) {
  while (true) call.report(1);
}

std::vector<FaultCase> faults() {
  return {
      {"Throws", [](const auto&, auto&) { throw std::runtime_error("out of paper"); }, "out of paper"},
      {"ThrowsAnything", [](const auto&, auto&) { throw 7; }, "threw something that is no std::exception"},
      {"NotANumber", [](const auto&, auto& a) { a.measurement[1] = std::nan(""); },
       "its measurement has an entry nan, expected a finite number"},
      {"Infinite", [](const auto&, auto& a) { a.measurement[0] = kInfinity; },
       "its measurement has an entry inf, expected a finite number"},
      {"WrongSize", [](const auto&, auto& a) { a.measurement = Vector::Zero(3); },
       "its measurement has 3 entries, expected 2"},
      {"WrongErrorSize", [](const auto&, auto& a) { a.standard_error = Vector(); },
       "its standard error has 0 entries, expected 2"},
      {"NegativeError", [](const auto&, auto& a) { a.standard_error[0] = -1; },
       "its standard error has an entry -1, expected a number of 0 or more"},
      {"NoPolicy", [](const auto&, auto& a) { a.policy = nullptr; }, "its answer has no policy"},
      {"BadSlack", [](const auto&, auto& a) { a.slack = -1e-3; },
       "its slack is -0.001, expected a number of 0 or more"},
      {"TotalsOfAnotherSize", [](const auto&, auto& a) { a.episodes.totals = Matrix::Zero(1, 5); },
       "its episodes' totals has 1 entries, expected 2"},
      {"InfiniteTotals", [](const auto&, auto& a) { a.episodes.totals = Matrix::Constant(2, 5, kInfinity); },
       "its episodes measured something that is not a finite number"},
      {"TakesTooLong", [](const auto& call, auto&) { go_on_for_ever(call); },
       "took longer than the 0.3 s that oracle.time_limit allows"},
  };
}

class OracleFailures : public testing::TestWithParam<FaultCase> {
 protected:
  void SetUp() override { fs::remove_all(path_); }
  void TearDown() override { fs::remove_all(path_); }

  static Problem navigation(const std::vector<std::string>& overrides = {}) {
    Config config = Config::read(std::string(C2RL_SOURCE_DIR) + "/examples/navigation.toml");
    // Many calls, so that something is there when the third one fails.
    for (const char* assignment : {"solver.kind=cg", "solver.max_oracle_calls=6"})
      config.override_value(assignment);
    for (const std::string& assignment : overrides) config.override_value(assignment);
    return read_problem(config);
  }

  template <typename When>
  static Problem spoilt(Problem problem, When when, Spoilt::Fault fault) {
    problem.oracle = std::make_shared<Spoilt>(problem.oracle, when, std::move(fault));
    return problem;
  }

  static std::string without_seconds(const std::string& text) {
    std::istringstream lines(text);
    std::string kept;
    for (std::string line; std::getline(lines, line);) {
      if (line.find("\"seconds\"") == std::string::npos) kept += line + "\n";
    }
    return kept;
  }

  const std::string path_ =
      testing::TempDir() + "c2rl_failures_" +
      fs::path(testing::UnitTest::GetInstance()->current_test_info()->name()).filename().string();
};

TEST_P(OracleFailures, EndTheRunWithWhatThereIsAndItCanBeResumed) {
  const auto [name, fault, reason] = GetParam();
  SolveListener silent;
  const Result undisturbed = solve(navigation(), nullptr, silent);
  Problem problem = spoilt(
      navigation(), [](int call, const OracleCall&) { return call >= 3; }, fault);
  problem.limits = {.time_limit = 0.3, .failures = 2};
  const RunDirectory directory = RunDirectory::create(path_, problem);
  const Result failed = solve(problem, &directory, silent);
  EXPECT_EQ(failed.status, Status::oracle_failed);
  EXPECT_EQ(exit_status(failed.status), 4);
  EXPECT_EQ(failed.failures, std::vector<std::string>(3, reason));
  EXPECT_EQ(failed.oracle_calls, 2);
  ASSERT_FALSE(failed.policies.empty());
  const Result read = directory.read_result();
  EXPECT_EQ(read.failures, failed.failures);
  EXPECT_EQ(read.status, Status::oracle_failed);
  for (const ResultPolicy& policy : failed.policies)
    EXPECT_NO_THROW(directory.load_policy(policy.file, problem.world));

  Result resumed = solve(navigation(), &directory, silent);
  for (ResultPolicy& policy : resumed.policies) policy.seal.clear();  // the undisturbed run has no files
  EXPECT_EQ(without_seconds(to_json_text(resumed)), without_seconds(to_json_text(undisturbed)));
}

INSTANTIATE_TEST_SUITE_P(Faults, OracleFailures, testing::ValuesIn(faults()),
                         [](const auto& example) { return example.param.name; });

struct Hears final : SolveListener {
  void failed(int call, const std::string& reason) override {
    calls.push_back(call);
    reasons.push_back(reason);
  }
  std::vector<int> calls;
  std::vector<std::string> reasons;
};

using OracleFailure = OracleFailures;

// A cause that passes leaves no trace but its own record.
TEST_F(OracleFailure, ThatPassesChangesNothing) {
  SolveListener silent;
  const Result undisturbed = solve(navigation(), nullptr, silent);
  const Problem problem = spoilt(
      navigation(), [](int call, const OracleCall&) { return call == 2; },
      [](const auto&, auto&) { throw std::runtime_error("a hiccup"); });
  const RunDirectory directory = RunDirectory::create(path_, problem);
  Hears hears;
  Result result = solve(problem, &directory, hears);
  for (ResultPolicy& policy : result.policies) policy.seal.clear();  // the undisturbed run has no files
  EXPECT_EQ(without_seconds(to_json_text(result)), without_seconds(to_json_text(undisturbed)));
  EXPECT_EQ(hears.calls, std::vector<int>{2});
  EXPECT_EQ(hears.reasons, std::vector<std::string>{"a hiccup"});
  const auto records = directory.read_records().records;
  EXPECT_TRUE(std::get<CallRecord>(records.at(0)).failures.empty());
  EXPECT_EQ(std::get<CallRecord>(records.at(1)).failures, std::vector<std::string>{"a hiccup"});
}

// One that lies in the random numbers is met with others.
TEST_F(OracleFailure, ByChanceIsMetWithOtherRandomNumbers) {
  std::uint64_t unlucky = 0;
  const auto drawn = [](const OracleCall& call) { return call.rng.fork("luck").bits(); };
  const Problem problem = spoilt(
      navigation(),
      [&](int call, const OracleCall& asked) {
        if (call == 1) unlucky = drawn(asked);
        return drawn(asked) == unlucky;
      },
      [](const auto&, auto&) { throw std::runtime_error("bad luck"); });
  SolveListener silent;
  EXPECT_NE(solve(problem, nullptr, silent).status, Status::oracle_failed);
}

TEST_F(OracleFailure, OnTheFirstCallLeavesNoMixture) {
  Problem problem = spoilt(
      navigation(), [](int, const OracleCall&) { return true; },
      [](const auto&, auto&) { throw std::runtime_error("never worked"); });
  problem.limits.failures = 0;
  const RunDirectory directory = RunDirectory::create(path_, problem);
  SolveListener silent;
  const Result result = solve(problem, &directory, silent);
  EXPECT_EQ(result.status, Status::oracle_failed);
  EXPECT_EQ(result.failures, std::vector<std::string>{"never worked"});
  EXPECT_TRUE(result.policies.empty());
  EXPECT_EQ(directory.read_result().oracle_calls, 0);
}

// Where it is asked again for something better and fails at that, what it found before is its answer.
TEST_F(OracleFailure, WithMoreEffortLeavesTheAnswerWithLess) {
  const Problem good =
      navigation({"oracle.kind=q-learning", "target.constraints=['steps <= 9', 'risk <= 0.5']",
                  "oracle.retries=1", "solver.kind=corrective-mnp", "solver.max_oracle_calls=100"});
  const Problem problem = spoilt(
      good, [](int, const OracleCall& call) { return call.effort > 1; },
      [](const auto&, auto&) { throw std::runtime_error("too much"); });
  SolveListener silent;
  const Result result = solve(problem, nullptr, silent);
  EXPECT_EQ(result.status, Status::stuck);
  EXPECT_NEAR(result.distance, 1.1094, 0.01);
}

TEST_F(OracleFailure, ThatIsBadInputStaysBadInput) {
  const Problem problem = spoilt(
      navigation(), [](int call, const OracleCall&) { return call == 2; },
      [](const auto&, auto&) { throw InputError({.field = "horizon"}, "expected one"); });
  SolveListener silent;
  EXPECT_THROW(solve(problem, nullptr, silent), InputError);
}

}  // namespace
}  // namespace c2rl
