#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "c2rl/base/text.h"
#include "c2rl/environments/environment_kinds.h"
#include "c2rl/environments/plane_kind_testing.h"
#include "c2rl/environments/random_episodes_testing.h"
#include "c2rl/mdp/evaluate.h"
#include "c2rl/mdp/monte_carlo.h"
#include "c2rl/mdp/tabular_policy.h"
#include "c2rl/mdp/total_range.h"

// One suite of laws for every kind of environment, those that a program adds included.

namespace c2rl {
namespace {

/// Sections to try the kinds with, without their `kind`. Options that have no default stand here.
const std::map<std::string, std::string>& samples() {
  static const std::map<std::string, std::string> all = {
      {"grid",
       "map = \"\"\"\nS.#.\n.X.G\n\"\"\"\nmeasurements = [\"risk\", \"fuel\"]\nstep = {fuel = 0.5}\n"
       "legend = {\"#\" = {risk = 1}, X = {blocked = true}}\nslip = 0.1\nhorizon = 20\n"},
      {"deep-sea-treasure", ""},
      {"mars-rover", "visits = true\n"},
      {"rock-paper-scissors", "rounds = 3\n"},
      {"worst-case", ""},
      {"garnet", "seed = 3\n"},
      {"file", "path = \"" C2RL_SOURCE_DIR "/examples/courier.drn\"\n"},
      {"cart-pole", ""},
      {"pendulum", ""},
      {"mountain-car", ""},
      {"point-robot", ""},
      {plane_kind().name, ""},
  };
  return all;
}

PolicyPtr uniform_policy(const TabularModel& model) {
  std::vector<double> probabilities;
  for (int s = 0; s < model.states; ++s)
    probabilities.insert(probabilities.end(), model.actions(s), 1.0 / std::max(1, model.actions(s)));
  return TabularPolicy::randomized(model.choice_begin, probabilities);
}

class EveryEnvironment : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    ASSERT_TRUE(samples().contains(GetParam())) << "give this kind a sample section at the top of this file";
  }

  const EnvironmentKind& kind() const { return environment_kinds().find(GetParam()); }

