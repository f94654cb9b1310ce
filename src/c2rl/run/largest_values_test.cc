// Whatever whole number stands in a problem file: it is taken, and fits into memory, or it is refused with a word
// about the key.

#include <filesystem>
#include <limits>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "c2rl/base/error.h"
#include "c2rl/base/file.h"
#include "c2rl/base/text.h"
#include "c2rl/environments/environment_kinds.h"
#include "c2rl/offline/dataset.h"
#include "c2rl/oracle/collect.h"
#include "c2rl/run/solve.h"

namespace c2rl {
namespace {

/// Stops at the first word of the oracle, which has its memory by then.
struct StopAtOnce final : SolveListener {
  bool oracle_progress(int, double) override { return false; }
  bool call_finished(const CallRecord&) override { return false; }
  bool drawing(int, double) override { return false; }
};

/// The largest value of an option that is a whole number, by what it says of itself.
std::optional<std::int64_t> largest(const OptionInfo& option) {
  if (!option.type.starts_with("a whole number")) return std::nullopt;
  const std::size_t to = option.type.rfind(" to ");
  if (to == std::string::npos) return std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(parse_number(option.type.substr(to + 4)).value());
}

/// Where the world itself is what may be large, nothing is solved: a horizon of 2^31 - 1 steps takes its time.
enum class Solve { yes, no };

std::string error_of(const std::string& file, const std::vector<std::string>& overrides,
                     Solve solves = Solve::no) {
  try {
    Config config = Config::read(file);
    for (const std::string& assignment : overrides) config.override_value(assignment);
    const Problem problem = read_problem(config);
    StopAtOnce listener;
    if (solves == Solve::yes) solve(problem, nullptr, listener);
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

/// Tries every whole number of a kind. Anything but an InputError fails the test.
void try_all(const std::string& file, const std::string& section, const std::vector<OptionInfo>& options,
             Solve solves, const std::vector<std::string>& overrides = {}) {
  for (const OptionInfo& option : options) {
    const auto most = largest(option);
    if (!most) continue;
    const std::string key = section + "." + option.key;
    SCOPED_TRACE(file + ": " + key);
    const auto error_with = [&](const std::string& value) {
      std::vector<std::string> all = overrides;
      all.push_back(key + "=" + value);
      return error_of(file, all, solves);
    };
    error_with(fmt::format("{}", *most));
    for (const std::string& beyond : {std::string("1e300"), std::string("-9223372036854775808")})
      EXPECT_NE(error_with(beyond).find(key), std::string::npos) << beyond;
    if (*most < std::numeric_limits<std::int64_t>::max()) {
      EXPECT_NE(error_with(fmt::format("{}", *most + 1)).find(key), std::string::npos);
      EXPECT_NE(error_with("9223372036854775807").find(key), std::string::npos);
    }
  }
}

const std::string kExamples = std::string(C2RL_SOURCE_DIR) + "/examples/";

TEST(LargestValues, OfEnvironments) {
  std::set<std::string> tried;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kExamples)) {
    if (entry.path().extension() != ".toml" || entry.path().parent_path().filename() == "custom") continue;
    const Config config = Config::read(entry.path());
    const EnvironmentKind& kind = environment_kinds().named_in(config.section("environment"));
    tried.insert(kind.name);
    try_all(entry.path(), "environment", kind.options, Solve::no);
  }
  // Kinds without an example need no key.
  const std::string file = testing::TempDir() + "c2rl_largest_values_test.toml";
  for (const EnvironmentKind* kind : environment_kinds().all()) {
    if (tried.contains(kind->name) || !kind->can_be_acted_in) continue;  // its program knows its shape
    write_file(file, "[environment]\nkind = \"" + kind->name + "\"\n");
    EXPECT_NO_THROW(make_world(Config::read(file).section("environment"))) << kind->name;
    try_all(file, "environment", kind->options, Solve::no);
  }
  std::filesystem::remove(file);
}

TEST(LargestValues, OfOracles) {
  const std::string file = kExamples + "navigation.toml";
  const std::string dataset = testing::TempDir() + "c2rl_largest_values_test.data";
  write_dataset(dataset, collect(read_problem(Config::read(file)).world, {}, {Vector{{1, 1}}}, 100, Rng(1)));
  for (const OracleKind* kind : oracle_kinds().all()) {
    std::vector<std::string> overrides = {"oracle.kind=" + kind->name};
    if (std::ranges::any_of(kind->options, [](const auto& option) { return option.key == "dataset"; }))
      overrides.push_back("oracle.dataset=" + dataset);
    // One that is another program has a world of its own, and is not started here.
    if (kind->name == "python") continue;  // its keys are words
    if (kind->name == "command")
      try_all(kExamples + "command/corridor.toml", "oracle", kind->options, Solve::no);
    else
      try_all(kind->needs_controls ? kExamples + "pendulum.toml" : file, "oracle", kind->options, Solve::yes,
              overrides);
  }
  std::filesystem::remove(dataset);
}

TEST(LargestValues, OfSolvers) {
  for (const SolverKind* kind : solver_kinds().all()) {
    std::vector<OptionInfo> options = kind->options;
    for (const OptionInfo& common : list_options<SolverOptions>()) options.push_back(common);
    try_all(kExamples + "navigation.toml", "solver", options, Solve::yes,
            {"solver.kind=" + kind->name, "target.constraints=[\"steps == 11\", \"risk == 0.5\"]"});
  }
}

// Each within its range, together too much: said before any memory is taken.
TEST(LargestValues, TogetherTooLarge) {
  EXPECT_EQ(
      error_of(kExamples + "garnet.toml", {"environment.states=10000000", "environment.actions=10000000"}),
      kExamples +
          "garnet.toml:6: environment.kind: the model is too large: found 500000000000000 transitions or "
          "more with 2 measurements, expected at most 1000000000 numbers in all");
  const std::string navigation = kExamples + "navigation.toml";
  EXPECT_NE(
      error_of(navigation, {"oracle.kind=a2c", "oracle.environments=100000", "oracle.rollout_steps=100000"})
          .find("oracle.environments: found 100000, which with 100000 steps each make a rollout of "
                "200000000000 "
                "numbers, expected at most 268435456"),
      std::string::npos);
  EXPECT_NE(error_of(navigation,
                     {"oracle.kind=a2c", "environment.horizon=2147483647", "oracle.returns=monte-carlo"})
                .find("2147483647 steps each"),
            std::string::npos);
  EXPECT_NE(error_of(kExamples + "cart_pole.toml",
                     {"oracle.hidden=[8192, 8192]", "oracle.environments=100000"}, Solve::yes)
                .find("fewer inputs, or narrower layers"),
            std::string::npos);
  EXPECT_NE(error_of(kExamples + "worst_case.toml",
                     {"environment.dimension=10", "target.constraints=[\"c1 <= 1\"]",
                      "oracle.kind=q-learning", "oracle.evaluation_episodes=100000000"})
                .find("evaluation_episodes: found 100000000, expected at most 25000000 with 10 measurements"),
            std::string::npos);
}

}  // namespace
}  // namespace c2rl
