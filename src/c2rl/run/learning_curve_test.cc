#include "c2rl/run/learning_curve.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>

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

// Each by its own loop: what is told of a call ends where its training does.
TEST(LearningCurve, IsKeptOfEveryKindThatLearns) {
  const std::string path = testing::TempDir() + "learning_curves";
  const std::string grid = std::string(kProblem).substr(0, std::string(kProblem).find("[oracle]"));
  const std::string robot =
      "name = 'robot'\n[environment]\nkind = 'point-robot'\n[target]\nconstraints = ['energy <= 99']\n";
  constexpr const char* kSmall =
      "training_steps = 16000\nfirst_steps = 500\nhidden = [8]\nbatch = 8\nretries = 0\n"
      "evaluation_episodes = 20\nupdates_per_step = 0.02\n";
  const std::pair<std::string, std::string> learners[] = {
      {grid, "kind = 'q-learning'\ntraining_steps = 40000\nretries = 0\n"},
      {grid, std::string("kind = 'dqn'\n") + kSmall},
      {robot, std::string("kind = 'sac'\n") + kSmall},
  };
  SolveListener nobody;
  for (const auto& [world, oracle] : learners) {
    SCOPED_TRACE(oracle);
    std::filesystem::remove_all(path);
    const Problem problem = read_problem(
        Config::parse(world + "[oracle]\n" + oracle + "[solver]\nmax_oracle_calls = 1\n", "test"));
    const RunDirectory directory = RunDirectory::create(path, problem, Sync::no);
    const Result result = solve(problem, &directory, nobody);
    const auto curves = read_learning(path);
    ASSERT_EQ(curves.size(), 1);
    const std::vector<LearningMark>& marks = curves.at(1).attempts().at(0);
    EXPECT_TRUE(marks.back().checked);
    EXPECT_EQ(marks.back().steps, result.steps.training);
    EXPECT_TRUE(std::ranges::any_of(marks, [](const LearningMark& mark) { return !mark.checked; }));
  }
  std::filesystem::remove_all(path);
}

}  // namespace
}  // namespace c2rl
