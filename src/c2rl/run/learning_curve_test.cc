#include "c2rl/run/learning_curve.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "c2rl/base/file.h"
#include "c2rl/run/problem.h"
#include "c2rl/run/run_directory.h"
#include "c2rl/run/solve.h"

namespace c2rl {
namespace {

TEST(LearningCurve, HasNeverManyMarks) {
  LearningCurve curve;
  for (int i = 0; i < 100'000; ++i) curve.add(0, {.steps = i, .value = 1.0 * i});
  curve.add(0, {.steps = 100'000, .value = -1, .checked = true});
  const std::vector<LearningMark>& marks = curve.attempts().at(0);
  EXPECT_LE(marks.size(), LearningCurve::kMost + 1);
  EXPECT_GE(marks.size(), LearningCurve::kMost / 3);
  EXPECT_TRUE(marks.back().checked);
  for (std::size_t i = 1; i < marks.size(); ++i) EXPECT_GT(marks[i].steps, marks[i - 1].steps);
  for (const LearningMark& mark : marks)
    EXPECT_TRUE(mark.checked || mark.value == static_cast<double>(mark.steps));
}

constexpr const char* kProblem = R"(
name = "short"
[environment]
kind = "grid"
horizon = 20
map = "S.G"
measurements = ["steps"]
step = { steps = 1 }
[target]
constraints = ["steps <= 10"]
[oracle]
kind = "a2c"
training_steps = 20000
)";

// What was learned lies beside the record, and the run goes as it would without: nothing reads it.
TEST(LearningCurve, IsKeptOfACallThatLearns) {
  const std::string path = testing::TempDir() + "learning_curve";
  std::filesystem::remove_all(path);
  const Problem problem = read_problem(Config::parse(kProblem, "test"));
  SolveListener nobody;
  const Result alone = solve(problem, nullptr, nobody);
  const RunDirectory directory = RunDirectory::create(path, problem, Sync::no);
  const Result result = solve(problem, &directory, nobody);
  EXPECT_EQ(result.measurement, alone.measurement);
  const auto curves = read_learning(path);
  ASSERT_EQ(curves.size(), static_cast<std::size_t>(result.oracle_calls));
  const std::vector<LearningMark>& marks = curves.at(1).attempts().at(0);
  EXPECT_FALSE(marks.empty());
  // No episode is shorter than two steps, and none longer than the horizon.
  for (const LearningMark& mark : marks) {
    EXPECT_GE(mark.value, 2);
    EXPECT_LE(mark.value, 20);
  }
  append_to_file(path + "/learning.jsonl", "{\"call\": 7, \"attem", Sync::no);
  EXPECT_EQ(read_learning(path).size(), curves.size());
  RunDirectory::remove(path);
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace c2rl
