#include "c2rl/environments/drn.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "c2rl/base/error.h"
#include "c2rl/base/random.h"
#include "c2rl/environments/model_file.h"
#include "c2rl/mdp/model_builder.h"

namespace c2rl {
namespace {

constexpr auto kHeader =
    "@type: MDP\n@parameters\n\n@reward_models\ntime risk\n@nr_states\n3\n@nr_choices\n4\n@model\n";

// Two actions in state 0, one in state 1, the end in state 2.
constexpr auto kStates = R"(state 0 [1, 0] init
	action slow [0, 0.5]
		1 : 1/3
		2 : 2/3
	action fast
		2 : 1
state 1 goal "a label"
	action 0 [2.5e-1, -1]
		0 : 1e-1
		1 : 0.9
state 2 [0, 0] done
	action 0 [0, 0]
		2 : 1
)";

std::string message_of(const auto& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

/// Unlike ==, tells -0 from 0.
bool same_bits(const Matrix& a, const Matrix& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return false;
  return std::equal(a.data(), a.data() + a.size(), b.data(), [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  });
}

bool identical(const TabularModel& a, const TabularModel& b) {
  return a.states == b.states && a.measurements == b.measurements && a.choice_begin == b.choice_begin &&
         a.transition_begin == b.transition_begin && a.next == b.next && a.probability == b.probability &&
         same_bits(a.measurement, b.measurement) && same_bits(a.start, b.start) && a.discount == b.discount &&
         a.horizon == b.horizon;
}

TEST(Drn, ReadsStatesActionsAndRewards) {
  const TabularModel model = parse_drn(std::string(kHeader) + kStates, "model.drn");
  EXPECT_EQ(model.states, 3);
  EXPECT_EQ(model.measurements, (std::vector<std::string>{"time", "risk"}));
  EXPECT_EQ(model.actions(0), 2);
  EXPECT_EQ(model.actions(1), 1);
  EXPECT_TRUE(model.is_terminal(2));
  EXPECT_EQ(model.next, (std::vector<std::int32_t>{1, 2, 2, 0, 1}));
  EXPECT_EQ(model.probability, (std::vector<double>{1.0 / 3, 2.0 / 3, 1, 0.1, 0.9}));
  // The state's reward counts for each step taken from it.
  const Matrix expected{{1, 1, 1, 0.25, 0.25}, {0.5, 0.5, 0, -1, -1}};
  EXPECT_EQ(model.measurement, expected);
  EXPECT_EQ(model.start, (Vector{{1.0, 0.0, 0.0}}));
  EXPECT_EQ(model.discount, 1.0);
  EXPECT_EQ(model.horizon, 0);
}

TEST(Drn, CommentsBlankLinesAndMissingOptionalSectionsAreFine) {
  const TabularModel model = parse_drn(
      "// Exported by storm\r\n@type: DTMC\r\n@value_type: double\r\n@reward_models\r\nr "
      "\r\n@nr_states\r\n2\r\n@model\r\n"
      "state 0 [0] init // here\r\n//[x=0]\r\n\taction 0 [1]\r\n\r\n\t\t0 : 0.5\r\n\t\t1 : 0.5\r\nstate "
      "1\r\n\t1 : 1",
      "chain.drn");
  EXPECT_EQ(model.states, 2);
  EXPECT_EQ(model.next, (std::vector<std::int32_t>{0, 1}));
  EXPECT_EQ(model.measurement, (Matrix{{1, 1}}));
  EXPECT_TRUE(model.is_terminal(1));
}

TEST(Drn, TerminalLabelEndsEpisodes) {
  const std::string text = std::string(kHeader) + kStates;
  EXPECT_TRUE(parse_drn(text, "model.drn", {.terminal_label = "goal"}).is_terminal(1));
  EXPECT_TRUE(parse_drn(text, "model.drn", {.terminal_label = "a label"}).is_terminal(1));
  EXPECT_EQ(message_of([&] { parse_drn(text, "model.drn", {.terminal_label = "gaol"}); }),
            "model.drn: unknown label 'gaol'; did you mean 'goal'?");
}

TEST(Drn, ReachedIsTheLabelOrAnyEnd) {
  // From 0 to the goal 1 or into the trap 2.
  const std::string states =
      "@nr_states\n3\n@model\nstate 0 init\n action a\n  1 : 0.25\n  2 : 0.75\nstate 1 goal\n action a\n  1 "
      ": 1\n"
      "state 2\n action a\n  2 : 1\n";
  const TabularModel labelled =
      parse_drn("@type: MDP\n" + states, "model.drn", {.terminal_label = "goal", .reached = true});
  EXPECT_EQ(labelled.measurements, std::vector<std::string>{"reached"});
  EXPECT_EQ(labelled.measurement, (Matrix{{1, 0}}));
  const TabularModel any =
      parse_drn("@type: MDP\n@reward_models\nr\n" + states, "model.drn", {.reached = true});
  EXPECT_EQ(any.measurements, (std::vector<std::string>{"r", "reached"}));
  EXPECT_EQ(any.measurement, (Matrix{{0, 0}, {1, 1}}));
  EXPECT_EQ(message_of([&] {
              parse_drn("@type: MDP\n@reward_models\nreached\n" + states, "model.drn", {.reached = true});
            }),
            "model.drn:6: the model has a reward model 'reached' already");
}

TEST(Drn, StatesThatEarnOrLeaveAreNotTerminal) {
  const auto model = [](const std::string& state) {
    return parse_drn(
        "@type: MDP\n@reward_models\nr\n@nr_states\n2\n@model\nstate 0 init\n action 0 [1]\n 1 : 1\n" + state,
        "model.drn");
  };
  EXPECT_TRUE(model("state 1\n").is_terminal(1));
  EXPECT_TRUE(model("state 1\n action a\n 1 : 1\n action b\n 1 : 1\n").is_terminal(1));
  EXPECT_FALSE(model("state 1\n action a [1]\n 1 : 1\n").is_terminal(1));
  EXPECT_FALSE(model("state 1 [1]\n action a\n 1 : 1\n").is_terminal(1));
  EXPECT_FALSE(model("state 1\n action a\n 1 : 1\n action b\n 0 : 1\n").is_terminal(1));
  EXPECT_FALSE(model("state 1\n action a\n 1 : 0.5\n 0 : 0.5\n").is_terminal(1));
}

TEST(Drn, SeveralStartsAreEquallyLikely) {
  std::string text = std::string(kHeader) + kStates;
  text.replace(text.find("goal"), 4, "init");
  EXPECT_EQ(parse_drn(text, "model.drn").start, (Vector{{0.5, 0.5, 0.0}}));
}

TEST(Drn, ProbabilitiesOfSixDigitsAreRescaled) {
  std::string text = std::string(kHeader) + kStates;
  text.replace(text.find("1/3"), 3, "0.333333");
  text.replace(text.find("2/3"), 3, "0.666666");
  const TabularModel model = parse_drn(text, "model.drn");
  EXPECT_EQ(model.probability[0], 0.333333 / (0.333333 + 0.666666));
  EXPECT_NEAR(model.probability[0] + model.probability[1], 1.0, 1e-15);
}

struct Malformed {
  std::string find, replace, message;
};

class DrnMalformed : public testing::TestWithParam<Malformed> {};

TEST_P(DrnMalformed, GivesLineAndReason) {
  std::string text = std::string(kHeader) + kStates;
  const auto& [find, replace, message] = GetParam();
  ASSERT_NE(text.find(find), text.npos);
  text.replace(text.find(find), find.size(), replace);
  EXPECT_EQ(message_of([&] { parse_drn(text, "model.drn"); }), "model.drn:" + message);
}

INSTANTIATE_TEST_SUITE_P(
    Corpus, DrnMalformed,
    testing::Values(
        Malformed{"@type: MDP\n", "", "9: section @type is missing before @model"},
        Malformed{"MDP", "CTMC", "1: models of type 'CTMC' are not supported; expected MDP or DTMC"},
        Malformed{"@parameters\n", "@type: MDP\n", "2: section @type stands there twice"},
        Malformed{"@parameters\n", "@value_type: double-interval\n",
                  "2: values of type 'double-interval' are not supported; expected double or rational"},
        Malformed{"@parameters\n", "@parameters\np q\n",
                  "3: models with parameters are not supported; found 'p q'"},
        Malformed{"@parameters\n", "@placeholders\n$0 : p\n",
                  "3: models with placeholders are not supported; found '$0 : p'"},
        Malformed{"@parameters\n", "@params\n", "2: found '@params', expected a section that starts with @"},
        Malformed{"@parameters\n", "parameters\n",
                  "2: found 'parameters', expected a section that starts with @"},
        Malformed{"time risk\n", "", "9: the model has no reward models, so there is nothing to measure"},
        Malformed{"@nr_states\n3\n", "", "8: section @nr_states is missing before @model"},
        Malformed{"@nr_states\n3", "@nr_states\nthree",
                  "7: @nr_states: found 'three', expected a whole number below 2^31"},
        Malformed{"@nr_states\n3", "@nr_states\n-3",
                  "7: @nr_states: found '-3', expected a whole number below 2^31"},
        Malformed{"@nr_states\n3", "@nr_states\n",
                  "6: @nr_states: found '', expected a whole number below 2^31"},
        Malformed{"@nr_states\n3", "@nr_states\n3000000000",
                  "7: @nr_states: found '3000000000', expected a whole number below 2^31"},
        Malformed{"@nr_states\n3", "@nr_states\n2000000000",
                  "10: the file is too short for 2000000000 states as @nr_states says"},
        Malformed{"@nr_states\n3", "@nr_states\n2", "14: found successor '2', expected a state below 2"},
        Malformed{"@nr_states\n3", "@nr_states\n4", "23: found 3 states, expected 4 as @nr_states says"},
        Malformed{"@nr_choices\n4", "@nr_choices\n5", "23: found 4 actions, expected 5 as @nr_choices says"},
        Malformed{"@model\n", "", "10: found 'state 0 [1, 0] init', expected a section that starts with @"},
        Malformed{"state 0 [1, 0] init\n", "", "11: an action before the first state"},
        Malformed{"state 0", "state 1", "11: found state '1', expected state 0"},
        Malformed{"state 0", "state", "11: found state '[1,', expected state 0"},
        Malformed{"state 0 [1, 0]", "state 0 [1, 0", "11: the rewards lack a closing ]"},
        Malformed{"state 0 [1, 0]", "state 0 [1]", "11: found 1 rewards, expected 2: one per reward model"},
        Malformed{"[0, 0.5]", "[0, 0.5, 1]", "12: found 3 rewards, expected 2: one per reward model"},
        Malformed{"[0, 0.5]", "[0, x]", "12: found reward 'x', expected a number"},
        Malformed{"[0, 0.5]", "[0, inf]", "12: found reward 'inf', expected a number"},
        Malformed{"[0, 0.5]", "[]", "12: found reward '', expected a number"},
        Malformed{"[1, 0] init", "!4 [1, 0] init",
                  "11: found '!4': exit rates and observations have no place in an MDP or DTMC"},
        Malformed{"[1, 0] init", "[1, 0] \"init", "11: a label lacks its closing quotation mark"},
        Malformed{" init", "", "23: no state has the label 'init'"},
        Malformed{"\taction slow [0, 0.5]\n", "", "12: a transition before the first action of its state"},
        Malformed{"action slow [0, 0.5]", "action", "12: an action lacks its name"},
        Malformed{"action slow [0, 0.5]", "actoin slow",
                  "12: found 'actoin slow', expected 'state', 'action' or 'successor : probability'"},
        Malformed{"1 : 1/3", "7 : 1/3", "13: found successor '7', expected a state below 3"},
        Malformed{"1 : 1/3", "-1 : 1/3", "13: found successor '-1', expected a state below 3"},
        Malformed{"1 : 1/3", "2 : 1/3", "14: successor 2 stands there twice"},
        Malformed{"1 : 1/3", "1 : p",
                  "13: found probability 'p', expected a number or fraction between 0 and 1"},
        Malformed{"1 : 1/3", "1 : 1/0",
                  "13: found probability '1/0', expected a number or fraction between 0 and 1"},
        Malformed{"1 : 1/3", "1 : -0.5",
                  "13: found probability '-0.5', expected a number or fraction between 0 and 1"},
        Malformed{"1 : 1/3", "1 : 1.5",
                  "13: found probability '1.5', expected a number or fraction between 0 and 1"},
        Malformed{"1 : 1/3", "1 : 0.25",
                  "12: the probabilities of the action sum to 0.9166666666666666, expected 1"},
        Malformed{"\taction fast\n", "\taction fast\n\taction faster\n",
                  "15: the probabilities of the action sum to 0, expected 1"},
        Malformed{"@type: MDP", "@type: DTMC", "15: a second action in a DTMC"}));

TEST(Drn, EveryTruncationIsReadOrRefusedButNeverCrashes) {
  const std::string text = std::string(kHeader) + kStates;
  for (size_t size = 0; size < text.size(); ++size) {
    const std::string message =
        message_of([&] { parse_drn(std::string_view(text).substr(0, size), "model.drn"); });
    EXPECT_TRUE(message.starts_with("model.drn") || size + 1 == text.size()) << size << ": " << message;
  }
}

/// Successors ascending, one measurement per choice, no state that stays for nothing: what DRN can say.
TabularModel random_model(std::uint64_t seed) {
  Rng rng(seed);
  const int states = 1 + static_cast<int>(rng.below(6));
  const int dim = 1 + static_cast<int>(rng.below(3));
  std::vector<std::string> names(dim);
  for (int i = 0; i < dim; ++i) names[i] = fmt::format("m{}", i);
  ModelBuilder builder(std::move(names));
  for (int s = 0; s < states; ++s) {
    const auto actions = rng.below(3);
    for (std::uint64_t a = 0; a < actions; ++a) {
      Vector weights(states);
      for (double& weight : weights) weight = rng.uniform() < 0.5 ? 0 : rng.uniform();
      if (weights.isZero(0)) weights[0] = 1;
      weights /= weights.sum();
      Vector amount = rng.normal_vector(dim) * std::exp2(20 * rng.normal());
      if (dim > 1 && rng.uniform() < 0.2) amount[0] = -0.0;
      for (int next = 0; next < states; ++next) {
        if (weights[next] > 0) builder.add_transition(next, weights[next], amount);
      }
      builder.end_choice();
    }
    builder.end_state();
  }
  Vector start = Vector::Zero(states);
  const int starts = 1 + static_cast<int>(rng.below(states));
  start.head(starts).setConstant(1.0 / starts);
  return std::move(builder).finish(start);
}

RC_GTEST_PROP(Drn, WrittenModelsReadBackIdentical, (std::uint64_t seed)) {
  const TabularModel model = random_model(seed);
  const std::string text = to_drn(model);
  RC_ASSERT(identical(parse_drn(text, "model.drn"), model));
  RC_ASSERT(to_drn(parse_drn(text, "model.drn")) == text);
}

TEST(Drn, FilesRoundTrip) {
  const TabularModel model = random_model(3);
  const std::string path = std::filesystem::temp_directory_path() / "c2rl_drn_test.drn";
  write_model_file(model, path);
  EXPECT_TRUE(identical(read_model_file(path), model));
  std::filesystem::remove(path);
}

/// So long that it is read in pieces.
std::string long_text(TabularModel& model) {
  ModelBuilder builder({"a", "b"});
  Rng rng(4);
  const int states = 60'000;
  for (int s = 0; s < states; ++s) {
    for (int a = 0; a < (s % 100 == 99 ? 0 : 3); ++a) {
      const double p = rng.uniform();
      const int next = static_cast<int>(rng.below(states - 1));
      const Vector amount{{rng.normal(), rng.uniform()}};
      builder.add_transition(next, p, amount);
      builder.add_transition(next + 1, 1 - p, amount);
      builder.end_choice();
    }
    builder.end_state();
  }
  Vector start = Vector::Zero(states);
  start[0] = start[states - 2] = 0.5;
  model = std::move(builder).finish(start);
  return to_drn(model, {{"late", {5, states - 1}}});
}

TEST(Drn, LongFilesAreReadAsShortOnesAre) {
  TabularModel model;
  const std::string text = long_text(model);
  ASSERT_GT(text.size(), std::size_t{12} << 20);
  StateLabels labels;
  EXPECT_TRUE(identical(parse_drn(text, "model.drn", {}, &labels), model));
  EXPECT_EQ(labels.at("late"), (std::vector<int>{5, 59'999}));
  EXPECT_EQ(labels.size(), 1);

  std::string wrong = text;
  const std::size_t at = wrong.find("state 50001");
  wrong[at + 10] = '2';
  const auto line = 1 + std::count(wrong.begin(), wrong.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  EXPECT_EQ(message_of([&] { parse_drn(wrong, "model.drn"); }),
            fmt::format("model.drn:{}: found state '50002', expected state 50001", line));
  // Of two mistakes, the one that comes first.
  wrong[wrong.find(" : ", wrong.size() - 200) + 1] = ';';
  EXPECT_EQ(message_of([&] { parse_drn(wrong, "model.drn"); }),
            fmt::format("model.drn:{}: found state '50002', expected state 50001", line));
}

TEST(Drn, PartsMakeUpTheModel) {
  TabularModel model;
  const std::string text = long_text(model);
  for (const int of : {1, 3}) {
    int next = 0;
    for (int index = 0; index < of; ++index) {
      const ModelPart part = parse_drn_part(text, "model.drn", {}, index, of);
      ASSERT_EQ(part.first, next);
      EXPECT_EQ(part.states_in_all, model.states);
      const ModelPart expected = slice(model, next, next + part.states());
      next += part.states();
      EXPECT_EQ(part.choice_begin, expected.choice_begin);
      EXPECT_EQ(part.transition_begin, expected.transition_begin);
      EXPECT_EQ(part.next, expected.next);
      EXPECT_EQ(part.probability, expected.probability);
      EXPECT_EQ(part.expected, expected.expected);
      EXPECT_EQ(part.start / 2, expected.start);
    }
    EXPECT_EQ(next, model.states);
  }
  // On more ranks than there are states, some have none.
  const std::string small =
      "@type: DTMC\n@reward_models\nr\n@nr_states\n2\n@model\nstate 0 init [1]\n1 : 1\nstate 1 [1]\n0 : 1\n";
  std::int64_t next = 0;
  for (int index = 0; index < 9; ++index) {
    const ModelPart part = parse_drn_part(small, "model.drn", {}, index, 9);
    EXPECT_EQ(part.first, next);
    next += part.states();
  }
  EXPECT_EQ(next, 2);
  std::string wrong = text;
  const std::size_t at = wrong.find(" : ", wrong.size() - 200);
  wrong[at + 1] = ';';
  const auto line = 1 + std::count(wrong.begin(), wrong.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  EXPECT_TRUE(message_of([&] {
                parse_drn_part(wrong, "model.drn", {}, 2, 3);
              }).starts_with(fmt::format("model.drn:{}: found '", line)));
}

TEST(Drn, WritesTheExpectedMeasurementOfAChoice) {
  ModelBuilder builder({"win"});
  builder.add_transition(1, 0.25, Vector{{1.0}});
  builder.add_transition(1, 0.75, Vector{{0.0}});
  builder.end_choice();
  builder.end_state();
  builder.end_state();
  const TabularModel model = std::move(builder).finish(Vector{{1.0, 0.0}});
  EXPECT_EQ(to_drn(model),
            "// Written by c2rl\n@type: "
            "MDP\n@parameters\n\n@reward_models\nwin\n@nr_states\n2\n@nr_choices\n2\n@model\n"
            "state 0 init\n\taction 0 [0.25]\n\t\t1 : 1\nstate 1\n\taction 0 [0]\n\t\t1 : 1\n");
}

TEST(Drn, RefusesToWriteWhatDrnCannotSay) {
  TabularModel model = random_model(3);
  model.measurements[0] = "two words";
  EXPECT_EQ(message_of([&] { to_drn(model); }),
            "measurement 'two words' cannot be written as DRN: its names have no white space");
  ModelBuilder builder({"x"});
  builder.end_state();
  builder.end_state();
  model = std::move(builder).finish(Vector{{0.75, 0.25}});
  EXPECT_EQ(message_of([&] { to_drn(model); }),
            "the start cannot be written as DRN: its start states are equally likely");
}

}  // namespace
}  // namespace c2rl
