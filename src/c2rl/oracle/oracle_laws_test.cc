// What holds for every kind of oracle.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <unistd.h>

#include "c2rl/base/error.h"
#include "c2rl/mdp/evaluate.h"
#include "c2rl/mdp/models_testing.h"
#include "c2rl/mdp/policies_testing.h"
#include "c2rl/offline/dataset_testing.h"
#include "c2rl/oracle/oracle_kinds.h"
#include "c2rl/oracle/policy_kinds.h"

namespace c2rl {
namespace {

/// A world with a model to check answers by.
struct TestWorld {
  const char* name;
  std::shared_ptr<const TabularModel> model;
};

const std::vector<TestWorld>& test_worlds() {
  const auto garnet = [](const GarnetOptions& options, int seed) {
    return std::make_shared<const TabularModel>(garnet_model(options, Rng(seed)));
  };
  static const std::vector<TestWorld> all = {
      {"endless", garnet({.states = 8}, 1)},
      {"discounted", garnet({.states = 12, .end_probability = 0.05, .discount = 0.9, .horizon = 30}, 2)},
      {"three_measurements", garnet({.states = 8, .dim = 3, .horizon = 9}, 3)},
  };
  return all;
}

/// A little of what each kind can do: none of the laws needs it to learn well. PATH stands for a dataset.
const std::map<std::string, std::string>& samples() {
  static const std::map<std::string, std::string> all = {
      {"dynamic-programming", ""},
      {"partitioned-planning", "gap = 1e-12\n"},
      {"q-learning", "training_steps = 20000\nevaluation_episodes = 300\n"},
      {"a2c",
       "training_steps = 6000\nenvironments = 8\nrollout_steps = 8\nhidden = [16]\nevaluation_episodes = "
       "300\n"
       "execution = 'stochastic'\n"},
      {"ppo",
       "training_steps = 6000\nenvironments = 8\nrollout_steps = 8\nhidden = [16]\nminibatch = 32\n"
       "evaluation_episodes = 300\nexecution = 'stochastic'\n"},
      {"dqn",
       "training_steps = 3000\nfirst_steps = 200\nhidden = [16]\nbatch = 32\nevaluation_episodes = 300\n"},
      {"ddqn", "dataset = 'PATH'\nupdates = 100\nhidden = [16]\nbatch = 32\n"},
  };
  return all;
}

World world_in_parts(const TabularModel& model) {
  return make_world(model.measurements, model.states, model.discount, model.horizon, [&](int index, int of) {
    const auto at = [&](int i) { return static_cast<int>(part_begin(model.states, i, of)); };
    return slice(model, at(index), at(index + 1));
  });
}

/// The same options, but one.
std::string with(std::string options, const std::string& key, const std::string& value) {
  if (const auto begin = options.find(key + " = "); begin != std::string::npos)
    options.erase(begin, options.find('\n', begin) + 1 - begin);
  return options + key + " = " + value + "\n";
}

/// The smallest expected cost that any policy has: by plain value iteration, which shares no code with any
/// oracle.
double least_value(const TabularModel& model, const Vector& direction) {
  constexpr int kMostSweeps = 5000;  // by then every episode of these models has ended
  std::vector<double> values(model.states, 0.0);
  for (int sweep = 0; sweep < (model.horizon > 0 ? model.horizon : kMostSweeps); ++sweep) {
    std::vector<double> next(model.states, 0.0);
    for (int s = 0; s < model.states; ++s) {
      double least = kInfinity;
      for (int k = model.choice_begin[s]; k < model.choice_begin[s + 1]; ++k) {
        double value = 0;
        for (int e = model.transition_begin[k]; e < model.transition_begin[k + 1]; ++e) {
          value += model.probability[e] *
                   (direction.dot(model.measurement.col(e)) + model.discount * values[model.next[e]]);
        }
        least = std::min(least, value);
      }
      if (!model.is_terminal(s)) next[s] = least;
    }
    values = next;
  }
  return model.start.dot(Eigen::Map<const Vector>(values.data(), model.states));
}

void expect_same(const OracleAnswer& a, const OracleAnswer& b) {
  EXPECT_EQ(a.measurement, b.measurement);
  EXPECT_EQ(a.standard_error, b.standard_error);
  EXPECT_EQ(a.slack, b.slack);
  EXPECT_EQ(a.exact, b.exact);
  EXPECT_EQ(a.steps, b.steps);
  EXPECT_EQ(a.policy->kind(), b.policy->kind());
  EXPECT_EQ(bytes_of(*a.policy), bytes_of(*b.policy));
}

struct Case {
  std::string kind;
  int world;
};

class EveryOracle : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    ASSERT_TRUE(samples().contains(GetParam().kind)) << "no sample of its options";
    file_ = testing::TempDir() + fmt::format("c2rl_oracle_laws_{}", getpid());
    options_ = samples().at(GetParam().kind);
    if (const auto path = options_.find("PATH"); path != std::string::npos) {
      options_.replace(path, 4, file_);
      write_dataset(file_, sampled_dataset(model(), *random_policy(model(), Rng(5)), 600, Rng(6)));
    }
  }
  void TearDown() override { std::filesystem::remove(file_); }

