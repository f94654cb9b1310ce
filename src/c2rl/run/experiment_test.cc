#include "c2rl/run/experiment.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "c2rl/base/error.h"
#include "c2rl/base/file.h"
#include "c2rl/base/json.h"
#include "c2rl/base/vector.h"
#include "c2rl/run/experiment_report.h"

namespace c2rl {
namespace {

class ExperimentTest : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::remove_all(directory_); }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  static Experiment parse(const std::string& text) {
    return read_experiment(Config::parse(text, std::string(C2RL_SOURCE_DIR) + "/experiments/test.toml"));
  }

  static std::string results_without_seconds(const std::string& directory) {
    std::istringstream lines(read_file(directory + "/results.csv"));
    std::string text, line;
    while (std::getline(lines, line)) text += line.substr(0, line.rfind(',')) + "\n";
    return text;
  }

  const std::string directory_ =
      testing::TempDir() + "c2rl_experiment_" + testing::UnitTest::GetInstance()->current_test_info()->name();
};

const std::string kSmall = R"(
name = "small"
seeds = 3
accuracies = [1e-2, 1e-3, 1e-4]
set = ["solver.max_oracle_calls=30", "solver.first_direction=[1, 0]"]
[problems.navigation]
file = "../examples/navigation.toml"
[methods]
corrective = { set = ["solver.kind=corrective-mnp"] }
cg = { set = ["solver.kind=cg"] }
[axes.oracle]
learned = ["oracle.kind=q-learning", "oracle.training_steps=30000"]
exact = ["oracle.kind=dynamic-programming"]
[claims.calls]
says = "corrective needs fewer calls"
method = "corrective"
quantity = "calls-to-accuracy"
accuracy = 1e-3
than = "cg"
factor = 5
[claims.policies]
says = "corrective keeps one policy"
method = "corrective"
quantity = "most-policies"
at_most = 1
)";

TEST_F(ExperimentTest, CellsAreEveryCombination) {
  const std::vector<Cell> cells = cells_of(parse(kSmall));
  ASSERT_EQ(cells.size(), 12u);
  EXPECT_EQ(cells[0].name, "navigation_learned_corrective_0");
  EXPECT_EQ(cells[11].name, "navigation_exact_cg_2");
  EXPECT_EQ(cells[11].overrides,
            (std::vector<std::string>{"solver.max_oracle_calls=30", "solver.first_direction=[1, 0]",
                                      "oracle.kind=dynamic-programming", "solver.kind=cg", "seed=2"}));
}

// Killed after some cells and started again, on another number of threads: the same table to the byte.
TEST_F(ExperimentTest, InterruptedAndResumedGivesTheSameTable) {
  const Experiment experiment = parse(kSmall);
  const std::vector<Cell> cells = cells_of(experiment);
  const std::string whole = directory_ + "/whole", cut = directory_ + "/cut";
  EXPECT_TRUE(run_cells(cells, whole, 2, [](const ExperimentProgress&) { return true; }).empty());
  write_tables(experiment, collect(experiment, whole), whole);

  int seen = 0;
  run_cells(cells, cut, 1, [&](const ExperimentProgress& now) {
    seen = now.done;
    return now.done < 2;
  });
  ASSERT_LT(seen, static_cast<int>(cells.size()));
  run_cells(cells, cut, 1, [](const ExperimentProgress&) { return true; });
  write_tables(experiment, collect(experiment, cut), cut);
  EXPECT_EQ(results_without_seconds(cut), results_without_seconds(whole));
  EXPECT_EQ(read_file(cut + "/summary.csv"), read_file(whole + "/summary.csv"));
}

