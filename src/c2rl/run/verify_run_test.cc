#include "c2rl/run/verify_run.h"

#include <fmt/format.h>

#include "c2rl/base/json.h"
#include "c2rl/base/seal.h"
#include "c2rl/oracle/dynamic_programming.h"
#include "c2rl/run/certificate_file.h"
#include "c2rl/run/least_value.h"
#include "c2rl/run/run_testing.h"

namespace c2rl {
namespace {

class VerifyRun : public RunTest {
 protected:
  std::vector<Checked> checks() const { return verify_run(path_, {.episodes = 2000}); }

  std::string failures() const {
    std::string all;
    for (const Checked& check : checks()) {
      if (check.standing == Standing::failed) all += check.subject + ": " + check.words + "\n";
    }
    return all;
  }
  Standing standing(const std::string& subject) const {
    for (const Checked& check : checks()) {
      if (check.subject == subject) return check.standing;
    }
    ADD_FAILURE() << "nothing about " << subject;
    return Standing::failed;
  }

  /// Changes result.json and seals it again, as one would who wants to be believed.
  void tamper(const std::function<void(Json&)>& change) const {
    Json json = parse_json(read_file(inside("result.json")));
    change(json);
    json["seal"] = kBlankSeal;
    write_file(inside("result.json"), sealed(to_text(json, 2) + "\n"), Sync::no);
  }

  void expect_caught(const char* what, const std::function<void(Json&)>& change) const {
    SCOPED_TRACE(what);
    const std::string before = read_file(inside("result.json"));
    tamper(change);
    EXPECT_NE(failures(), "");
    write_file(inside("result.json"), before, Sync::no);
  }
};

const std::vector<std::string> kOutOfReach = {"target.constraints=[\"steps <= 9\", \"risk <= 0.5\"]"};
const std::vector<std::string> kLearned = {"oracle.kind=q-learning", "environment.slip=0.1",
                                           "environment.horizon=100",
                                           "target.constraints=[\"steps <= 13\", \"risk <= 0.8\"]"};

TEST_F(VerifyRun, WhatIsRightIsProven) {
  for (const std::vector<std::string>& changes :
       {std::vector<std::string>{}, kOutOfReach, {"solver.kind=appropo", "solver.max_oracle_calls=20"}}) {
    start(example("navigation", changes));
    EXPECT_EQ(failures(), "");
  }
  start(example("navigation"));
  EXPECT_EQ(standing("claim"), Standing::proven);
  start(example("navigation", kOutOfReach));
  EXPECT_EQ(standing("certificate"), Standing::proven);
}

TEST_F(VerifyRun, LearnedRunsAreHeldAgainstTheModelOrFreshEpisodes) {
  ASSERT_EQ(start(example("navigation", kLearned)).status, Status::feasible);
  EXPECT_EQ(failures(), "");
  EXPECT_EQ(standing("claim"), Standing::proven);
  EXPECT_EQ(standing("call-1"), Standing::evidence);
  // Without a model, a claim of episodes stays one.
  const Result balanced = start(example("cart_pole", {"oracle.training_steps=20000", "environment.horizon=20",
                                                      "target.constraints=[\"steps >= 5\"]"}));
  ASSERT_EQ(balanced.status, Status::feasible);
  EXPECT_EQ(failures(), "");
  EXPECT_EQ(standing("claim"), Standing::evidence);
}

TEST_F(VerifyRun, OptimaAreFoundAnew) {
  ASSERT_EQ(
      start(example("navigation", {"target.constraints=[\"risk <= 0.5\"]", "target.minimize=\"steps\""}))
          .status,
      Status::optimal);
  EXPECT_EQ(failures(), "");
  EXPECT_EQ(standing("optimum"), Standing::proven);
  expect_caught("bound", [](Json& json) { json["minimize"]["lower_bound"] = 11.5; });
}

TEST_F(VerifyRun, TamperedResultsAreCaughtWhateverTheirSeals) {
  for (const std::vector<std::string>& changes : {std::vector<std::string>{}, kOutOfReach, kLearned}) {
    start(example("navigation", changes));
    ASSERT_EQ(failures(), "");
    expect_caught("status", [](Json& json) {
      json["status"] = json["status"] == "feasible" ? "infeasible" : "feasible";
    });
    expect_caught("no claim", [](Json& json) { json["status"] = "undecided"; });
    expect_caught("weight", [](Json& json) { json["policies"][0]["weight"] = 0.75; });
    expect_caught("J", [](Json& json) { json["policies"][0]["measurement"][0] = 9.5; });
    expect_caught("mixture", [](Json& json) { json["measurement"][1] = 0.25; });
    expect_caught("distance", [](Json& json) { json["distance"] = 0.01; });
    expect_caught("bound", [](Json& json) {
      json["certificate"]["bound"] = 1.2;
      json["distance_lower_bound"] = 1.2;
    });
    expect_caught("direction", [](Json& json) { json["certificate"]["direction"] = {0.6, 0.8}; });
    expect_caught("policy", [](Json& json) { json["policies"][0]["file"] = "policies/call-2.safetensors"; });
    expect_caught("constraints", [](Json& json) { json["constraints"][0] = "steps <= 20"; });
  }
}

/// Plans, and says that every policy takes a step less than it does.
class Liar final : public Oracle {
 public:
  explicit Liar(const World& world) : honest_(world.model) {}
  int dim() const override { return honest_.dim(); }

