#include <filesystem>

#include <gtest/gtest.h>

#include "c2rl/base/file.h"
#include "c2rl/base/json.h"
#include "c2rl/cli/command_testing.h"

namespace c2rl {
namespace {

const std::string kExamples = std::string(C2RL_SOURCE_DIR) + "/examples/";

class SolveCommand : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::remove_all(directory_);
    std::filesystem::create_directories(directory_);
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  const std::string directory_ =
      testing::TempDir() + "c2rl_cli_" + testing::UnitTest::GetInstance()->current_test_info()->name();
  const std::string run_ = directory_ + "/run";
};

TEST_F(SolveCommand, SolvesEvaluatesAndFlattens) {
  const Finished solved = c2rl({"solve", kExamples + "navigation.toml", "--out", run_});
  EXPECT_EQ(solved.status, 0) << solved.err;
  EXPECT_NE(solved.out.find("feasible: this mixture satisfies every constraint."), std::string::npos);
  EXPECT_NE(solved.err.find("call 1  distance 0.5"), std::string::npos);  // progress, a line per call
  for (const char* file : {"problem.toml", "record.jsonl", "result.json", "policies/call-1.safetensors"}) {
    EXPECT_TRUE(std::filesystem::exists(run_ + "/" + file)) << file;
  }
  const Finished evaluated = c2rl({"evaluate", run_, "--episodes", "50", "--json"});
  EXPECT_EQ(evaluated.status, 0) << evaluated.err;
  const Json evaluation = Json::parse(evaluated.out);
  EXPECT_EQ(evaluation["verdict"], "inside");
  EXPECT_NEAR(evaluation["exact_measurement"][1].get<double>(), 0.5, 1e-9);

  const Finished flat = c2rl({"flatten", run_});
  EXPECT_EQ(flat.status, 0) << flat.err;
  EXPECT_TRUE(std::filesystem::exists(run_ + "/policies/flat.safetensors"));
}

// With something to minimise there need be no constraint: here the shortest way, 8 steps and 4 of them risky.
TEST_F(SolveCommand, MinimizesWithoutConstraints) {
  const std::vector<std::string> changes = {"--set", "target.constraints=[]", "--set",
                                            "target.minimize=steps + 0.1*risk"};
  std::vector<std::string> arguments = {"solve", kExamples + "navigation.toml", "--out", run_, "--json"};
  arguments.insert(arguments.end(), changes.begin(), changes.end());
  const Finished run = c2rl(arguments);
  EXPECT_EQ(run.status, 0) << run.err;
  const Json result = Json::parse(run.out);
  EXPECT_EQ(result["status"], "optimal");
  EXPECT_NEAR(result["minimize"]["value"].get<double>(), 8.4, 1e-9);
  EXPECT_NEAR(result["minimize"]["lower_bound"].get<double>(), 8.4, 1e-9);
  EXPECT_EQ(result["oracle_calls"], 1);
  const Finished shown = c2rl({"show", run_});
  EXPECT_NE(shown.out.find("steps + 0.1*risk = 8.4 is the least"), std::string::npos) << shown.out;
  const Finished check = c2rl({"check", run_ + "/problem.toml"});
  EXPECT_NE(check.out.find("target       everything\n  minimize     steps + 0.1*risk\n"), std::string::npos)
      << check.out << check.err;
}

TEST_F(SolveCommand, JsonAndQuietSayNothingElse) {
  const Finished json = c2rl({"solve", kExamples + "navigation.toml", "--out", run_, "--json"});
  EXPECT_EQ(Json::parse(json.out)["status"], "feasible");
  EXPECT_EQ(json.err, "");
  EXPECT_EQ(c2rl({"solve", kExamples + "navigation.toml", "--out", run_ + "2", "--quiet"}).err, "");
}

TEST_F(SolveCommand, ExitStatusSaysHowItEnded) {
  const auto status_with = [&](const std::string& assignment, const std::string& more = "seed=0") {
    std::filesystem::remove_all(run_);
    return c2rl({"solve", kExamples + "navigation.toml", "--out", run_, "--quiet", "--set", assignment,
                 "--set", more})
        .status;
  };
  EXPECT_EQ(status_with("target.constraints=[\"steps <= 9\", \"risk <= 0.5\"]"), 3);
  EXPECT_EQ(status_with("solver.max_oracle_calls=1"), 4);
  EXPECT_EQ(status_with("solver.kind=cg", "solver.max_oracle_calls=5"), 4);
}

TEST_F(SolveCommand, ChangingAKindAloneWorks) {
  for (const char* example : {"navigation", "mars_rover", "deep_sea_treasure"}) {
    for (const char* change :
         {"oracle.kind=q-learning", "solver.kind=away-step", "solver.kind=modified-mnp"}) {
      std::filesystem::remove_all(run_);
      const Finished run =
          c2rl({"solve", kExamples + example + ".toml", "--out", run_, "--quiet", "--set", change});
      EXPECT_TRUE(run.status == 0 || run.status == 4) << example << " " << change << "\n"
                                                      << run.out << run.err;
    }
  }
}

// A run directory's problem.toml says everything: solving it again gives the same result.
TEST_F(SolveCommand, ResolvedProblemsRunAlike) {
  for (const char* example :
       {"navigation", "mars_rover", "deep_sea_treasure", "courier", "garnet", "worst_case"}) {
    std::filesystem::remove_all(directory_);
    const auto result_of = [&](const std::string& file, const std::string& out) {
      Json result = Json::parse(c2rl({"solve", file, "--out", out, "--json"}).out);
      result.erase("seconds");
      return result.dump();
    };
    const std::string first = result_of(kExamples + example + ".toml", run_);
    EXPECT_EQ(result_of(run_ + "/problem.toml", run_ + "-again"), first) << example;
    EXPECT_EQ(read_file(run_ + "/problem.toml"), read_file(run_ + "-again/problem.toml"));
  }
}

TEST_F(SolveCommand, ListAndCheckSayWhatThereIs) {
  const Finished list = c2rl({"list"});
  EXPECT_EQ(list.status, 0);
  for (const char* name : {"grid", "garnet", "dynamic-programming", "q-learning", "corrective-mnp", "ball"}) {
    EXPECT_NE(list.out.find(name), std::string::npos) << name;
  }
  const Finished check = c2rl({"check", kExamples + "navigation.toml"});
  EXPECT_EQ(check.status, 0);
  EXPECT_NE(check.out.find("54 states, 212 choices"), std::string::npos) << check.out;
  EXPECT_NE(check.out.find("at most 3 policies kept"), std::string::npos) << check.out;
  const Finished rcpo =
      c2rl({"check", kExamples + "navigation.toml", "--set", "solver.kind=rcpo", "--set", "oracle.kind=a2c"});
  EXPECT_NE(rcpo.out.find("1 policy kept"), std::string::npos) << rcpo.out << rcpo.err;
}

TEST_F(SolveCommand, ListShowsTheKeysOfAKind) {
  const Finished appropo = c2rl({"list", "appropo"});
  EXPECT_EQ(appropo.status, 0);
  EXPECT_NE(appropo.out.find("kappa = 20\n      a number above 0\n"), std::string::npos) << appropo.out;
  EXPECT_NE(appropo.out.find("tolerance = 1e-06"), std::string::npos)
      << appropo.out;  // that all solvers have
  const Finished ball = c2rl({"list", "ball"});
  EXPECT_NE(ball.out.find("center (must be given)"), std::string::npos) << ball.out;
  const Finished slip = c2rl({"list", "apropo"});
  EXPECT_EQ(slip.status, 2);
  EXPECT_NE(slip.err.find("did you mean 'appropo'?"), std::string::npos) << slip.err;
}

// A range is stated once, so that the error is at the key that is out of it, wherever it is used.
TEST_F(SolveCommand, ErrorsNameTheRightKey) {
  const auto error = [&](const std::string& assignment) {
    return c2rl({"solve", kExamples + "navigation.toml", "--out", run_, "--set", assignment}).err;
  };
  EXPECT_NE(error("solver.tolerance=-1").find("solver.tolerance: found -1, expected a number above 0"),
            std::string::npos)
      << error("solver.tolerance=-1");
  EXPECT_NE(error("solver.max_oracle_calls=0").find("solver.max_oracle_calls: found 0, expected"),
            std::string::npos);
  EXPECT_NE(error("target.set={kind=\"box\", lower=[1, 1], upper=[1]}").find("target.set.upper: "),
            std::string::npos)
      << error("target.set={kind=\"box\", lower=[1, 1], upper=[1]}");
}

TEST_F(SolveCommand, EveryCommandHasAnExampleInItsHelp) {
  for (const char* command :
       {"solve", "mix", "experiment", "collect", "evaluate", "flatten", "check", "list"}) {
    const Finished help = c2rl({command, "--help"});
    EXPECT_EQ(help.status, 0);
    EXPECT_NE(help.out.find("Example"), std::string::npos) << command;
  }
}

TEST_F(SolveCommand, ShowPrintsTheResultAgainAndTouchesNothing) {
  const Finished solved = c2rl({"solve", kExamples + "navigation.toml", "--out", run_, "--quiet"});
  const auto before = std::filesystem::last_write_time(run_ + "/result.json");
  const std::string record = read_file(run_ + "/record.jsonl");
  const Finished shown = c2rl({"show", run_});
  EXPECT_EQ(shown.status, 0) << shown.err;
  EXPECT_EQ(shown.out + "Saved in " + run_ + ".\n", solved.out);
  Json saved = Json::parse(read_file(run_ + "/result.json"));
  for (const char* of_the_file : {"problem", "seal"}) EXPECT_EQ(saved.erase(of_the_file), 1u);
  EXPECT_EQ(Json::parse(c2rl({"show", run_, "--json"}).out), saved);
  EXPECT_EQ(std::filesystem::last_write_time(run_ + "/result.json"), before);
  EXPECT_EQ(read_file(run_ + "/record.jsonl"), record);
  EXPECT_EQ(c2rl({"show", directory_ + "/nothing"}).status, 2);
}

TEST_F(SolveCommand, EvaluateNamesPoliciesAsSolveDoes) {
  c2rl({"solve", kExamples + "navigation.toml", "--out", run_, "--quiet"});
  const Finished evaluated = c2rl({"evaluate", run_, "--episodes", "10"});
  for (const char* id : {"call-1 ", "call-2 "}) EXPECT_NE(evaluated.out.find(id), std::string::npos) << id;
}

TEST_F(SolveCommand, SlipsOfCommandsAndSectionsAreSuggested) {
  const Finished slip = c2rl({"slove", kExamples + "navigation.toml"});
  EXPECT_EQ(slip.status, 2);
  EXPECT_NE(slip.err.find("unknown command 'slove'; did you mean 'solve'?"), std::string::npos) << slip.err;
  std::string text = read_file(kExamples + "navigation.toml");
  text.replace(text.find("[target]"), 8, "[targets]");
  write_file(directory_ + "/slip.toml", text);
  const Finished section = c2rl({"solve", directory_ + "/slip.toml", "--out", run_});
  EXPECT_NE(section.err.find("did you mean 'target'?"), std::string::npos) << section.err;
}

TEST_F(SolveCommand, OneCallIsOneCall) {
  const Finished one = c2rl({"solve", kExamples + "navigation.toml", "--out", run_, "--quiet", "--set",
                             "solver.max_oracle_calls=1"});
  EXPECT_NE(one.out.find("budget: 1 oracle call is used up;"), std::string::npos) << one.out;
  EXPECT_NE(one.out.find("\n1 oracle call with"), std::string::npos) << one.out;
}

// With slip every policy ends, but walking away from the goal takes longer than any number can hold.
TEST_F(SolveCommand, EpisodesWithoutAnEndAreTheUsersToBound) {
  for (const char* slip : {"environment.slip=0", "environment.slip=0.1"}) {
    const Finished endless = c2rl({"solve", kExamples + "navigation.toml", "--out", run_, "--set",
                                   "environment.horizon=0", "--set", slip});
    EXPECT_EQ(endless.status, 2) << endless.err;
    EXPECT_NE(endless.err.find("horizon: "), std::string::npos) << endless.err;
    EXPECT_NE(endless.err.find("expected a horizon, or a discount below 1"), std::string::npos)
        << endless.err;
  }
}

TEST_F(SolveCommand, BadRunsAreRefused) {
  EXPECT_EQ(c2rl({"evaluate", directory_}).status, 2);
  c2rl({"solve", kExamples + "navigation.toml", "--out", run_, "--quiet"});
  EXPECT_EQ(c2rl({"solve", kExamples + "navigation.toml", "--out", run_, "--quiet"}).status, 2);
  EXPECT_EQ(c2rl({"evaluate", run_, "--episodes", "1"}).status, 2);
  write_file(run_ + "/policies/call-1.safetensors", "garbage");
  const Finished broken = c2rl({"evaluate", run_});
  EXPECT_EQ(broken.status, 2);
  EXPECT_NE(broken.err.find("call-1.safetensors: not a safetensors file"), std::string::npos) << broken.err;
}

// ---- Bad problem files: each names the field, most the line -----------------------------------------------

struct Bad {
  std::string find, replace;  // in examples/navigation.toml; find empty: the whole text
  std::string expected;       // in the message
};

const std::vector<Bad>& bad_files() {
  static const std::vector<Bad> all = {
      {"", "", "environment.kind"},
      {"", "name = ", ":1:"},
      {"", "[environment]\nkind = 3\n", "environment.kind"},
      {"", "[environment]\nkind = \"gird\"\n", "did you mean 'grid'?"},
      {"", "[environment]\nkind = \"grid\"\n", "environment.map"},
      {"name = \"navigation\"", "name = 7", "name"},
      {"name = \"navigation\"", "name = \"a\"\nseed = -1", "seed"},
      {"name = \"navigation\"", "name = \"a\"\nsede = 1", "sede: unknown key; did you mean 'seed'?"},
      {"kind = \"grid\"", "", "environment.kind"},
      {"kind = \"grid\"", "kind = \"grid\"\nkind = \"grid\"", "kind"},
      {"S.####..G", "..####..G", "environment.map"},
      {"S.####..G", "S.####..X", "'X'"},
      {"S.####..G", "S.####.G", "environment.map"},
      {"measurements = [\"steps\", \"risk\"]", "measurements = []", "environment.measurements"},
      {"measurements = [\"steps\", \"risk\"]", "measurements = \"steps\"", "environment.measurements"},
      {"measurements = [\"steps\", \"risk\"]", "measurements = [\"steps\", \"steps\"]",
       "environment.measurements"},
      {"measurements = [\"steps\", \"risk\"]", "measurements = [\"steps\"]", "risk"},
      {"horizon = 500", "horizon = -1", "environment.horizon"},
      {"horizon = 500", "horizon = 1.5", "environment.horizon"},
      {"horizon = 500", "horizn = 500", "environment.horizn: unknown key; did you mean 'horizon'?"},
      {"horizon = 500 ", "# ", "environment"},  // endless: discount 1 and no horizon
      {"discount = 1.0", "discount = 0", "environment.discount"},
      {"discount = 1.0", "discount = 1.01", "environment.discount"},
      {"discount = 1.0", "discount = nan", "environment.discount"},
      {"discount = 1.0", "discount = \"one\"", "environment.discount"},
      {"discount = 1.0", "discount = 1.0\nslip = 2", "environment.slip"},
      {"steps = 1", "stepz = 1", "stepz"},
      {"\"#\" = { risk = 1 }", "\"##\" = { risk = 1 }", "environment.legend"},
      {"\"#\" = { risk = 1 }", "\"#\" = { risk = \"much\" }", "environment.legend"},
      {"\"#\" = { risk = 1 }", "\"#\" = { danger = 1 }", "adds to 'risk'"},
      {"\"#\" = { risk = 1 }", "\"#\" = 1", "environment.legend"},
      {"constraints = [", "constraint = [", "target.constraint"},
      {"constraints = [\"0 <= steps <= 11\", \"0 <= risk <= 0.5\"]", "constraints = []",
       "target.constraints"},
      {"constraints = [\"0 <= steps <= 11\", \"0 <= risk <= 0.5\"]", "constraints = \"steps <= 1\"",
       "target.constraints"},
      {"0 <= steps <= 11", "0 <= stpes <= 11", "did you mean 'steps'?"},
      {"0 <= steps <= 11", "0 < steps", "target.constraints"},
      {"0 <= steps <= 11", "12 <= steps <= 11", "target.constraints"},
      {"\"0 <= risk <= 0.5\"", "\"risk >= 1\", \"risk <= 0.5\"", "cannot both hold"},
      {"[oracle] ", "maximize = \"speed\"\n[oracle] ", "target.maximize"},
      {"[oracle] ", "maximize = \"risk*steps\"\n[oracle] ", "target.maximize: a product of two measurements"},
      {"[oracle] ", "maximize = \"risk\"\nminimize = \"steps\"\n[oracle] ",
       "target.minimize: found beside maximize, expected one of them"},
      {"[oracle] ", "maximize = \"risk\"\nmaximize_method = \"magic\"\n[oracle] ", "target.maximize_method"},
      {"[oracle] ", "[target.set]\nkind = \"bal\"\n[oracle] ", "did you mean 'ball'?"},
      {"[oracle] ", "[target.set]\nkind = \"ball\"\ncenter = [1]\nradius = 1\n[oracle] ",
       "target.set.center"},
      {"[oracle] ", "[target.set]\nkind = \"ball\"\ncenter = [1, 2]\nradius = -1\n[oracle] ", "radius"},
      {"[oracle] ", "[target.set]\nkind = \"ball\"\ncenter = [100, 2]\nradius = 1\n[oracle] ",
       "share no point"},
      {"kind = \"dynamic-programming\"", "kind = \"dynamic-programing\"",
       "did you mean 'dynamic-programming'?"},
      {"kind = \"dynamic-programming\"", "kind = \"dynamic-programming\"\nties = \"coin\"", "oracle.ties"},
      {"kind = \"dynamic-programming\"", "kind = \"dynamic-programming\"\nepsilon = 1", "oracle.epsilon"},
      {"kind = \"dynamic-programming\"", "kind = \"q-learning\"\ntraining_steps = 0",
       "oracle.training_steps"},
      {"kind = \"dynamic-programming\"", "kind = \"q-learning\"\nepsilon_first = 2", "oracle.epsilon_first"},
      {"kind = \"dynamic-programming\"", "kind = \"q-learning\"\nevaluation = \"guess\"",
       "oracle.evaluation"},
      {"kind = \"dynamic-programming\"", "kind = \"q-learning\"\nevaluation_episodes = 1",
       "oracle.evaluation_episodes"},
      {"kind = \"dynamic-programming\"", "kind = \"q-learning\"\nretries = -1", "oracle.retries"},
      {"kind = \"corrective-mnp\"", "kind = \"corective-mnp\"", "did you mean 'corrective-mnp'?"},
      {"kind = \"corrective-mnp\"", "kind = \"wolfe-mnp\"", "solver.kind"},
      {"kind = \"corrective-mnp\"", "kind = \"corrective-mnp\"\nkappa = 20", "solver.kappa"},
      {"kind = \"corrective-mnp\"", "kind = \"appropo\"\nkappa = 0", "solver.kappa"},
      {"kind = \"corrective-mnp\"", "kind = \"appropo\"\nmomentum = 1", "solver.momentum"},
      {"kind = \"corrective-mnp\"", "kind = \"appropo\"\nmax_cache_rounds = 10", "solver.max_cache_rounds"},
      {"kind = \"corrective-mnp\"", "kind = \"appropo\"\ncache = true\nmax_cache_rounds = 0",
       "solver.max_cache_rounds"},
      {"kind = \"corrective-mnp\"", "kind = \"appropo\"\neta = 3", "solver.eta"},
      {"kind = \"corrective-mnp\"", "kind = \"lagrangian\"\neta = 0", "solver.eta"},
      {"kind = \"corrective-mnp\"", "kind = \"lagrangian\"\ncache = true", "solver.cache"},
      {"kind = \"corrective-mnp\"", "first_direction = [1]", "solver.first_direction"},
      {"kind = \"corrective-mnp\"", "first_direction = \"up\"", "solver.first_direction"},
      {"tolerance = 1e-6", "tolerance = 0", "solver.tolerance"},
      {"tolerance = 1e-6", "tolerance = \"small\"", "solver.tolerance"},
      {"max_oracle_calls = 100", "max_oracle_calls = 0", "solver.max_oracle_calls"},
      {"max_oracle_calls = 100", "max_oracle_calls = 1.5", "solver.max_oracle_calls"},
      {"max_oracle_calls = 100", "max_calls = 100", "solver.max_calls"},
      {"[solver]", "[solvr]", "solvr"},
  };
  return all;
}

TEST_F(SolveCommand, BadProblemFilesNameTheField) {
  const std::string good = read_file(kExamples + "navigation.toml");
  ASSERT_GE(bad_files().size(), 40u);
  const std::string file = directory_ + "/bad.toml";
  for (const Bad& bad : bad_files()) {
    std::string text = bad.replace;
    if (!bad.find.empty()) {
      text = good;
      const size_t where = text.find(bad.find);
      ASSERT_NE(where, std::string::npos) << bad.find;
      text.replace(where, bad.find.size(), bad.replace);
    }
    write_file(file, text);
    for (const char* command : {"check", "solve"}) {
      std::vector<std::string> arguments = {command, file};
      if (arguments[0] == "solve") arguments.insert(arguments.end(), {"--out", run_});
      const Finished run = c2rl(arguments);
      EXPECT_EQ(run.status, 2) << bad.replace << "\n" << run.err;
      EXPECT_NE(run.err.find("bad.toml"), std::string::npos) << run.err;
      EXPECT_NE(run.err.find(bad.expected), std::string::npos)
          << "expected '" << bad.expected << "' in: " << run.err;
      EXPECT_FALSE(std::filesystem::exists(run_)) << "a bad problem left a run directory: " << bad.replace;
    }
  }
}

TEST_F(SolveCommand, BadOverridesAreRefused) {
  for (const char* assignment : {"solver.kind", "=3", "solver.kind=", "solver.tolerence=1", "nosuch.key=1"}) {
    const Finished run = c2rl({"check", kExamples + "navigation.toml", "--set", assignment});
    EXPECT_EQ(run.status, 2) << assignment << run.out;
  }
  EXPECT_EQ(c2rl({"check", directory_ + "/missing.toml"}).status, 2);
}

}  // namespace
}  // namespace c2rl