// In parts, on machines of their own, and gathered: the same table to the byte.
TEST_F(ExperimentTest, ShardsGiveTheSameTable) {
  const auto all = [](const ExperimentProgress&) { return true; };
  const Experiment experiment = parse(kSmall);
  const std::vector<Cell> cells = cells_of(experiment);
  const std::string whole = directory_ + "/whole", parts = directory_ + "/parts";
  run_cells(cells, whole, 2, all);
  write_tables(experiment, collect(experiment, whole), whole);

  std::set<std::string> seen;
  for (const std::string name : {"1/5", "2/5", "3/5", "4/5", "5/5"}) {
    const Shard shard = Shard::parse(name);
    const std::vector<Cell> part = shard.part_of(cells);
    for (const Cell& cell : part) EXPECT_TRUE(seen.insert(cell.name).second) << cell.name;
    run_cells(part, shard.directory(parts), 1, all);
  }
  EXPECT_EQ(seen.size(), cells.size());
  gather_shards(cells, parts);
  EXPECT_EQ(collect(experiment, parts).size(), collect(experiment, whole).size());  // nothing is left to run
  write_tables(experiment, collect(experiment, parts), parts);
  EXPECT_EQ(results_without_seconds(parts), results_without_seconds(whole));
  for (const char* name : {"/summary.csv", "/summary_steps.csv"})
    EXPECT_EQ(read_file(parts + name), read_file(whole + name)) << name;

  for (const std::string bad : {"", "1", "0/2", "3/2", "1/0", "a/b", "1.5/2", "1/2/3", "-1/2"})
    EXPECT_THROW(Shard::parse(bad), InputError) << bad;
}

TEST_F(ExperimentTest, ErrorsAgainstSteps) {
  const auto row = [](int call, double error, std::int64_t steps) {
    return CellRow{.call = call, .error = error, .policies = call, .env_steps = steps, .seconds = 0.1 * call};
  };
  Experiment experiment;
  const Series series{.method = "m",
                      .problem = "p",
                      .variants = {},
                      .seeds = {0, 1},
                      .cells = {{row(1, 1, 100), row(2, 0.1, 1000)}, {row(1, 3, 90), row(2, 0.3, 500)}}};
  make_directories(directory_);
  write_tables(experiment, {series}, directory_);
  std::istringstream lines(read_file(directory_ + "/summary_steps.csv"));
  std::string line;
  std::map<double, double> means;
  std::getline(lines, line);
  EXPECT_TRUE(line.starts_with("method,problem,env_steps,cells,error_mean,")) << line;
  while (std::getline(lines, line)) {
    std::istringstream fields(line.substr(std::string("m,p,").size()));
    double steps = 0, mean = 0;
    int cells = 0;
    char comma = 0;
    fields >> steps >> comma >> cells >> comma >> mean;
    EXPECT_EQ(cells, 2);
    means[std::round(steps)] = mean;
  }
  ASSERT_EQ(means.size(), 11u);  // 100 to 1000, ten a decade
  EXPECT_NEAR(means.begin()->second, 2, 1e-12);
  EXPECT_NEAR(means.at(398), 2, 1e-12);
  EXPECT_NEAR(means.at(501), 0.65, 1e-12);  // the second cell has had its second call
  EXPECT_NEAR(means.at(1000), 0.2, 1e-12);
  EXPECT_EQ(series.reaches(0.5, "steps-to-accuracy"), 750);
  EXPECT_NEAR(series.reaches(0.5, "seconds-to-accuracy"), 0.2, 1e-12);
}