  const OracleKind& kind() const { return oracle_kinds().find(GetParam().kind); }
  const TabularModel& model() const { return *test_worlds()[GetParam().world].model; }

  std::unique_ptr<Oracle> make(const std::string& options, const OracleDefaults& defaults = {}) const {
    const Config file =
        Config::parse(fmt::format("[oracle]\nkind = '{}'\n{}", kind().name, options), "problem.toml");
    auto made = make_oracle(kind(), file.section("oracle"),
                            kind().needs_parts ? world_in_parts(model()) : make_world(model()), defaults);
    file.section("oracle").text("kind");
    file.reject_unknown_keys();
    return made;
  }
  std::unique_ptr<Oracle> make() const { return make(options_); }

  OracleCall call(int seed) const {
    return {.direction = Rng(seed).fork("direction").normal_vector(model().dim()), .rng = Rng(seed)};
  }

  std::string file_, options_;
};

TEST_P(EveryOracle, SameCallSameAnswerWhateverCameBefore) {
  const auto oracle = make();
  EXPECT_EQ(oracle->dim(), model().dim());
  const OracleAnswer first = oracle->minimize(call(1));
  oracle->minimize(call(2));
  expect_same(oracle->minimize(call(1)), first);
  expect_same(make()->minimize(call(1)), first);
}

TEST_P(EveryOracle, ThreadsShareOne) {
  constexpr int kThreads = 2;
  const auto shared = make();
  std::vector<OracleAnswer> found(kThreads);
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int i = 0; i < kThreads; ++i) threads.emplace_back([&, i] { found[i] = shared->minimize(call(i)); });
  for (std::thread& thread : threads) thread.join();
  for (int i = 0; i < kThreads; ++i) expect_same(found[i], make()->minimize(call(i)));
}

// A training that has threads of its own has a network here that is large enough for them.
TEST_P(EveryOracle, SameBitsOnAnyNumberOfThreads) {
  const bool trains = std::ranges::find(kind().options, "threads", &OptionInfo::key) != kind().options.end();
  std::string options = options_;
  if (trains) options = with(with(options, "hidden", "[160, 160]"), "training_steps", "600");
  if (kind().name == "ddqn") options = with(options_, "hidden", "[160, 160]");
  const auto answer = [&](int threads) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    const auto oracle = make(trains ? with(options, "threads", std::to_string(threads)) : options);
    return tbb::task_arena(threads).execute([&] { return oracle->minimize(call(1)); });
  };
  const OracleAnswer one = answer(1);
  for (const int threads : {2, 4, 5}) expect_same(answer(threads), one);
}

