#include "c2rl/base/options.h"

#include <gtest/gtest.h>

namespace c2rl {
namespace {

enum class Colour { red, green };
const EnumNames<Colour>& colour_names() {
  static const EnumNames<Colour> kNames("colour", {"red", "green"});
  return kNames;
}

/// One option of each type.
struct Sample {
  double rate = 0.1;
  double limit = kInfinity;
  std::int64_t steps = 500'000;
  int batch = 32;
  bool cache = false;
  int rounds = 7;
  std::string label = "none";
  Vector weights = Vector{{1, 2.5}};
  std::optional<Vector> first = {};
  std::vector<int> hidden = {128, 64};
  Colour colour = Colour::green;
  double last = 1;

  void visit(OptionVisitor& visitor) {
    visitor.number("rate", rate, above(0), "how fast");
    visitor.number("limit", limit, {.lowest = 0, .open_below = true, .infinite = true}, "how far");
    visitor.integer("steps", steps, between(1, 1e15), "how long");
    visitor.integer("batch", batch, at_least(1), "how many at a time");
    visitor.flag("cache", cache, "whether to remember");
    if (visitor.when(cache)) visitor.integer("rounds", rounds, between(1, 100), "with cache: how often");
    visitor.text("label", label, "what it is called");
    visitor.vector("weights", weights, "what counts");
    visitor.vector("first", first, "the target's normals", "where to begin");
    visitor.integers("hidden", hidden, between(1, 8192), "widths");
    visitor.choice("colour", colour, colour_names(), "how it looks");
    visitor.suggest(last, std::min(last, rate));
    visitor.number("last", last, part(), "the rate at the end");
    visitor.described("map", "lines of text", "", "read elsewhere");
  }
};

Sample read(const std::string& text) {
  const Config config = Config::parse("[s]\n" + text, "p.toml");
  const Sample sample = read_options<Sample>(config.section("s"));
  config.reject_unknown_keys();
  return sample;
}

std::string error_of(const auto& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Options, AreReadWithTheirDefaults) {
  const Sample given = read(
      "rate = 2\nlimit = 3\nsteps = 1e6\nbatch = 1\ncache = true\nrounds = 5\nlabel = \"x\"\nweights = [4]\n"
      "first = [0, 1]\nhidden = []\ncolour = \"red\"\nlast = 0.5\n");
  EXPECT_EQ(given.rate, 2);
  EXPECT_EQ(given.limit, 3);
  EXPECT_EQ(given.steps, 1'000'000);
  EXPECT_EQ(given.batch, 1);
  EXPECT_TRUE(given.cache);
  EXPECT_EQ(given.rounds, 5);
  EXPECT_EQ(given.label, "x");
  EXPECT_EQ(given.weights, Vector{{4}});
  EXPECT_EQ(given.first, (Vector{{0, 1}}));
  EXPECT_TRUE(given.hidden.empty());
  EXPECT_EQ(given.colour, Colour::red);
  EXPECT_EQ(given.last, 0.5);

  const Sample standard = read("");
  EXPECT_EQ(standard.rate, 0.1);
  EXPECT_EQ(standard.limit, kInfinity);
  EXPECT_EQ(standard.steps, 500'000);
  EXPECT_FALSE(standard.first);
  EXPECT_EQ(standard.hidden, (std::vector<int>{128, 64}));
  EXPECT_EQ(standard.colour, Colour::green);
  EXPECT_EQ(standard.last, 0.1);  // suggested by the rate
}

TEST(Options, WhatIsOutOfRangeIsReportedAtItsKey) {
  const auto error = [](const std::string& text) { return error_of([&] { read(text); }); };
  EXPECT_EQ(error("\nrate = 0"), "p.toml:3: s.rate: found 0, expected a number above 0");
  EXPECT_EQ(error("rate = inf"), "p.toml:2: s.rate: found inf, expected a number above 0");
  EXPECT_EQ(error("limit = -1"), "p.toml:2: s.limit: found -1, expected a number above 0, or inf");
  EXPECT_EQ(error("batch = 0"), "p.toml:2: s.batch: found 0, expected a whole number, 1 or more");
  EXPECT_EQ(error("batch = 3000000000"), "p.toml:2: s.batch: found 3000000000, expected at most 2147483647");
  EXPECT_EQ(error("last = 2"), "p.toml:2: s.last: found 2, expected a number from 0 to 1");
  EXPECT_EQ(error("hidden = [3, 0]"),
            "p.toml:2: s.hidden: found [3, 0], expected whole numbers from 1 to 8192");
  EXPECT_EQ(error("hidden = [1.5]"),
            "p.toml:2: s.hidden: found [1.5], expected whole numbers from 1 to 8192");
  EXPECT_NE(error("colour = \"gren\"").find("did you mean 'green'?"), std::string::npos);
  EXPECT_NE(error("rounds = 5").find("unknown key"), std::string::npos);  // without the cache
  EXPECT_NE(error("cache = true\nrounds = 0").find("s.rounds"), std::string::npos);
}

TEST(Options, AreCheckedWithoutAFile) {
  check_options(Sample{});
  EXPECT_EQ(error_of([] { check_options(Sample{.rate = -1}); }), "rate: found -1, expected a number above 0");
  EXPECT_EQ(error_of([] { check_options(Sample{.rate = std::nan("")}); }),
            "rate: found nan, expected a number above 0");
  EXPECT_EQ(error_of([] { check_options(Sample{.hidden = {0}}); }),
            "hidden: found 0, expected whole numbers from 1 to 8192");
  check_options(Sample{.rounds = 0});  // means nothing without the cache
  EXPECT_EQ(error_of([] { check_options(Sample{.cache = true, .rounds = 0}); }),
            "rounds: found 0, expected a whole number from 1 to 100");
  EXPECT_NE(error_of([] { check_options(Sample{.colour = static_cast<Colour>(5)}); }), "no error");
}

TEST(Options, AreListedWithDefaultRangeAndReason) {
  const std::vector<OptionInfo> all = list_options<Sample>();
  const auto row = [&](const std::string& key) {
    for (const OptionInfo& option : all) {
      if (option.key == key) return option.standard + " | " + option.type + " | " + option.reason;
    }
    return std::string("not listed");
  };
  EXPECT_EQ(row("rate"), "0.1 | a number above 0 | how fast");
  EXPECT_EQ(row("limit"), "inf | a number above 0, or inf | how far");
  EXPECT_EQ(row("steps"), "500000 | a whole number from 1 to 1000000000000000 | how long");
  EXPECT_EQ(row("rounds"), "7 | a whole number from 1 to 100 | with cache: how often");
  EXPECT_EQ(row("hidden"), "[128, 64] | whole numbers from 1 to 8192 | widths");
  EXPECT_EQ(row("colour"), "\"green\" | one of red, green | how it looks");
  EXPECT_EQ(row("first"), "the target's normals | a list of numbers | where to begin");
  EXPECT_EQ(row("map"), " | lines of text | read elsewhere");
  EXPECT_EQ(all.size(), 13u);
}

TEST(Range, EndsAreMeantUnlessOpen) {
  EXPECT_TRUE(between(0, 1).contains(1));
  EXPECT_FALSE((Range{.lowest = 0, .highest = 1, .open_above = true}.contains(1)));
  EXPECT_EQ((Range{.lowest = 0, .highest = 1, .open_above = true}.words()), "from 0 to below 1");
  EXPECT_FALSE(above(0).contains(0));
  EXPECT_FALSE(any_number().contains(kInfinity));
  EXPECT_FALSE(any_number().contains(std::nan("")));
  EXPECT_EQ(any_number().words(), "");
}

}  // namespace
}  // namespace c2rl
