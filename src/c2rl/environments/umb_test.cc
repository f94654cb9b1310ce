#include "c2rl/environments/umb.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "c2rl/base/error.h"
#include "c2rl/base/json.h"
#include "c2rl/base/random.h"
#include "c2rl/base/tar.h"
#include "c2rl/mdp/model_builder.h"

namespace c2rl {
namespace {

std::string message_of(const auto& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

template <typename Number>
std::string bytes_of(std::initializer_list<Number> numbers) {
  std::string bytes;
  for (const Number n : numbers) bytes.append(reinterpret_cast<const char*>(&n), sizeof(n));
  return bytes;
}
std::string indices(std::initializer_list<std::uint64_t> numbers) {
  return bytes_of(numbers);
}
std::string values(std::initializer_list<double> numbers) {
  return bytes_of(numbers);
}

/// Two actions in state 0, one in state 1, an end in state 2: put together from the format's description.
class Example {
 public:
  Example() {
    index_ = Json::parse(R"({"format-version": 1, "format-revision": 0, "transition-system": {
      "time": "discrete", "#players": 1, "#states": 3, "#initial-states": 1, "#choices": 4, "#choice-actions": 0,
      "#branches": 6, "#branch-actions": 0, "#observations": 0, "branch-probability-type": {"type": "double"}},
      "annotations": {"rewards": {"time": {"applies-to": ["states", "choices"], "type": {"type": "double"}},
                                  "r": {"alias": "risk [%]", "applies-to": ["branches"], "type": {"type": "double"}}},
                      "aps": {"home": {"applies-to": ["states"], "type": {"type": "bool"}}}}})");
    files_ = {{"state-to-choices.bin", indices({0, 2, 3, 4})},
              {"choice-to-branches.bin", indices({0, 2, 3, 5, 6})},
              {"branch-to-target.bin", indices({1, 2, 2, 0, 1, 2})},
              {"branch-to-probability.bin", values({0.25, 0.75, 1, 0.1, 0.9, 1})},
              {"state-is-initial.bin", indices({0b001})},
              {"annotations/rewards/time/states/values.bin", values({1, 2, 0})},
              {"annotations/rewards/time/choices/values.bin", values({0.5, 0, 0, 0})},
              {"annotations/rewards/r/branches/values.bin", values({10, 20, 30, 40, 50, 0})},
              {"annotations/aps/home/states/values.bin", indices({0b010})}};
  }
  Json& index() { return index_; }
  std::string& operator[](const std::string& name) { return files_[name]; }
  void remove(const std::string& name) { files_.erase(name); }

  std::string bytes() const {
    TarWriter archive;
    archive.add("index.json", index_.dump());
    for (const auto& [name, content] : files_) archive.add(name, content);
    return std::move(archive).finish();
  }
  TabularModel read(const ModelEnds& ends = {}) const { return parse_umb(bytes(), "example.umb", ends); }

