#include <filesystem>
#include <fstream>
#include <functional>

#include <gtest/gtest.h>

#include "c2rl/base/file.h"
#include "c2rl/base/json.h"
#include "c2rl/cli/command_testing.h"

namespace c2rl {
namespace {

class MixCommand : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(directory_); }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  std::string write(const std::string& name, const std::string& text) const {
    const std::string file = directory_ + "/" + name;
    std::ofstream(file) << text;
    return file;
  }

  Finished mix(const std::string& csv, std::vector<std::string> options) const {
    options.insert(options.begin(), {"mix", write("points.csv", csv)});
    return c2rl(options);
  }

  const std::string directory_ =
      testing::TempDir() + "c2rl_mix_" + testing::UnitTest::GetInstance()->current_test_info()->name();
};

const std::string kNavigation = "id,steps,risk\nstraight,8,4\ncorner,10,1\naround,12,0\nlost,500,0\n";
const std::vector<std::string> kFeasible = {"-c", "0 <= steps <= 11", "-c", "0 <= risk <= 0.5"};
const std::vector<std::string> kInfeasible = {"-c", "steps <= 9", "-c", "risk <= 0.5"};

std::vector<std::string> operator+(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST_F(MixCommand, NavigationAsJson) {
  const Finished run = mix(kNavigation, kFeasible + std::vector<std::string>{"--json"});
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.err, "");
  const Json result = Json::parse(run.out);
  EXPECT_EQ(result["status"], "feasible");
  ASSERT_EQ(result["policies"].size(), 2u);
  std::vector<std::string> ids;
  for (const Json& policy : result["policies"]) {
    ids.push_back(policy["id"]);
    EXPECT_NEAR(policy["weight"].get<double>(), 0.5, 1e-12);
  }
  std::sort(ids.begin(), ids.end());
  EXPECT_EQ(ids, (std::vector<std::string>{"around", "corner"}));
  EXPECT_NEAR(result["measurement"][0].get<double>(), 11, 1e-12);
  EXPECT_NEAR(result["measurement"][1].get<double>(), 0.5, 1e-12);
  EXPECT_LT(result["distance"].get<double>(), 1e-9);
  EXPECT_LE(result["oracle_calls"].get<int>(), 5);
  for (const char* field : {"error", "distance_lower_bound", "certificate", "policies_stored_max",
                            "env_steps", "seconds", "seed"}) {
    EXPECT_TRUE(result.contains(field)) << field;
  }
}

TEST_F(MixCommand, InfeasibleNamesTheConflictInWords) {
  const Finished run = mix(kNavigation, kInfeasible);
  EXPECT_EQ(run.status, 3);
  EXPECT_NE(run.out.find("No mixture can satisfy \"steps <= 9\" and \"risk <= 0.5\" together."),
            std::string::npos);
  EXPECT_NE(run.out.find("Every mixture has    3 steps + 2 risk >= 32\n"
                         "the target asks for  3 steps + 2 risk <= 28\n"),
            std::string::npos)
      << run.out;
  const Json result = Json::parse(mix(kNavigation, kInfeasible + std::vector<std::string>{"--json"}).out);
  EXPECT_NEAR(result["distance_lower_bound"].get<double>(), result["distance"].get<double>(), 1e-9);
  EXPECT_EQ(result["certificate"]["grade"], "proof");
}

const std::string kMeasured = "id,steps,risk,risk_se\na,8,4,0.1\nb,10,1,0.1\nc,12,0,0.1\n";

TEST_F(MixCommand, StandardErrorsMakeConfidence) {
  const Finished out_of_reach = mix(kMeasured, kInfeasible);
  EXPECT_EQ(out_of_reach.status, 3);
  EXPECT_NE(out_of_reach.out.find("infeasible with 95% confidence: "), std::string::npos) << out_of_reach.out;
  EXPECT_NE(out_of_reach.out.find("(with 95% confidence)"), std::string::npos) << out_of_reach.out;
  EXPECT_NE(out_of_reach.out.find("10 ± 0"), std::string::npos);
  EXPECT_EQ(mix(kMeasured, {"-c", "steps <= 11", "-c", "risk <= 0.5"}).status, 4);  // on the boundary
  const std::vector<std::string> room = {"-c", "steps <= 11.5", "-c", "risk <= 0.7"};
  EXPECT_EQ(mix(kMeasured, room).out.substr(0, 30), "feasible with 95% confidence: ");
  const Json result = Json::parse(mix(kMeasured, room + std::vector<std::string>{"--json"}).out);
  EXPECT_EQ(result["claim"], (Json{{"grade", "confidence"}, {"level", 0.95}}));
  const Finished most = mix(kMeasured, room + std::vector<std::string>{"--maximize", "risk", "--json"});
  EXPECT_EQ(most.status, 0);
  const Json best = Json::parse(most.out);
  EXPECT_EQ(best["status"], "optimal");
  EXPECT_LE(best["maximize"]["value"].get<double>(), best["maximize"]["upper_bound"].get<double>());
  EXPECT_LT(best["maximize"]["interval"][0].get<double>(), best["maximize"]["value"].get<double>());
}