  /// The whole problem file, with the sample as its section [environment], and one key set otherwise.
  Config problem(const std::string& assignment = "") const {
    Config file =
        Config::parse("[environment]\nkind = \"" + GetParam() + "\"\n" + samples().at(GetParam()), "p.toml");
    if (!assignment.empty()) file.override_value("environment." + assignment);
    return file;
  }
  World world(const std::string& assignment = "") const {
    return make_world(problem(assignment).section("environment"));
  }
  std::string error_of(const std::string& assignment) const {
    try {
      world(assignment);
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  }

  bool has_option(const std::string& key) const {
    return std::ranges::any_of(kind().options, [&](const OptionInfo& option) { return option.key == key; });
  }
};

TEST_P(EveryEnvironment, HasTheShapeItsWorldSays) {
  const World world = this->world();
  const auto environment = world.environment(3);
  EXPECT_EQ(environment->batch(), 3);
  EXPECT_EQ(environment->dim(), world.dim());
  EXPECT_EQ(environment->state_count(), world.states);
  EXPECT_EQ(environment->feature_count(), world.features);
  EXPECT_EQ(environment->control_count(), world.controls);
  EXPECT_NE(world.states > 0, world.features > 0);
  EXPECT_NE(world.actions > 0, world.controls > 0);
  EXPECT_EQ(kind().has_model, world.model != nullptr);
  EXPECT_EQ(std::set(world.measurements.begin(), world.measurements.end()).size(), world.measurements.size());
  int most = 0;
  for (int state = 0; state < std::max(1, world.states); ++state)
    most = std::max(most, environment->action_count(state));
  EXPECT_EQ(most, world.actions);
  EXPECT_TRUE(world.horizon == 0 || world.episode_limit == world.horizon);
  for (int slot = 0; slot < 3; ++slot) EXPECT_TRUE(environment->ended(slot));  // not begun
}

// What a move does most often: it goes to the next cell that way, or stays.
TEST_P(EveryEnvironment, MovesAsItsMapShows) {
  if (!kind().map) return;
  const Config file = problem();
  const WorldMap map = kind().map(file.section("environment"));
  const World world = this->world();
  const TabularModel& model = *world.model;
  ASSERT_EQ(std::ssize(map.marks), model.states);
  ASSERT_EQ(model.states % map.columns, 0);
  int moved = 0;
  for (int s = 0; s < model.states; ++s) {
    const int row = s / map.columns, column = s % map.columns;
    for (int action = 0; action < model.actions(s); ++action) {
      const int k = model.choice_begin[s] + action;
      int likeliest = model.transition_begin[k];
      for (int e = likeliest; e < model.transition_begin[k + 1]; ++e) {
        if (model.probability[e] > model.probability[likeliest]) likeliest = e;
      }
      const int next = model.next[likeliest];
      if (next == s) continue;
      ++moved;
      EXPECT_EQ(next / map.columns - row, action == 0 ? -1 : action == 1 ? 1 : 0);
      EXPECT_EQ(next % map.columns - column, action == 2 ? -1 : action == 3 ? 1 : 0);
    }
    if (model.start[s] > 0) {
      EXPECT_EQ(map.marks[s], "S");
    }
  }
  EXPECT_GT(moved, 0);
}

TEST_P(EveryEnvironment, EpisodesDoNotDependOnSlotOrBatch) {
  const World world = this->world();
  const auto one_by_one = run_episodes(world, 1);
  for (const int batch : {5, kEpisodes, kEpisodes + 9}) EXPECT_TRUE(run_episodes(world, batch) == one_by_one);
}

TEST_P(EveryEnvironment, TwoThreadsSeeTheSame) {
  const World world = this->world();
  std::vector<std::vector<std::vector<double>>> found(2);
  std::vector<std::thread> threads;
  threads.reserve(found.size());
  for (auto& traces : found) threads.emplace_back([&] { traces = run_episodes(world, 4); });
  for (std::thread& thread : threads) thread.join();
  const auto alone = run_episodes(world, 4);
  for (const auto& traces : found) EXPECT_TRUE(traces == alone);
}

TEST_P(EveryEnvironment, EndsOnceAndMeasuresNothingAfterwards) {
  const World world = this->world();
  const auto environment = world.environment(kEpisodes);
  RandomActions actions(world, *environment);
  environment->reset(Rng(1));
  Rng rng(2);
  std::vector<std::vector<double>> at_the_end(kEpisodes);
  for (int step = 0; step < kMostSteps; ++step) {
    for (int slot = 0; slot < kEpisodes; ++slot) {
      if (environment->ended(slot)) {
        actions.spoil(slot);
        at_the_end[slot] = seen(*environment, slot);
      } else {
        actions.draw(slot, rng);
      }
    }
    environment->step(actions.view());
    ASSERT_EQ(environment->measurement().rows(), world.dim());
    ASSERT_EQ(environment->measurement().cols(), kEpisodes);
    ASSERT_TRUE(environment->measurement().allFinite());
    for (int slot = 0; slot < kEpisodes; ++slot) {
      EXPECT_FALSE(environment->terminated(slot) && environment->truncated(slot));
      if (at_the_end[slot].empty()) {
        EXPECT_EQ(environment->steps()[slot], step + 1);
        continue;
      }
      EXPECT_EQ(seen(*environment, slot), at_the_end[slot]);
      EXPECT_TRUE(environment->measurement().col(slot).isZero(0));
    }
  }
}

TEST_P(EveryEnvironment, TheHorizonCutsExactly) {
  if (!has_option("horizon")) return;
  int cut = 0;
  for (const int horizon : {1, 3}) {
    const World world = this->world(fmt::format("horizon={}", horizon));
    EXPECT_EQ(world.horizon, horizon);
    const auto environment = world.environment(kEpisodes);
    RandomActions actions(world, *environment);
    environment->reset(Rng(1));
    Rng rng(2);
    for (int step = 1; step <= horizon; ++step) {
      for (int slot = 0; slot < kEpisodes; ++slot) {
        if (!environment->ended(slot)) actions.draw(slot, rng);
      }
      environment->step(actions.view());
      for (int slot = 0; slot < kEpisodes; ++slot) {
        EXPECT_EQ(environment->truncated(slot), step == horizon && !environment->terminated(slot));
        cut += environment->truncated(slot) ? 1 : 0;
      }
    }
  }
  EXPECT_GT(cut, 0);
}

TEST_P(EveryEnvironment, RefusesWrongActions) {
  const World world = this->world();
  const auto environment = world.environment(2);
  environment->reset(Rng(1));
  const std::vector<double> before = seen(*environment, 0);
  const auto expect_refused = [&](const Actions& actions) {
    EXPECT_THROW(environment->step(actions), std::logic_error);
    EXPECT_EQ(seen(*environment, 0), before);
  };
  RandomActions actions(world, *environment);
  Rng rng(2);
  actions.draw(0, rng);
  actions.spoil(1);
  expect_refused(actions.view());
  const std::vector<int> one = {0}, three = {0, 0, 0}, two = {0, 0};
  if (world.controls > 0) {
    expect_refused(two);
    expect_refused(Eigen::MatrixXf(world.controls, 1));
    expect_refused(Eigen::MatrixXf(world.controls, 3));
    expect_refused(Eigen::MatrixXf(world.controls + 1, 2));
    return;
  }
  expect_refused(Eigen::MatrixXf(1, 2));
  expect_refused(one);
  expect_refused(three);
  expect_refused(std::vector<int>{0, environment->action_count(environment->states()[1])});
  expect_refused(std::vector<int>{0, -1});
}

TEST_P(EveryEnvironment, EpisodesMeasureWhatTheModelSaysOnAverage) {
  if (!kind().has_model) return;
  const World world = this->world();
  const PolicyPtr policy = uniform_policy(*world.model);
  const Evaluation exact = evaluate(*world.model, *policy);
  const Estimate found = estimate(world, *policy, 3000, Rng(5));
  for (int i = 0; i < world.dim(); ++i) {
    const double rounding = exact.error + 1e-9 * (1 + std::abs(exact.measurement[i]));
    EXPECT_NEAR(found.measurement[i], exact.measurement[i], 5 * found.standard_error[i] + rounding)
        << world.measurements[i];
  }
}

TEST_P(EveryEnvironment, EpisodesStayWithinTheirRange) {
  const World world = this->world();
  EXPECT_TRUE(world.ranges.empty() || std::ssize(world.ranges) == world.dim());
  std::vector<TotalRange> ranges;
  for (int i = 0; i < world.dim(); ++i) ranges.push_back(total_range(world, Vector::Unit(world.dim(), i)));
  const auto environment = world.environment(1);
  RandomActions actions(world, *environment);
  for (int episode = 0; episode < kEpisodes; ++episode) {
    Rng rng = Rng(3).fork("actions", episode);
    environment->reset(0, Rng(3).fork("episode", episode));
    Vector total = Vector::Zero(world.dim());
    double discount = 1;
    for (int step = 0; !environment->ended(0) && (world.episode_limit == 0 || step < world.episode_limit);
         ++step) {
      actions.draw(0, rng);
      environment->step(actions.view());
      total += discount * environment->measurement().col(0);
      discount *= world.discount;
    }
    for (int i = 0; i < world.dim(); ++i) {
      EXPECT_GE(total[i], ranges[i].lowest - 1e-9) << world.measurements[i];
      EXPECT_LE(total[i], ranges[i].highest + 1e-9) << world.measurements[i];
    }
  }
}

TEST_P(EveryEnvironment, RefusesKeysItDoesNotKnow) {
  EXPECT_NE(error_of("no_such_key=1").find("environment.no_such_key: unknown key"), std::string::npos)
      << error_of("no_such_key=1");
}

// Every key that is read is listed, with its default filled in where the sample leaves it out.
TEST_P(EveryEnvironment, ListsWhatItReads) {
  const Config file = problem();
  make_world(file.section("environment"));
  std::set<std::string> keys;
  for (const OptionInfo& option : kind().options) {
    EXPECT_TRUE(keys.insert(option.key).second) << option.key << " is listed twice";
    EXPECT_FALSE(option.type.empty()) << option.key;
    EXPECT_FALSE(option.reason.empty()) << option.key;
  }
  const Config resolved = Config::parse(file.resolved(), "resolved.toml");
  for (const std::string& key : resolved.section("environment").keys()) {
    EXPECT_TRUE(key == "kind" || keys.contains(key)) << key;
  }
}

TEST_P(EveryEnvironment, TheDefaultsAreThoseListed) {
  const auto as_it_is = run_episodes(world(), 4);
  const std::vector<std::string> given = problem().section("environment").keys();
  for (const OptionInfo& option : kind().options) {
    if (std::ranges::find(given, option.key) != given.end()) continue;
    SCOPED_TRACE(option.key + " = " + option.standard);
    ASSERT_FALSE(option.standard.empty()) << "what has no default must stand in the sample";
    EXPECT_TRUE(run_episodes(world(option.key + "=" + option.standard), 4) == as_it_is);
  }
}

/// Numbers just out of the range that the type of an option says, if it says one.
std::vector<double> out_of_range(const std::string& type) {
  if (!type.starts_with("a number") && !type.starts_with("a whole number")) return {};
  std::vector<double> ends;
  std::istringstream words(type);
  for (std::string word; words >> word;) {
    word.erase(word.find_last_not_of(',') + 1);
    if (const auto number = parse_number(word)) ends.push_back(*number);
  }
  if (ends.size() == 2) return {ends[0] - 1, ends[1] + 1};
  if (ends.empty()) return {};
  const bool ends_above = type.find("at most") != type.npos || type.find("below") != type.npos;
  return {ends_above ? ends[0] + 1 : ends[0] - 1};
}

TEST_P(EveryEnvironment, ValuesOutOfTheirRangeAreRefusedByTheirKey) {
  for (const OptionInfo& option : kind().options) {
    for (const double value : out_of_range(option.type)) {
      const std::string message = error_of(fmt::format("{}={}", option.key, value));
      EXPECT_NE(message.find("environment." + option.key + ": found "), std::string::npos) << message;
      EXPECT_NE(message.find(option.type), std::string::npos) << message;
    }
  }
}

std::vector<std::string> all_kinds() {
  plane_kind();
  std::vector<std::string> names;
  for (const EnvironmentKind* kind : environment_kinds().all()) {
    if (kind->can_be_acted_in) names.push_back(kind->name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Kinds, EveryEnvironment, testing::ValuesIn(all_kinds()), [](const auto& kind) {
  std::string name = kind.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace c2rl