 private:
  Json index_;
  std::map<std::string, std::string> files_;
};

TEST(Umb, AModelAsTheFormatDescribesIt) {
  const TabularModel model = Example().read();
  EXPECT_EQ(model.states, 3);
  EXPECT_EQ(model.measurements, (std::vector<std::string>{"time", "risk [%]"}));
  EXPECT_EQ(model.choice_begin, (std::vector<std::int32_t>{0, 2, 3, 3}));
  EXPECT_EQ(model.transition_begin, (std::vector<std::int32_t>{0, 2, 3, 5}));
  EXPECT_EQ(model.next, (std::vector<std::int32_t>{1, 2, 2, 0, 1}));
  EXPECT_EQ(model.probability, (std::vector<double>{0.25, 0.75, 1, 0.1, 0.9}));
  EXPECT_EQ(model.measurement, (Matrix{{1.5, 1.5, 1, 2, 2}, {10, 20, 30, 40, 50}}));
  EXPECT_EQ(model.start, (Vector{{1, 0, 0}}));
}

TEST(Umb, WhatIsNotThereHasTheMeaningThatTheFormatGivesIt) {
  Example chain;
  chain.index()["transition-system"]["#choices"] = 3;
  chain.index()["transition-system"]["#branches"] = 3;
  chain.index()["annotations"] = {{"rewards", {{"time", {{"type", {{"type", "double"}}}}}}}};
  chain.remove("state-to-choices.bin");
  chain.remove("choice-to-branches.bin");
  chain["branch-to-target.bin"] = indices({1, 2, 2});
  chain["branch-to-probability.bin"] = values({1, 1, 1});
  chain["annotations/rewards/time/choices/values.bin"] = values({0, 0, 0});
  const TabularModel model = chain.read();
  EXPECT_EQ(model.choice_begin, (std::vector<std::int32_t>{0, 1, 2, 2}));
  EXPECT_EQ(model.next, (std::vector<std::int32_t>{1, 2}));
}

TEST(Umb, ALabelEndsEpisodesAndIsReached) {
  const TabularModel model = Example().read({.terminal_label = "home", .reached = true});
  EXPECT_TRUE(model.is_terminal(1));
  EXPECT_TRUE(model.is_terminal(2));
  EXPECT_EQ(model.measurements.back(), "reached");
  EXPECT_EQ(Vector(model.measurement.row(2)), (Vector{{1, 0, 0}}));
  EXPECT_EQ(message_of([] { Example().read({.terminal_label = "hom"}); }),
            "example.umb: unknown label 'hom'; did you mean 'home'?");
}

TEST(Umb, WhatIsWrongIsSaid) {
  const auto message = [](auto change) {
    Example example;
    change(example);
    return message_of([&] { example.read(); });
  };
  const auto system = [](Example& e) -> Json& { return e.index()["transition-system"]; };
  EXPECT_EQ(message([](Example& e) { e.index()["format-version"] = 2; }),
            "example.umb: format-version: found 2, expected 1");
  EXPECT_EQ(
      message([&](Example& e) { system(e)["time"] = "stochastic"; }),
      "example.umb: transition-system.time: found \"stochastic\", expected \"discrete\": an MDP or DTMC");
  EXPECT_EQ(
      message([&](Example& e) { system(e)["branch-probability-type"]["type"] = "rational"; }),
      "example.umb: transition-system.branch-probability-type: found numbers of type \"rational\", expected "
      "\"double\"");
  EXPECT_EQ(message([&](Example& e) { system(e)["#states"] = 4; }),
            "example.umb: state-to-choices.bin: found 32 bytes, expected 40 for 5 numbers");
  EXPECT_EQ(message([&](Example& e) { system(e)["#choices"] = -1; }),
            "example.umb: transition-system.#choices: found -1, expected a number below 2^48");
  EXPECT_EQ(message([](Example& e) {
              e["state-to-choices.bin"] = indices({0, 3, 2, 4});
            }),
            "example.umb: state-to-choices.bin: found 2 at place 2, expected intervals in order from 0 to 4");
  EXPECT_EQ(message([](Example& e) {
              e["branch-to-target.bin"] = indices({1, 3, 2, 0, 1, 2});
            }),
            "example.umb: branch-to-target.bin: found state 3 at place 1, expected one below 3");
  EXPECT_EQ(message([](Example& e) {
              e["branch-to-probability.bin"] = values({0.25, 0.7, 1, 0.1, 0.9, 1});
            }),
            "example.umb: branch-to-probability.bin: the probabilities of choice 0 (of state 0) sum to 0.95, "
            "expected 1");
  EXPECT_EQ(message([](Example& e) { e["state-is-initial.bin"] = indices({0}); }),
            "example.umb: state-is-initial.bin: no state is initial");
  EXPECT_EQ(message([](Example& e) { e.index().erase("annotations"); }),
            "example.umb: the model has no reward models, so there is nothing to measure");
  EXPECT_EQ(message_of([] {
              parse_umb(
                  "\xfd"
                  "7zXZ",
                  "x.umb");
            }),
            "x.umb: is compressed by xz; expected a plain archive, or gzip: decompress it by xz -d");
}

TEST(Umb, NoDamageGoesUnnoticedAsAnythingButAnErrorOrAModel) {
  const std::string whole = Example().bytes();
  for (std::size_t size = 0; size < whole.size() - 1024; size += 64)
    EXPECT_THROW(parse_umb(std::string_view(whole).substr(0, size), "cut.umb"), InputError) << size;
  Rng rng(1);
  for (int i = 0; i < 2000; ++i) {
    std::string damaged = whole;
    damaged[rng.below(damaged.size())] ^= static_cast<char>(1 + rng.below(255));
    try {
      const TabularModel model = parse_umb(damaged, "damaged.umb");
      EXPECT_EQ(model.next.size(), model.probability.size());
    } catch (const InputError&) {
    }
  }
}

TabularModel random_model(Rng& rng) {
  ModelBuilder builder({"a b", "-1", "c"});
  const int states = 1 + static_cast<int>(rng.below(20));
  for (int s = 0; s < states; ++s) {
    const int actions = static_cast<int>(rng.below(4));
    for (int a = 0; a < actions; ++a) {
      const int branches = 1 + static_cast<int>(rng.below(3));
      const double amount = rng.uniform() - 0.5;
      for (int e = 0; e < branches; ++e)
        builder.add_transition(static_cast<int>(rng.below(states)), 1.0 / branches,
                               Vector{{amount, -0.0, rng.uniform() + 1}});
      builder.end_choice();
    }
    builder.end_state();
  }
  Vector start = Vector::Zero(states);
  start[0] = 0.25;
  start[states - 1] += 0.75;
  return std::move(builder).finish(start);
}

RC_GTEST_PROP(Umb, AModelReadsBackIdentical, (std::uint64_t seed)) {
  Rng rng(seed);
  const TabularModel model = random_model(rng), back = parse_umb(to_umb(model), "x.umb");
  RC_ASSERT(back.measurements == model.measurements);
  RC_ASSERT(back.choice_begin == model.choice_begin);
  RC_ASSERT(back.transition_begin == model.transition_begin);
  RC_ASSERT(back.next == model.next);
  RC_ASSERT(back.probability == model.probability);
  RC_ASSERT(back.start == model.start);
  RC_ASSERT(back.measurement == model.measurement);
  for (int e = 0; e < model.transitions(); ++e)
    RC_ASSERT(std::bit_cast<std::uint64_t>(back.measurement(1, e)) == std::bit_cast<std::uint64_t>(-0.0));
}

}  // namespace
}  // namespace c2rl
