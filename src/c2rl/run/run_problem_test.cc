#include "c2rl/run/run_problem.h"

#include <fmt/format.h>

#include "c2rl/run/run_testing.h"

namespace c2rl {
namespace {

namespace fs = std::filesystem;

using RunProblems = RunTest;

TEST_F(RunProblems, TheFingerprintIsOfWhatAnswersDependOn) {
  const auto fingerprint = [&](const std::vector<std::string>& overrides) {
    return run_problem(example("navigation", overrides)).fingerprint();
  };
  const std::string plain = fingerprint({});
  EXPECT_EQ(plain.size(), 64u);
  for (const char* same :
       {"name=another", "environment.slip=0", "solver.max_oracle_calls=7", "target.max_steps=1e9", "seed=0"})
    EXPECT_EQ(fingerprint({same}), plain) << same;
  for (const char* other : {"seed=1", "environment.slip=0.1", "target.confidence=0.9", "oracle.ties=first",
                            "solver.tolerance=1e-7", "solver.kind=cg", "solver.first_direction=[1, 0]"})
    EXPECT_NE(fingerprint({other}), plain) << other;
  EXPECT_EQ(fingerprint({"oracle.kind=ppo", "oracle.threads=4"}), fingerprint({"oracle.kind=ppo"}));
}

TEST_F(RunProblems, WhatIsWrittenReadsBack) {
  RunProblem problem = run_problem(example("courier"));
  ASSERT_EQ(problem.contents.size(), 1u);
  problem.raised = {"solver.max_oracle_calls from 5 to 6"};
  const RunProblem read = parse_run_problem(to_text(problem), "f");
  EXPECT_EQ(read.resolved, problem.resolved);
  EXPECT_EQ(read.contents, problem.contents);
  EXPECT_EQ(read.raised, problem.raised);
  EXPECT_TRUE(differences(problem, read).empty());
}

TEST_F(RunProblems, ARunGoesOnWithItsOwnProblemOnly) {
  start(example("navigation"), StopAfterCalls(1));
  const auto error = [&](const std::vector<std::string>& overrides) {
    return error_of([&] { resume(example("navigation", overrides)); });
  };
  EXPECT_EQ(error({"environment.slip=0.25", "solver.first_direction=[1, 0]"}),
            path_ +
                ": is a run of another problem, and goes on with its own only:"
                "\n  environment.slip: 0 in the run, 0.25 given"
                "\n  solver.first_direction: nothing in the run, [1, 0] given");
  EXPECT_NE(error({"seed=4"}).find("\n  seed: 0 in the run, 4 given"), std::string::npos);
  EXPECT_NE(error({"solver.max_oracle_calls=1"}).find("given; it may be raised only"), std::string::npos);
  EXPECT_EQ(error({"name=other"}), "");
}

TEST_F(RunProblems, ChangedContentOfAFileIsAnotherProblem) {
  fs::create_directories(path_);
  const std::string model = path_ + "_courier.drn";
  const std::string text = read_file(std::string(C2RL_SOURCE_DIR) + "/examples/courier.drn");
  write_file(model, text);
  const auto courier = [&] { return example("courier", {"environment.path=" + model}); };
  start(courier(), StopAfterCalls(1));
  // The same in another place is the same.
  fs::rename(model, model + "2");
  EXPECT_EQ(error_of([&] { resume(example("courier", {"environment.path=" + model + "2"})); }), "");
  write_file(model, text + "\n");
  const std::string error = error_of([&] { resume(courier()); });
  EXPECT_NE(error.find("\n  environment.path: sha256:"), std::string::npos) << error;
  fs::remove(model);
  fs::remove(model + "2");
}

// As if it had had the larger budget from the start.
TEST_F(RunProblems, ARaisedBudgetIsWrittenDownAndUsed) {
  const std::vector<std::string> options = {"solver.kind=cg", "solver.first_direction=[1, 0]"};
  const auto with_calls = [&](int calls) {
    std::vector<std::string> all = options;
    all.push_back(fmt::format("solver.max_oracle_calls={}", calls));
    return example("navigation", all);
  };
  start(with_calls(30));
  const std::string expected = result();
  ASSERT_EQ(start(with_calls(10)).status, Status::budget);
  resume(with_calls(30));
  EXPECT_EQ(result(), expected);
  EXPECT_EQ(RunDirectory::open(path_).problem().raised,
            std::vector<std::string>{"solver.max_oracle_calls from 10 to 30"});
  EXPECT_TRUE(RunDirectory::check(path_).empty());
  EXPECT_NE(error_of([&] { resume(with_calls(10)); }), "");
}

// A learner whose episodes ran out ends by looking at the target once more; with more episodes it does not.
TEST_F(RunProblems, WhatWasDoneBecauseABudgetEndedIsForgottenWithALargerOne) {
  const auto with_episodes = [&](int episodes) {
    return example("navigation", {"oracle.kind=q-learning", "oracle.training_steps=50000",
                                  "environment.slip=0.15", fmt::format("target.max_episodes={}", episodes),
                                  "target.constraints=[\"steps <= 14.5\", \"risk <= 0.6\"]"});
  };
  ASSERT_EQ(start(with_episodes(300)).status, Status::undecided);
  EXPECT_EQ(error_of([&] { resume(with_episodes(100'000)); }), "");
  EXPECT_EQ(RunDirectory::open(path_).read_result().status, Status::feasible);
  EXPECT_TRUE(RunDirectory::check(path_).empty());
  const std::string once = result();
  EXPECT_EQ(resume(with_episodes(100'000)), "");
  EXPECT_EQ(result(), once);
}

TEST_F(RunProblems, OneProcessWritesARun) {
  const Problem problem = example("navigation");
  start(problem);
  const RunDirectory mine = RunDirectory::resume(path_);
  EXPECT_EQ(in_child([&] {
              const std::string expected =
                  fmt::format("{}: is being written by process {} on ", path_, getppid());
              const bool told = error_of([&] { RunDirectory::resume(path_); }).starts_with(expected) &&
                                error_of([&] { RunDirectory::create(path_, problem); }).starts_with(expected);
              const bool reads = RunDirectory::open(path_).read_result().oracle_calls > 0;
              return told && reads ? 7 : 1;
            }),
            7);
}

TEST_F(RunProblems, TheNewestRunThatCanGoOnIsFound) {
  EXPECT_EQ(newest_unfinished_run(path_), std::nullopt);
  const auto run = [&](const std::string& name, const std::vector<std::string>& options,
                       SolveListener&& listener) {
    const Problem problem = example("navigation", options);
    const RunDirectory directory = RunDirectory::create(inside(name), problem);
    solve(problem, &directory, listener);
    return inside(name);
  };
  run("done", {}, SolveListener());
  EXPECT_EQ(newest_unfinished_run(path_), std::nullopt);
  const auto set_time = [&](const std::string& path, int seconds) {
    fs::last_write_time(path + "/record.jsonl",
                        fs::file_time_type::clock::now() + std::chrono::seconds(seconds));
  };
  const std::string budget = run("budget", {"solver.max_oracle_calls=1"}, SolveListener());
  EXPECT_EQ(newest_unfinished_run(path_), budget);
  const std::string stopped = run("a stopped one", {}, StopAfterCalls(1));
  set_time(stopped, 10);
  EXPECT_EQ(newest_unfinished_run(path_), stopped);
  set_time(budget, 20);
  EXPECT_EQ(newest_unfinished_run(path_), budget);
  remove_file(inside("done/result.json"));
  set_time(inside("done"), 30);
  EXPECT_EQ(newest_unfinished_run(path_), inside("done"));
}

}  // namespace
}  // namespace c2rl
