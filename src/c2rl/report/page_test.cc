#include "c2rl/report/page.h"

#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "c2rl/base/error.h"
#include "c2rl/base/file.h"
#include "c2rl/run/run_directory.h"
#include "c2rl/run/solve.h"

namespace c2rl {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProblem = R"(name = "two </script><script>alert(1)</script>"
[environment]
kind = "grid"
horizon = 500
map = """
.........
.........
....#....
S.####..G
..####...
..####...
"""
measurements = ["steps", "risk"]
step = { steps = 1 }
legend = { "#" = { risk = 1 } }
[target]
constraints = ["0 <= steps <= 11", "0 <= risk <= 0.5"]
)";

/// A run of the problem, in a directory of its own.
class ReportPage : public testing::Test {
 protected:
  ReportPage()
      : path_(testing::TempDir() + "report_page/" +
              testing::UnitTest::GetInstance()->current_test_info()->name()) {
    fs::remove_all(path_);
  }
  ~ReportPage() override { fs::remove_all(path_); }

  Result run(const std::vector<std::string>& overrides = {}) {
    Config config = Config::parse(kProblem, "test");
    for (const std::string& assignment : overrides) config.override_value(assignment);
    return run(config);
  }
  Result run(const Config& config) const {
    const Problem problem = read_problem(config);
    SolveListener nobody;
    const RunDirectory directory = RunDirectory::create(path_, problem, Sync::no);
    return solve(problem, &directory, nobody);
  }
  Json data() const { return report_data({path_}).at("items").at(0); }

  std::string path_;
};

// The mixture is half of (12, 0) and half of (10, 1): on the map, half of all episodes go through the risky cell.
TEST_F(ReportPage, TellsWhatTheRunCameTo) {
  const Result result = run();
  const Json item = data();
  EXPECT_EQ(item.at("result").at("status"), "feasible");
  EXPECT_EQ(item.at("result").at("measurement"), Json({11.0, 0.5}));
  EXPECT_EQ(item.at("headline"), "feasible: this mixture satisfies every constraint.");
  EXPECT_EQ(item.at("constraints").at(0).at("state"), "tight");
  EXPECT_EQ(item.at("history").at("calls"), result.oracle_calls);
  EXPECT_EQ(item.at("history").at("distance").back(), 0);
  EXPECT_EQ(item.at("history").at("point").back(), Json({11, 0.5}));
}

// The treasure that a policy measures is the one that stands where its episodes end; they went as many steps.
TEST_F(ReportPage, HasTheMapsOfOtherWorlds) {
  const Config sea = Config::parse(R"(name = "sea"
[environment]
kind = "deep-sea-treasure"
map = "concave"
[target]
constraints = ["treasure >= 50", "steps <= 8.2"]
)",
                                   "test");
  const Result result = run(sea);
  const Json map = data().at("map");
  ASSERT_EQ(result.policies.size(), 2);
  EXPECT_EQ(map.at("columns"), 10);
  // All cells but those above the treasures, and the treasures.
  EXPECT_EQ(map.at("terminal").size(), 10);
  EXPECT_EQ(map.at("blocked").size(), 110 - 10 - (1 + 2 + 3 + 4 + 4 + 4 + 7 + 7 + 9 + 10));
  for (std::size_t i = 0; i < result.policies.size(); ++i) {
    const Json& episode = map.at("policies").at(i).at("episodes").at(0);
    const Vector& measured = result.policies[i].measurement;
    EXPECT_EQ(map.at("marks").at(episode.back().get<std::size_t>()), fmt::format("{}", measured[0]));
    EXPECT_EQ(static_cast<double>(episode.size()) - 1, measured[1]);
  }
}

TEST_F(ReportPage, HasNoMapOfAWorldWithoutOne) {
  run(
      Config::parse("name = \"none\"\n[environment]\nkind = \"garnet\"\nseed = 3\n[target]\n"
                    "constraints = [\"m1 <= 100\"]\n",
                    "test"));
  EXPECT_FALSE(data().contains("map"));
}