// An edit of the experiment runs the cells that it changes, and no others; so does damage.
TEST_F(ExperimentTest, OnlyWhatChangedIsRunAgain) {
  namespace fs = std::filesystem;
  const auto all = [](const ExperimentProgress&) { return true; };
  const auto run_times = [&](const Experiment& experiment) {
    run_cells(cells_of(experiment), directory_, 2, all);
    std::map<std::string, std::string> content;  // the seconds in it change with each run
    for (const Cell& cell : cells_of(experiment)) {
      EXPECT_TRUE(read_cell(directory_, cell)) << cell.name;
      content[cell.name] = read_file(directory_ + "/cells/" + cell.name + ".csv");
    }
    return content;
  };
  const auto changed = [](const auto& before, const auto& after) {
    std::set<std::string> names;
    for (const auto& [name, content] : after) {
      if (!before.contains(name) || before.at(name) != content) names.insert(name);
    }
    return names;
  };
  const auto first = run_times(parse(kSmall));
  ASSERT_EQ(first.size(), 12u);
  EXPECT_TRUE(changed(first, run_times(parse(kSmall))).empty());
  EXPECT_FALSE(fs::exists(directory_ + "/unfinished"));

  std::string edited = kSmall;
  edited.replace(edited.find("training_steps=30000"), 20, "training_steps=20000");
  const auto second = run_times(parse(edited));
  EXPECT_EQ(changed(first, second).size(), 6u);  // the learned ones
  for (const std::string& name : changed(first, second))
    EXPECT_NE(name.find("learned"), std::string::npos) << name;

  const std::vector<std::string> damaged = {"navigation_exact_cg_0", "navigation_exact_cg_1",
                                            "navigation_exact_cg_2"};
  const auto file = [&](int i) { return directory_ + "/cells/" + damaged[static_cast<size_t>(i)] + ".csv"; };
  write_file(file(0), "");
  write_file(file(1), second.at(damaged[1]).substr(0, 300));
  std::string flipped = second.at(damaged[2]);
  flipped[flipped.size() - 20] ^= 1;
  write_file(file(2), flipped);
  EXPECT_EQ(changed(second, run_times(parse(edited))), std::set<std::string>(damaged.begin(), damaged.end()));

  // More seeds are more cells.
  edited.replace(edited.find("seeds = 3"), 9, "seeds = 4");
  EXPECT_EQ(changed(second, run_times(parse(edited))).size(), damaged.size() + 4u);
}

// The finished calls of a cell that was stopped are not made again: its rows have their time.
TEST_F(ExperimentTest, AnUnfinishedCellGoesOnWithItsNextCall) {
  std::string text = kSmall;
  text.replace(text.find("seeds = 3"), 9, "seeds = 1");
  text.replace(text.find("training_steps=30000"), 20, "training_steps=400000");  // time to stop it in
  const Experiment experiment = parse(text);
  const std::vector<Cell> cells = cells_of(experiment);
  const Cell& cell = cells[1];
  ASSERT_EQ(cell.name, "navigation_learned_cg_0");
  const std::string record = directory_ + "/unfinished/" + cell.name + "/record.jsonl";
  const auto lines = [&]() -> std::int64_t {
    if (!std::filesystem::exists(record)) return 0;
    const std::string whole = read_file(record);
    return std::count(whole.begin(), whole.end(), '\n');
  };
  run_cells({cell}, directory_, 1, [&](const ExperimentProgress&) { return lines() < 2; });
  ASSERT_FALSE(read_cell(directory_, cell));
  ASSERT_GE(lines(), 2);
  const std::string first = read_file(record).substr(0, read_file(record).find('\n'));
  const double seconds = Json::parse(first)["seconds"];
  run_cells({cell}, directory_, 1, [](const ExperimentProgress&) { return true; });
  const auto rows = read_cell(directory_, cell);
  ASSERT_TRUE(rows);
  EXPECT_NEAR(rows->front().seconds, seconds, 1e-6);
  EXPECT_EQ(lines(), 0);
}

TEST_F(ExperimentTest, AFailingCellDoesNotStopTheRest) {
  std::string text = kSmall;
  text.replace(text.find("solver.kind=cg"), 14, "solver.kind=zz");
  const Experiment experiment = parse(text);
  const std::vector<CellFailure> failures =
      run_cells(cells_of(experiment), directory_, 2, [](const ExperimentProgress&) { return true; });
  EXPECT_EQ(failures.size(), 6u);
  EXPECT_NE(failures[0].message.find("solver.kind"), std::string::npos);
  EXPECT_EQ(collect(experiment, directory_).size(), 2u);
}

TEST_F(ExperimentTest, ClaimsAreHeldAgainstWhatCameOut) {
  const Experiment experiment = parse(kSmall);
  run_cells(cells_of(experiment), directory_, 2, [](const ExperimentProgress&) { return true; });
  const std::vector<Series> series = collect(experiment, directory_);
  bool all_hold = true;
  const auto rows = judge_claims(experiment, series, all_hold);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[1].back(), "yes");
  EXPECT_EQ(rows[2].back(), "NO");  // it needs two
  EXPECT_FALSE(all_hold);
}

