#include "c2rl/watch/live_site.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "c2rl/base/json.h"
#include "c2rl/run/solve.h"
#include "c2rl/watch/run_list.h"

namespace c2rl {
namespace {

namespace fs = std::filesystem;

class LiveSiteTest : public testing::Test {
 protected:
  LiveSiteTest() {
    fs::remove_all(root);
    fs::create_directories(root);
  }

  /// A finished run of rock-paper-scissors at a path below the root.
  void solve_at(const std::string& path) {
    fs::create_directories(fs::path(root + "/" + path).parent_path());
    const Problem problem = read_problem(Config::parse(
        "environment.kind = 'rock-paper-scissors'\ntarget.constraints = ['rock >= 0.1']\n", "test"));
    const RunDirectory directory = RunDirectory::create(root + "/" + path, problem);
    SolveListener silent;
    solve(problem, &directory, silent);
  }

  std::string root =
      testing::TempDir() + testing::UnitTest::GetInstance()->current_test_info()->name() + "_site";
};

std::vector<std::string> paths_of(const std::vector<FoundRun>& runs) {
  std::vector<std::string> paths;
  for (const FoundRun& run : runs) paths.push_back(run.path);
  std::ranges::sort(paths);
  return paths;
}

TEST_F(LiveSiteTest, FindsRunsAtAnyDepthAndFollowsNoLinks) {
  solve_at("a");
  solve_at("deep/er/b");
  solve_at("a/policies/inside");  // of a run, and no run of its own
  fs::create_directory(root + "/empty");
  fs::create_directory_symlink(root + "/a", root + "/link");
  const std::vector<FoundRun> runs = find_runs(root);
  EXPECT_EQ(paths_of(runs), (std::vector<std::string>{"a", "deep/er/b"}));
  for (const FoundRun& run : runs) {
    EXPECT_EQ(run.state, "feasible");
    EXPECT_FALSE(run.running);
    EXPECT_FALSE(run.is_experiment);
  }
  EXPECT_EQ(paths_of(find_runs(root + "/a")), std::vector<std::string>{"."});
  EXPECT_TRUE(find_runs(root + "/nowhere").empty());
}

TEST_F(LiveSiteTest, SaysWhatRunsAndWhatStopped) {
  solve_at("a");
  fs::remove(root + "/a/result.json");
  EXPECT_TRUE(find_runs(root)[0].state.starts_with("stopped, ")) << find_runs(root)[0].state;
  const RunDirectory held = RunDirectory::resume(root + "/a");
  EXPECT_TRUE(find_runs(root)[0].running);
  EXPECT_TRUE(find_runs(root)[0].state.starts_with("running, "));
}

TEST_F(LiveSiteTest, ListsRunsWhateverTheirNames) {
  const std::string hostile = "<script>alert(1)</script>\"'&?#%2e x";
  // No slash can be in a name: that of the closing tag ends one of a directory.
  solve_at(hostile);
  DirectorySite site(root);
  const std::string page = site.page("").value();
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_NE(page.find("&lt;script&gt;alert(1)&lt;/script&gt;&quot;'&amp;?#%2e x"), std::string::npos);
  EXPECT_NE(page.find("href=\"at/%3Cscript%3Ealert%281%29%3C/script%3E%22%27%26%3F%23%252e%20x/\""),
            std::string::npos);
  EXPECT_TRUE(site.page("at/" + hostile + "/").has_value());
  EXPECT_TRUE(site.events("at/" + hostile + "/"));
}

TEST_F(LiveSiteTest, ServesNothingButWhatItLists) {
  solve_at("below/a");
  solve_at("beside");
  DirectorySite site(root + "/below");
  for (const char* path :
       {"at/a", "a/", "at/../beside/", "at/b/", "at/./a/", "at//a/", "at/", "at/a/policies/", "x"}) {
    EXPECT_FALSE(site.page(path)) << path;
    EXPECT_FALSE(site.events(path)) << path;
  }
  EXPECT_TRUE(site.page("at/a/"));
}

TEST_F(LiveSiteTest, SendsWhatTheReportOfARunShows) {
  solve_at("a");
  RunSite site(root + "/a");
  EXPECT_NE(site.page("").value().find("data-live"), std::string::npos);
  EXPECT_FALSE(site.page("more"));
  const ServedSite::NextText next = site.events("");
  const auto text = next(false);
  ASSERT_TRUE(text);
  EXPECT_EQ(text->find('\n'), std::string::npos);
  const Json item = parse_json(*text).at("items").at(0);
  EXPECT_EQ(item.at("kind"), "run");
  EXPECT_TRUE(item.at("finished").get<bool>());
  EXPECT_FALSE(next(false));
  EXPECT_FALSE(next(true));
}

TEST_F(LiveSiteTest, WaitsForARunThatIsYetToBegin) {
  RunSite site(root + "/later");
  EXPECT_TRUE(site.page(""));
  const ServedSite::NextText next = site.events("");
  EXPECT_FALSE(next(true));
  solve_at("later");
  EXPECT_TRUE(next(true));
}

}  // namespace
}  // namespace c2rl