 private:
  OracleAnswer answer(const OracleCall& call) const override {
    OracleAnswer answer = honest_.minimize(call);
    answer.measurement[0] -= 1;
    return answer;
  }
  DynamicProgramming honest_;
};

// Where record and result agree in what is not so, there are still the policies and the model.
TEST_F(VerifyRun, WhatAnOracleMadeUpIsCaught) {
  Problem problem = example("navigation", {"target.constraints=[\"steps <= 10.5\", \"risk <= 0.5\"]"});
  problem.oracle = std::make_shared<const Liar>(problem.world);
  ASSERT_EQ(start(problem).status, Status::feasible);
  EXPECT_EQ(standing("record"), Standing::proven);
  EXPECT_EQ(standing("call-1"), Standing::failed);
  EXPECT_EQ(standing("claim"), Standing::failed);
}

TEST_F(VerifyRun, DamageIsNamed) {
  start(example("navigation"));
  flip("policies/call-1.safetensors", 200);
  EXPECT_NE(failures().find("files: " + inside("policies/call-1.safetensors")), std::string::npos);
}

TEST_F(VerifyRun, NothingIsChanged) {
  start(example("navigation", kOutOfReach));
  std::map<std::string, std::string> before, after;
  for (const std::string& name : files()) before[name] = read_file(inside(name));
  checks();
  for (const std::string& name : files()) after[name] = read_file(inside(name));
  EXPECT_EQ(before, after);
}

TEST_F(VerifyRun, CertificatesAreForWhatCanBeProven) {
  start(example("navigation"));
  EXPECT_EQ(parse_json(certificate_text(path_))["mixture"].size(), 2u);
  start(example("navigation", kOutOfReach));
  const Json bound = parse_json(certificate_text(path_))["bound"];
  EXPECT_NEAR(bound["distance"].get<double>(), 4 / std::sqrt(13.0), 1e-9);
  start(example("navigation",
                {"solver.max_oracle_calls=1", "target.constraints=[\"norm(steps, risk) <= 11\"]"}));
  EXPECT_NE(error_of([&] { certificate_text(path_); }).find("linear"), std::string::npos);
}

// Where every step costs 1 and every policy ends, the least value is the length of the shortest way.
TEST(LeastValue, IsTheShortestWay) {
  const Problem problem =
      read_problem(Config::read(std::string(C2RL_SOURCE_DIR) + "/examples/navigation.toml"));
  EXPECT_EQ(least_value(*problem.world.model, Vector{{1, 0}}).at_start, 8);
  EXPECT_EQ(least_value(*problem.world.model, Vector{{1, 3}}).at_start, 12);
}

}  // namespace
}  // namespace c2rl