TEST_F(ReportPage, ComputesVisitsAndTotalsOfItsPolicies) {
  const Result result = run();
  const Json item = data();
  for (std::size_t i = 0; i < result.policies.size(); ++i) {
    const Json& policy = item.at("map").at("policies").at(i);
    double steps = 0, risk = 0;
    for (int state = 0; state < 54; ++state) {
      steps += policy.at("visits").at(static_cast<std::size_t>(state)).get<double>();
      constexpr int kRisky = 2 * 9 + 4;  // the one that a path of 10 steps crosses
      if (state == kRisky) risk += policy.at("visits").at(static_cast<std::size_t>(state)).get<double>();
    }
    EXPECT_DOUBLE_EQ(steps, result.policies[i].measurement[0]);
    EXPECT_DOUBLE_EQ(risk, result.policies[i].measurement[1]);
    EXPECT_EQ(policy.at("episodes").at(0).size(), static_cast<std::size_t>(steps) + 1);
    EXPECT_EQ(policy.at("episodes").at(0).front(), 27);
    EXPECT_EQ(policy.at("episodes").at(0).back(), 35);
  }
  // Each policy always measures the same, so that each has one bin, with its weight.
  for (const Json& measurement : item.at("totals").at("measurements")) {
    for (const Json& shares : measurement.at("shares")) {
      double sum = 0, most = 0;
      for (const Json& share : shares) {
        sum += share.get<double>();
        most = std::max(most, share.get<double>());
      }
      EXPECT_DOUBLE_EQ(sum, 0.5);
      EXPECT_DOUBLE_EQ(most, 0.5);
    }
  }
}

TEST_F(ReportPage, SaysWhyNot) {
  run({R"(target.constraints=["steps <= 9", "risk <= 0.5"])"});
  const std::string words = data().at("words").at("certificate");
  EXPECT_NE(words.find("3 steps + 2 risk >= 32"), std::string::npos) << words;
  EXPECT_NE(words.find("3 steps + 2 risk <= 28"), std::string::npos) << words;
}

/// Stops after so many calls, as a kill would: without a result.
class Killed : public SolveListener {
 public:
  explicit Killed(int calls) : calls_(calls) {}
  bool call_finished(const CallRecord& record) override {
    if (record.call >= calls_) throw std::runtime_error("killed");
    return true;
  }

 private:
  int calls_;
};

TEST_F(ReportPage, ShowsARunThatIsGoingOn) {
  const Problem problem = read_problem(Config::parse(kProblem, "test"));
  // The lock is held all the while.
  const RunDirectory directory = RunDirectory::create(path_, problem, Sync::no);
  EXPECT_EQ(data().at("history").at("calls"), 0);
  EXPECT_EQ(data().at("headline"), "running: the first oracle call is being made.");
  Killed killed(1);
  EXPECT_THROW(solve(problem, &directory, killed), std::runtime_error);
  const Json item = data();
  EXPECT_EQ(item.at("result").at("status"), "running");
  EXPECT_EQ(item.at("finished"), false);
  EXPECT_EQ(item.at("history").at("calls"), 1);
  EXPECT_FALSE(item.contains("totals"));
}

TEST_F(ReportPage, NothingOfTheDataIsMarkup) {
  run();
  const std::string page = report_page(report_data({path_}));
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  std::size_t scripts = 0;
  for (std::size_t at = page.find("</script>"); at != std::string::npos; at = page.find("</script>", at + 1))
    ++scripts;
  EXPECT_EQ(scripts, 2u);
  const std::string begin = R"(<script type="application/json" id="data">)";
  const std::size_t from = page.find(begin) + begin.size();
  const Json read = parse_json(page.substr(from, page.find("</script>", from) - from));
  EXPECT_EQ(read.at("items").at(0).at("name"), "two </script><script>alert(1)</script>");
}

TEST_F(ReportPage, OnlyALivePageMayConnect) {
  EXPECT_EQ(report_page(nullptr).find("connect-src"), std::string::npos);
  EXPECT_EQ(report_page(nullptr).find("data-live>"), std::string::npos);
  const std::string live = report_page(nullptr, PageKind::live);
  EXPECT_NE(live.find("connect-src 'self'"), std::string::npos);
  EXPECT_NE(live.find("<html lang=\"en\" data-live>"), std::string::npos);
}

TEST_F(ReportPage, NamesWhatIsNoRun) {
  fs::create_directories(path_);
  try {
    report_data({path_});
    FAIL() << "expected an InputError";
  } catch (const InputError& error) {
    EXPECT_EQ(error.place().file, path_);
  }
}

}  // namespace
}  // namespace c2rl