// Early or late in the call.
TEST_P(EveryOracle, StopsWhenItsWatcherSaysSo) {
  const auto oracle = make();
  OracleCall watched = call(1);
  double last = -1;
  watched.watcher = [&](double part) {
    EXPECT_GE(part, last);
    EXPECT_GE(part, 0);
    EXPECT_LE(part, 1);
    last = part;
    return true;
  };
  const OracleAnswer undisturbed = oracle->minimize(watched);
  expect_same(undisturbed, oracle->minimize(call(1)));
  EXPECT_GT(last, 0.5);
  for (const double stop : {0.0, last / 2, last}) {
    bool stopped = false;
    watched.watcher = [&](double part) {
      EXPECT_FALSE(stopped) << "was asked to stop already";
      stopped = part >= stop;
      return !stopped;
    };
    EXPECT_THROW(oracle->minimize(watched), OracleInterrupted) << stop;
    expect_same(oracle->minimize(call(1)), undisturbed);
  }
}

// What is told of learning changes nothing, and the last of it is a policy that was tried.
TEST_P(EveryOracle, ListenersHearWhatLearningComesTo) {
  const auto oracle = make();
  OracleCall heard = call(1);
  std::vector<LearningMark> marks;
  heard.learning = [&](const LearningMark& mark) { marks.push_back(mark); };
  const OracleAnswer answer = oracle->minimize(heard);
  expect_same(answer, oracle->minimize(call(1)));
  EXPECT_EQ(marks.empty(), kind().exact);
  std::int64_t last = 0;
  for (const LearningMark& mark : marks) {
    EXPECT_GE(mark.steps, last);
    EXPECT_TRUE(std::isfinite(mark.value));
    last = mark.steps;
  }
  if (marks.empty()) return;
  EXPECT_TRUE(marks.back().checked);
  if (answer.steps.training > 0) {
    EXPECT_LE(last, answer.steps.training);
    EXPECT_TRUE(std::ranges::any_of(marks, [](const LearningMark& mark) { return !mark.checked; }));
  }
}

// J of the answer is that of the policy, as exactly as it says, and no policy is better.
TEST_P(EveryOracle, MeasuresItsPolicy) {
  const auto oracle = make();
  for (int seed = 0; seed < 5; ++seed) {
    SCOPED_TRACE(seed);
    const OracleAnswer answer = oracle->minimize(call(seed));
    EXPECT_EQ(answer.exact, kind().exact);
    EXPECT_GE(answer.slack, 0);
    ASSERT_EQ(answer.measurement.size(), model().dim());
    ASSERT_EQ(answer.standard_error.size(), model().dim());
    const Evaluation truth = evaluate(model(), *answer.policy);
    constexpr double kErrors = 5, kRounding = 1e-9;
    for (int i = 0; i < model().dim(); ++i) {
      EXPECT_NEAR(answer.measurement[i], truth.measurement[i],
                  kErrors * answer.standard_error[i] + truth.error + kRounding);
    }
    const Vector direction = call(seed).direction.normalized();
    const double least = least_value(model(), direction), found = direction.dot(answer.measurement);
    const double noise = kErrors * direction.cwiseAbs().dot(answer.standard_error);
    EXPECT_GE(found, least - noise - kRounding);
    if (answer.exact) {
      EXPECT_LE(found, least + answer.slack + kRounding);
    }
  }
}

TEST_P(EveryOracle, LengthOfTheDirectionDoesNotMatter) {
  const auto oracle = make();
  OracleCall scaled = call(3);
  scaled.enough = -1e-3;
  const OracleAnswer expected = oracle->minimize(scaled);
  for (const double scale : {0x1p-30, 0x1p20}) {
    scaled = call(3);
    scaled.direction *= scale;
    scaled.enough = -1e-3 * scale;
    expect_same(oracle->minimize(scaled), expected);
  }
}

TEST_P(EveryOracle, AnswersTheZeroDirection) {
  OracleCall nothing = call(1);
  nothing.direction.setZero();
  const OracleAnswer answer = make()->minimize(nothing);
  ASSERT_NE(answer.policy, nullptr);
  EXPECT_TRUE(answer.measurement.allFinite());
}

