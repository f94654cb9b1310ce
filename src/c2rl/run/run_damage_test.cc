#include <csignal>

#include <fmt/format.h>
#include <sys/resource.h>

#include "c2rl/base/seal.h"
#include "c2rl/run/evaluation.h"
#include "c2rl/run/run_testing.h"

namespace c2rl {
namespace {

namespace fs = std::filesystem;

using RunDamage = RunTest;

/// A few calls, of which some policies are dropped.
const std::vector<std::string> kExact = {"oracle.ties=longest", "solver.first_direction=[1, 0]"};
const std::vector<std::string> kLearned = {"oracle.kind=q-learning", "oracle.training_steps=30000", "seed=3",
                                           "solver.kind=modified-mnp",
                                           "target.constraints=[\"steps <= 9\", \"risk <= 0.5\"]"};

TEST_F(RunDamage, AnyFlippedBitOfAnyFileIsFound) {
  const Problem problem = example("navigation");
  start(problem);
  RunDirectory::open(path_).save_policy_as(
      RunDirectory::kFlatPolicy, *load_mixture(RunDirectory::open(path_), problem.world).policies()[0]);
  ASSERT_TRUE(RunDirectory::check(path_).empty());
  const std::vector<std::string> names = files();
  ASSERT_EQ(names.size(), 6u);
  for (const std::string& name : names) {
    const auto size = fs::file_size(inside(name));
    ASSERT_GT(size, 0u);
    for (std::size_t i = 0; i < size; ++i) {
      flip(name, i);
      const std::vector<Finding> findings = RunDirectory::check(path_);
      ASSERT_FALSE(findings.empty()) << name << " byte " << i;
      EXPECT_EQ(findings[0].place.file, inside(name)) << "byte " << i;
      flip(name, i);
    }
  }
  EXPECT_TRUE(RunDirectory::check(path_).empty());
}

// Whatever is damaged, a run that goes on ends as if nothing had been, or says which file it is.
TEST_F(RunDamage, AResumedRunNoticesAnyFlippedBit) {
  const Problem problem = example("navigation", kExact);
  start(problem);
  const std::string expected = result();
  for (const std::string& name : files()) {
    const auto size = fs::file_size(inside(name));
    for (std::size_t i = 0; i < size; i += 11) {
      SCOPED_TRACE(fmt::format("{} byte {}", name, i));
      flip(name, i);
      std::string said;
      const std::string error = error_of([&] { said = resume(problem); });
      if (error.empty()) {
        EXPECT_NE(said, "");
        EXPECT_EQ(result(), expected);
        EXPECT_TRUE(RunDirectory::check(path_).empty());
      } else {
        EXPECT_TRUE(name == "problem.toml" || name == "record.jsonl") << error;
        EXPECT_NE(error.find(name), std::string::npos) << error;
        flip(name, i);
      }
    }
  }
}

TEST_F(RunDamage, DamageInTheMiddleOfTheRecordNamesTheLine) {
  const Problem problem = example("navigation", kExact);
  ASSERT_GE(start(problem).oracle_calls, 3);
  const std::string record = read_file(inside("record.jsonl"));
  const std::size_t second = record.find('\n') + 1, third = record.find('\n', second) + 1;
  const auto error_with = [&](const std::string& changed) {
    write_file(inside("record.jsonl"), changed);
    return error_of([&] { resume(problem); });
  };
  std::string flipped = record;
  flipped[second + 5] ^= 1;
  EXPECT_EQ(error_with(flipped),
            inside("record.jsonl") + ":2: is damaged: it is not as it was written, by its seal");
  // A line that is missing, or there twice.
  EXPECT_EQ(error_with(record.substr(0, second) + record.substr(third)),
            inside("record.jsonl") + ":2: has number 3, expected 2");
  EXPECT_EQ(error_with(record.substr(0, second) + record),
            inside("record.jsonl") + ":2: has number 1, expected 2");
  EXPECT_NE(error_with(std::string(record.size(), '\n')), "");
}

TEST_F(RunDamage, ARecordOfAnotherRunIsRefused) {
  start(example("navigation", {"seed=1"}));
  const std::string other = read_file(inside("record.jsonl"));
  const Problem problem = example("navigation");
  start(problem);
  write_file(inside("record.jsonl"), other);
  EXPECT_EQ(error_of([&] { resume(problem); }),
            inside("record.jsonl") + ":1: is of a run of another problem");
}

// The newest piece is done again from whatever is left of it.
TEST_F(RunDamage, WhatIsCutOffIsDoneAgain) {
  const Problem problem = example("navigation", kExact);
  start(problem);
  const std::string expected = result();
  const std::string record = read_file(inside("record.jsonl"));
  const std::size_t last = record.rfind('\n', record.size() - 2) + 1;
  for (std::size_t cut = last; cut < record.size(); cut += 7) {
    write_file(inside("record.jsonl"), record.substr(0, cut), Sync::no);
    const std::string said = resume(problem);
    // Between lines it leaves no trace.
    EXPECT_EQ(said.find("cut off") != std::string::npos, cut > last) << cut;
    EXPECT_EQ(result(), expected) << cut;
  }
  std::string zeros = record;
  zeros.replace(last, std::string::npos, record.size() - last, '\0');
  write_file(inside("record.jsonl"), zeros);
  EXPECT_NE(resume(problem), "");
  for (const char* name : {"record.jsonl", "result.json"}) {
    write_file(inside(name), "");
    resume(problem);
    EXPECT_EQ(result(), expected) << name;
    remove_file(inside(name));
    resume(problem);
    EXPECT_EQ(result(), expected) << name;
  }
  EXPECT_TRUE(RunDirectory::check(path_).empty());
}

// A policy is found again by the same call: also where that call began from policies that are gone.
TEST_F(RunDamage, LostPoliciesAreFoundAgain) {
  for (const auto& options : {kExact, kLearned}) {
    const Problem problem = example("navigation", options);
    const int calls = start(problem).oracle_calls;
    const std::string expected = result();
    ASSERT_GE(calls, 2);
    for (int stop = 1; stop <= calls; ++stop) {
      start(problem, StopAfterCalls(stop));
      const std::set<std::string> policies = policy_files();
      ASSERT_FALSE(policies.empty());
      bool cut = false;
      for (const std::string& policy : policies) {
        if (cut) {
          write_file(inside(policy), read_file(inside(policy)).substr(0, 100));
        } else {
          remove_file(inside(policy));
        }
        cut = !cut;
      }
      EXPECT_NE(resume(problem).find("is made again"), std::string::npos) << stop;
      EXPECT_EQ(result(), expected) << stop;
      EXPECT_TRUE(RunDirectory::check(path_).empty()) << stop;
    }
  }
}

// Killed at any moment, a run goes on to the same result.
TEST_F(RunDamage, AKilledRunGoesOnToTheSameResult) {
  const std::vector<std::string> options = {"solver.kind=cg", "solver.max_oracle_calls=40",
                                            "solver.first_direction=[1, 0]"};
  const auto run = [&](bool fresh) {
    const Problem problem = example("navigation", options);
    SolveListener silent;
    const RunDirectory directory = fresh || !fs::exists(inside("problem.toml"))
                                       ? RunDirectory::create(path_, problem)
                                       : RunDirectory::resume(path_);
    solve(problem, &directory, silent);
    return 0;
  };
  ASSERT_EQ(in_child([&] { return run(true); }), 0);
  const std::string expected = result();
  int killed = 0;
  for (int i = 0; i < 12; ++i) {
    fs::remove_all(path_);
    const pid_t child = fork();
    if (child == 0) _exit(run(true));
    usleep(static_cast<useconds_t>(3000 * (i + 1)));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    killed += WIFSIGNALED(status);
    ASSERT_EQ(in_child([&] { return run(false); }), 0) << i;
    EXPECT_EQ(result(), expected) << i;
    EXPECT_TRUE(RunDirectory::check(path_).empty()) << i;
  }
  EXPECT_GT(killed, 0);
}

// No room for the first file: there is no run yet, and so nothing that a second try would trip over.
TEST_F(RunDamage, AFullDiskAtTheStartLeavesNoRun) {
  EXPECT_EQ(in_child([&] {
              const Problem problem = example("navigation");
              std::signal(SIGXFSZ, SIG_IGN);
              const rlimit limit{100, 100};
              setrlimit(RLIMIT_FSIZE, &limit);
              const std::string error = error_of([&] { RunDirectory::create(path_, problem); });
              return error == inside("problem.toml") + ": cannot be written: File too large" ? 7 : 1;
            }),
            7);
  EXPECT_NE(error_of([&] { RunDirectory::open(path_); }).find("is no run"), std::string::npos);
  write_file(inside(".c2rl-problem.toml.part"), "half of");
  start(example("navigation"));
  EXPECT_TRUE(RunDirectory::check(path_).empty());
}

TEST_F(RunDamage, OnlyWhatARunWroteIsRemoved) {
  const Problem problem = example("navigation", kExact);
  start(problem, StopAfterCalls(1));
  const std::vector<std::string> foreign = {"policies/call-notes.txt",
                                            "policies/call-007.safetensors",
                                            "policies/call-900.safetensors",
                                            "policies/call-2.safetensors.bak",
                                            "policies/call-",
                                            "notes"};
  for (const std::string& name : foreign) write_file(inside(name), "mine");
  resume(problem);
  for (const std::string& name : foreign) EXPECT_EQ(read_file(inside(name)), "mine") << name;
  EXPECT_TRUE(RunDirectory::check(path_).empty());
  RunDirectory::remove(path_);
  EXPECT_EQ(read_file(inside("notes")), "mine");
  EXPECT_FALSE(fs::exists(inside("problem.toml")));
}

TEST_F(RunDamage, LinksLeadNowhere) {
  const Problem problem = example("navigation", kExact);
  const std::string elsewhere = path_ + "_elsewhere";
  for (const std::string& name : {std::string("result.json"), RunDirectory::policy_file(1),
                                  RunDirectory::policy_file(2), RunDirectory::policy_file(3)}) {
    start(problem, StopAfterCalls(2));
    write_file(elsewhere, "mine");
    fs::remove(inside(name));
    fs::create_symlink(elsewhere, inside(name));
    resume(problem);
    EXPECT_EQ(read_file(elsewhere), "mine") << name;
    EXPECT_FALSE(fs::is_symlink(inside(name))) << name;
  }
  start(problem, StopAfterCalls(2));
  fs::rename(inside("record.jsonl"), elsewhere);
  fs::create_symlink(elsewhere, inside("record.jsonl"));
  const std::string record = read_file(elsewhere);
  EXPECT_NE(error_of([&] { resume(problem); }).find("symbolic link"), std::string::npos);
  EXPECT_EQ(read_file(elsewhere), record);
  fs::remove(elsewhere);
}

TEST_F(RunDamage, ResultsNameFilesOfTheRunOnly) {
  start(example("navigation"));
  const std::string text = read_file(inside("result.json"));
  const auto error_with = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    changed.replace(changed.find(seal_of(text)), kBlankSeal.size(), kBlankSeal);
    changed.replace(changed.find(from), from.size(), to);
    write_file(inside("result.json"), sealed(changed));
    return error_of([&] { RunDirectory::open(path_).read_result(); });
  };
  EXPECT_EQ(error_with("call-1", "call-1"), "");
  for (const char* file :
       {"../../secret", "/etc/passwd", "policies/../problem.toml", "policies/x/call-1.safetensors",
        "policies/call-1.safetensors\\n", "policies/flat.safetensors", ""}) {
    const std::string error = error_with("policies/call-1.safetensors", file);
    EXPECT_NE(error.find("result.json: policies.file: found"), std::string::npos) << file << error;
  }
  EXPECT_NE(error_with("\"id\": \"call-1\"", "\"id\": \"\\u001b[2J\"").find("control characters"),
            std::string::npos);
}

}  // namespace
}  // namespace c2rl