TEST_F(ExperimentTest, AClaimAboutWhatWasNeverReachedDoesNotHold) {
  Experiment experiment = parse(kSmall);
  Expectation& claim = experiment.expectations[0];
  claim.quantity = "policies-to-accuracy";
  claim.factor = 1;
  experiment.expectations.resize(1);
  const auto ending_at = [](const std::string& method, double error, int policies) {
    return Series{
        method, "navigation", {"exact"}, {0}, {{{.call = 1, .error = error, .policies = policies}}}};
  };
  const auto holds = [&](const Series& corrective, const Series& cg) {
    bool all_hold = true;
    judge_claims(experiment, {corrective, cg}, all_hold);
    return all_hold;
  };
  EXPECT_TRUE(holds(ending_at("corrective", 1e-4, 2), ending_at("cg", 1e-4, 3)));
  EXPECT_FALSE(holds(ending_at("corrective", 1e-4, 4), ending_at("cg", 1e-4, 3)));
  EXPECT_TRUE(holds(ending_at("corrective", 1e-4, 2), ending_at("cg", 1e-2, 3)));
  EXPECT_FALSE(holds(ending_at("corrective", 1e-4, 4), ending_at("cg", 1e-2, 3)));
  EXPECT_FALSE(holds(ending_at("corrective", 1e-2, 2), ending_at("cg", 1e-2, 3)));
}

// Statistics on numbers that can be checked by hand.
TEST(Series, CountsCallsPoliciesAndSlope) {
  Series series;
  for (const double scale : {1.0, 1.0, 4.0}) {
    std::vector<CellRow> rows;
    for (int call = 1; call <= 1000; ++call)
      rows.push_back({.call = call, .error = scale / call, .policies = call % 7});
    series.cells.push_back(rows);
  }
  EXPECT_EQ(series.reaches(1e-2, "calls-to-accuracy"), 100);  // the median of 100, 100 and 400
  EXPECT_EQ(series.reaches(1e-6, "calls-to-accuracy"), kInfinity);
  EXPECT_EQ(series.reaches(1e-2, "policies-to-accuracy"), 2);  // 100 % 7, 100 % 7 and 400 % 7 = 1
  EXPECT_EQ(series.reaches(1e-6, "policies-to-accuracy"), kInfinity);
  EXPECT_EQ(series.most_policies(), 6);
  EXPECT_NEAR(series.final_error(), 2e-3, 1e-15);
  EXPECT_NEAR(series.exponent({1e-1, 1e-2, 1e-3}), 1.0, 1e-12);
  EXPECT_TRUE(std::isnan(series.exponent({1e-2, 1e-9, 1e-12})));
  series.cells[0].resize(5);
  EXPECT_EQ(series.row(0, 800).call, 5);  // a cell that ended keeps its last row
}

TEST_F(ExperimentTest, BadFilesNameTheField) {
  const auto message = [](const std::string& text) -> std::string {
    try {
      parse(text);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message("seeds = 0\n").find("seeds"), std::string::npos);
  EXPECT_NE(message("[problems.a]\n").find("problems.a.file"), std::string::npos);
  EXPECT_NE(message("[problems.a]\nfile = \"x\"\n").find("methods"), std::string::npos);
  EXPECT_NE(message("accuracies = [1e-3, 1e-2]\n").find("accuracies"), std::string::npos);
  std::string text = kSmall;
  text.replace(text.find("than = \"cg\""), 11, "than = \"gc\"");
  EXPECT_NE(message(text).find("did you mean 'cg'?"), std::string::npos);
  text = kSmall;
  text.replace(text.find("cg = {"), 6, "\"../cg\" = {");
  EXPECT_NE(message(text).find("methods.../cg: expected a name that a file can have"), std::string::npos)
      << message(text);
}

}  // namespace
}  // namespace c2rl