TEST_P(EveryOracle, PoliciesAreSavedAsTheyAre) {
  const OracleAnswer answer = make()->minimize(call(2));
  const std::string path = file_ + "_policy";
  save_policy(path, *answer.policy);
  const PolicyPtr loaded = load_policy(path, make_world(model()));
  std::filesystem::remove(path);
  std::vector<int> states;
  for (int s = 0; s < model().states; ++s) {
    if (!model().is_terminal(s)) states.push_back(s);
  }
  Matrix before(model().max_actions(), std::ssize(states)), after = before;
  for (const int step : {0, 1, 5, 1000}) {
    answer.policy->action_probabilities(states, step, before);
    loaded->action_probabilities(states, step, after);
    EXPECT_EQ(before, after) << step;
  }
}

// Where a kind can go on, its calls do with warm_start, whoever asks for that: the section, or the solver.
TEST_P(EveryOracle, GoesOnWhereItCan) {
  EXPECT_FALSE(make()->goes_on());
  EXPECT_EQ(make(options_, {.warm_start = true})->goes_on(), kind().can_go_on);
  if (!kind().can_go_on) return;
  EXPECT_TRUE(make(options_ + "warm_start = true\n")->goes_on());
  EXPECT_FALSE(make(options_ + "warm_start = false\n", {.warm_start = true})->goes_on());
  const auto oracle = make(options_ + "warm_start = true\n");
  OracleCall next = call(2);
  const OracleAnswer from_scratch = oracle->minimize(next);
  next.start = oracle->minimize(call(1)).policy;
  EXPECT_NE(bytes_of(*oracle->minimize(next).policy), bytes_of(*from_scratch.policy));
}

TEST_P(EveryOracle, RefusesWhatCannotBeAnswered) {
  const auto oracle = make();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Vector& direction :
       {Vector(0), Vector(Vector::Ones(model().dim() + 1)), Vector(Vector::Constant(model().dim(), nan)),
        Vector(Vector::Constant(model().dim(), kInfinity))}) {
    OracleCall bad = call(1);
    bad.direction = direction;
    EXPECT_THROW(oracle->minimize(bad), InputError) << direction.transpose();
  }
  for (const double effort : {0.0, -1.0, nan, kInfinity}) {
    OracleCall bad = call(1);
    bad.effort = effort;
    EXPECT_THROW(oracle->minimize(bad), InputError) << effort;
  }
}

TEST_P(EveryOracle, KnowsTheOptionsItLists) {
  for (const OptionInfo& option : kind().options) {
    SCOPED_TRACE(option.key);
    EXPECT_FALSE(option.reason.empty());
    if (!option.standard.empty()) {
      EXPECT_NO_THROW(make(with(options_, option.key, option.standard)));
    }
    const std::string bad = option.type.starts_with("a number")  ? "nan"
                            : option.type.starts_with("a whole") ? "-7"
                            : option.type.starts_with("whole")   ? "[-7]"
                            : option.type.starts_with("one of")  ? "'no such thing'"
                                                                 : "7";
    try {
      make(with(options_, option.key, bad));
      ADD_FAILURE() << bad << " was taken";
    } catch (const InputError& error) {
      EXPECT_EQ(error.place().file, "problem.toml");
      EXPECT_EQ(error.place().field, "oracle." + option.key);
    }
  }
  EXPECT_THROW(make(options_ + "no_such_key = 1\n"), InputError);
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const OracleKind* kind : oracle_kinds().all()) {
    if (kind->brings_world || kind->needs_controls) continue;  // not for these worlds
    for (int world = 0; world < std::ssize(test_worlds()); ++world) {
      if (kind->needs_parts && test_worlds()[world].model->horizon > 0) continue;
      all.push_back({kind->name, world});
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Oracles, EveryOracle, testing::ValuesIn(cases()), [](const auto& example) {
  std::string name = example.param.kind + "_" + test_worlds()[example.param.world].name;
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace c2rl