TEST_F(MixCommand, LargeNumbersExcuseNothing) {
  EXPECT_EQ(mix("risk,income\n0.51,1e12\n0.6,2e12\n", {"-c", "risk <= 0.5"}).status, 3);
  const Finished refused = mix("steps\n1\n2\n", {"-c", "steps >= 1e155"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("expected numbers up to 1e100"), std::string::npos) << refused.err;
  EXPECT_EQ(mix("steps\n1e155\n", {"-c", "steps >= 1"}).status, 2);
  EXPECT_EQ(mix("steps\n1\n2\n", {"-c", "steps >= 1e95"}).status, 3);
}

TEST_F(MixCommand, MaximizeReportsTheBracket) {
  const Finished run =
      mix("treasure,steps\n1,1\n50,14\n124,19\n", {"-c", "steps <= 8.2", "--maximize", "treasure", "--json"});
  EXPECT_EQ(run.status, 0);
  const Json result = Json::parse(run.out);
  EXPECT_EQ(result["status"], "optimal");
  EXPECT_NEAR(result["maximize"]["value"].get<double>(), 50.2, 1e-7);
  EXPECT_NEAR(result["maximize"]["upper_bound"].get<double>(), 50.2, 1e-7);
}

// On the edge from (1, 1) to (124, 19) treasure - 2*steps + 5 rises, up to 8.2 steps: 50.2 - 16.4 + 5.
TEST_F(MixCommand, AnyLinearExpressionIsMaximizedOrMinimized) {
  const std::string csv = "treasure,steps\n1,1\n50,14\n124,19\n";
  const Json most = Json::parse(
      mix(csv, {"-c", "steps <= 8.2", "--maximize", "treasure - 2*steps + 5", "--json"}).out)["maximize"];
  EXPECT_EQ(most["name"], "treasure - 2*steps + 5");
  EXPECT_NEAR(most["value"].get<double>(), 38.8, 1e-7);
  EXPECT_NEAR(most["upper_bound"].get<double>(), 38.8, 1e-7);
  const Json result = Json::parse(
      mix(csv, {"-c", "steps <= 8.2", "--minimize", "100*(2*steps - treasure) - 500", "--json"}).out);
  EXPECT_EQ(result["status"], "optimal");
  EXPECT_FALSE(result.contains("maximize"));
  EXPECT_NEAR(result["minimize"]["value"].get<double>(), -3880, 1e-5);
  EXPECT_NEAR(result["minimize"]["lower_bound"].get<double>(), -3880, 1e-5);
  EXPECT_LE(result["minimize"]["lower_bound"].get<double>(), result["minimize"]["value"].get<double>());
}

TEST_F(MixCommand, WithAnObjectiveThereNeedBeNoConstraint) {
  const Finished run = mix(kNavigation, {"--minimize", "steps + 3*risk"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out.find("constraint"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("optimal: steps + 3*risk = 12 is the least"), std::string::npos) << run.out;
  for (const char* sense : {"--maximize", "--minimize"}) {
    const Finished all = mix(kNavigation, {sense, "risk - steps", "--solver", "all", "--json"});
    EXPECT_EQ(all.status, 0) << all.err;
    const std::string key = std::string(sense).substr(2);
    for (const Json& result : Json::parse(all.out)) {
      EXPECT_EQ(result["distance"], 0) << result["solver"];
      EXPECT_NEAR(result[key]["value"].get<double>(), key == "maximize" ? -4 : -500, 1e-9)
          << result["solver"];
    }
  }
}

TEST_F(MixCommand, SlackIsInTheUnitsOfTheConstraint) {
  const Finished run =
      mix("steps,risk\n10,1\n", {"-c", "10*steps <= 110", "-c", "2*norm(steps - 7, risk - 5) <= 7", "-c",
                                 "3*risk >= 3", "-c", "risk <= 1e6"});
  EXPECT_EQ(run.status, 3) << run.out;
  for (const char* word : {" holds, slack 10\n", " violated by 3\n", " tight\n", " holds, slack 999999\n"})
    EXPECT_NE(run.out.find(word), std::string::npos) << word << run.out;
}

// A quarter of 0.3 and three of -0.1 do not add up to 0 exactly.
TEST_F(MixCommand, RoundingIsPrintedAsZero) {
  const Finished run = mix("a,b\n0.3,1\n-0.1,0\n", {"-c", "a == 0", "-c", "b <= 0.25", "--maximize", "a"});
  EXPECT_EQ(run.status, 0) << run.out;
  EXPECT_NE(run.out.find("mixture       1     0  0.25\n"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("a = 0 is the most"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("lies between 0 and 0 (proof)"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("distance 0."), std::string::npos) << run.out;
}

TEST_F(MixCommand, AllSolversSideBySide) {
  const Finished run =
      mix(kNavigation, kFeasible + std::vector<std::string>{"--solver", "all", "--max-oracle-calls", "50"});
  EXPECT_EQ(run.status, 0);
  for (const char* kind : {"corrective-mnp", "modified-mnp", "pairwise", "away-step", "cg-line-search", "cg ",
                           "appropo", "lagrangian"}) {
    EXPECT_NE(run.out.find(kind), std::string::npos) << kind;
  }
  EXPECT_EQ(run.out.find("wolfe-mnp"), std::string::npos);  // not a target of one point
  const Finished curved =
      mix(kNavigation, {"-c", "norm(steps - 11, risk) <= 1", "--solver", "all", "--max-oracle-calls", "50"});
  EXPECT_EQ(curved.status, 0);
  EXPECT_NE(curved.out.find("appropo"), std::string::npos);
  EXPECT_EQ(curved.out.find("lagrangian"), std::string::npos);  // no flat faces
  const Finished best = mix(kNavigation, {"-c", "risk <= 0.5", "--maximize", "risk", "--solver", "all",
                                          "--max-oracle-calls", "50"});
  EXPECT_EQ(best.status, 0) << best.err;
}

TEST_F(MixCommand, SavedResultsAreVerifiedAndTamperedOnesAreNot) {
  for (const auto& constraints : {kFeasible, kInfeasible}) {
    mix(kNavigation, constraints + std::vector<std::string>{"--out", directory_ + "/run", "--force"});
    const std::string file = directory_ + "/run/result.json";
    const Finished good = mix(kNavigation, {"--verify", file});
    EXPECT_EQ(good.status, 0) << good.out;
    EXPECT_EQ(good.out.substr(0, 9), "verified:");
    std::stringstream text;
    text << std::ifstream(file).rdbuf();
    Json result = Json::parse(text.str());
    result["policies"][0]["weight"] = result["policies"][0]["weight"].get<double>() * 0.9;
    const Finished bad = mix(kNavigation, {"--verify", write("tampered.json", result.dump())});
    EXPECT_EQ(bad.status, 4);
    EXPECT_NE(bad.out.find("the weights sum to"), std::string::npos) << bad.out;

    // The directory does as well; constraints that are given must be the result's.
    EXPECT_EQ(
        mix(kNavigation, constraints + std::vector<std::string>{"--verify", directory_ + "/run"}).status, 0);
    const Finished other = mix(kNavigation, {"-c", "steps <= 7", "--verify", directory_ + "/run"});
    EXPECT_EQ(other.status, 4);
    EXPECT_NE(other.out.find("not about \"steps <= 7\""), std::string::npos) << other.out;

    const Json truth = Json::parse(text.str());
    const auto edited = [&](const std::function<void(Json&)>& edit) {
      Json copy = truth;
      edit(copy);
      return mix(kNavigation, {"--verify", write("tampered.json", copy.dump())}).status;
    };
    EXPECT_EQ(edited([](Json&) {}), 0);
    EXPECT_EQ(edited([](Json& r) { r["policies"][0]["measurement"][0] = 9.5; }), 4);
    EXPECT_EQ(edited([](Json& r) { r["policies"][0]["standard_error"][0] = 9.5; }), 4);
    EXPECT_EQ(edited([](Json& r) { r["distance_lower_bound"] = 0.25; }), 4);
    EXPECT_EQ(edited([](Json& r) { r["error"] = 0.25; }), 4);
    EXPECT_EQ(edited([](Json& r) { r["claim"] = {{"grade", "confidence"}, {"level", 0.95}}; }), 4);
    if (truth["status"] == "infeasible") {
      EXPECT_EQ(edited([](Json& r) { r["distance_lower_bound"] = r["certificate"]["bound"] = 0.25; }), 4);
    }
  }
}

TEST_F(MixCommand, WhatIsThereIsReplacedByForceOnly) {
  const std::string out = directory_ + "/run", file = out + "/result.json";
  const auto save = [&](const std::vector<std::string>& more) {
    return mix(kNavigation, kFeasible + std::vector<std::string>{"--out", out} + more);
  };
  ASSERT_EQ(save({}).status, 0);
  write_file(file, "precious");
  const Finished refused = save({});
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.err, "c2rl: " + file + ": is there already; --force replaces it\n");
  EXPECT_EQ(read_file(file), "precious");
  EXPECT_EQ(save({"--force"}).status, 0);
  EXPECT_NE(read_file(file), "precious");
  // A run's result is the run's.
  write_file(out + "/problem.toml", "");
  EXPECT_EQ(save({"--force"}).status, 2);
  EXPECT_EQ(mix(kNavigation, kFeasible + std::vector<std::string>{"--out", ""}).status, 2);
}

TEST_F(MixCommand, BadInputSaysWhereAndWhat) {
  struct Bad {
    std::string csv;
    std::vector<std::string> options;
    std::string expected;
  };
  const std::vector<std::string> any = {"-c", "a <= 1"};
  const std::vector<Bad> cases = {
      {"", any, "points.csv: "},
      {"a,b\n", any, "points.csv"},
      {"a,b\n1,2\n3\n", any, "points.csv:3"},
      {"a,b\n1,2,3\n", any, "points.csv:2"},
      {"a,b\n1,x\n", any, "points.csv:2:3: b: "},
      {"a,b\n1,nan\n", any, "points.csv:2:3: b: "},
      {"a,b\n1,inf\n", any, "points.csv:2:3: b: "},
      {"a,a\n1,2\n", any, "points.csv:1"},
      {"id\nx\n", any, "points.csv:1"},
      {"id,a\nx,1\nx,2\n", any, "points.csv:3"},
      {"a,a_se\n1,-2\n", any, "points.csv:2:3"},
      {"a,c_se\n1,2\n", any, "points.csv:1"},
      {"a,b\n1,2\n", {}, "--constraint"},
      {"a,b\n1,2\n", {"-c", "c <= 1"}, "unknown measurement 'c'"},
      {"steps,b\n1,2\n", {"-c", "stesp <= 1"}, "did you mean 'steps'?"},
      {"a,b\n1,2\n", {"-c", "a < 1"}, "a < 1\n"},
      {"a,b\n1,2\n", {"-c", "a <= 1", "-c", "a >= 2"}, "\"a <= 1\" and \"a >= 2\" cannot both hold"},
      {"a,b\n1,2\n", {"-c", "a <= 1", "--solver", "corective-mnp"}, "did you mean 'corrective-mnp'?"},
      {"a,b\n1,2\n", {"-c", "a <= 1", "--solver", "wolfe-mnp"}, "needs a target of one point"},
      {"a,b\n1,2\n", {"-c", "a <= 1", "--tolerance", "0"}, "tolerance"},
      {"a,b\n1,2\n", {"-c", "a <= 1", "--tolerance", "tiny"}, "tolerance"},
      {"a,b\n1,2\n", {"-c", "a <= 1", "--max-oracle-calls", "-1"}, "max_oracle_calls"},
      {"a,b\n1,2\n", {"-c", "a <= 1", "--maximize", "z"}, "unknown measurement 'z'"},
      {"a,b\n1,2\n", {"--minimize", "a*b"}, "--minimize: a product of two measurements is not linear"},
      {"a,b\n1,2\n", {"--minimize", "a", "--maximize", "b"}, "found beside --maximize, expected one of them"},
      {"a,b\n1,2\n", {"-c", "a <= 1", "--no-such-option"}, "--no-such-option"},
      {"a,b\n1,2\n", {"--verify", "no-such.json"}, "no-such.json"},
  };
  for (const Bad& bad : cases) {
    const Finished run = mix(bad.csv, bad.options);
    EXPECT_EQ(run.status, 2) << bad.csv << run.err;
    EXPECT_EQ(run.out, "") << bad.csv;
    EXPECT_NE(run.err.find(bad.expected), std::string::npos)
        << "expected '" << bad.expected << "' in: " << run.err;
  }
  EXPECT_EQ(c2rl({"mix", directory_ + "/missing.csv", "-c", "a <= 1"}).status, 2);
  EXPECT_EQ(c2rl({"mix", directory_, "-c", "a <= 1"}).status, 2);
  EXPECT_EQ(c2rl({}).status, 2);
  EXPECT_EQ(c2rl({"mxi"}).status, 2);
  const std::string not_a_result = write("not.json", "{\"status\": 3}");
  EXPECT_EQ(mix(kNavigation, {"--verify", not_a_result}).status, 2);
}

TEST_F(MixCommand, AMillionPolicies) {
  std::string csv = "a,b\n";
  csv.reserve(20'000'000);
  for (int i = 0; i < 1'000'000; ++i)
    csv += std::to_string(i % 1000) + "," + std::to_string((i * 7919L) % 1009) + "\n";
  const Finished run = mix(csv, {"-c", "abs(a - 500.5) <= 0.01", "-c", "b == 300.25"});
  EXPECT_EQ(run.status, 0) << run.err;
}

TEST_F(MixCommand, HelpShowsAnExample) {
  const Finished run = c2rl({"mix", "--help"});
  EXPECT_EQ(run.status, 0);
  EXPECT_NE(run.out.find("c2rl mix points.csv --constraint"), std::string::npos);
}

}  // namespace
}  // namespace c2rl
