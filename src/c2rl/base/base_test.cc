#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "c2rl/base/error.h"
#include "c2rl/base/json.h"
#include "c2rl/base/random.h"
#include "c2rl/base/text.h"

namespace c2rl {
namespace {

TEST(InputError, MessageNamesThePlace) {
  EXPECT_STREQ(InputError({"points.csv", 3, 2, "risk"}, "expected a number").what(),
               "points.csv:3:2: risk: expected a number");
  EXPECT_STREQ(InputError({.field = "target"}, "is empty").what(), "target: is empty");
}

TEST(InputError, WithinFillsInWhatTheErrorDoesNotKnow) {
  const InputError inner({.field = "radius"}, "expected a number above 0");
  EXPECT_STREQ(inner.within({.file = "p.toml", .line = 4, .field = "target.set"}).what(),
               "p.toml:4: radius: expected a number above 0");
  EXPECT_STREQ(InputError("is torn").within({.file = "a.json", .line = 2, .field = "weight"}).what(),
               "a.json:2: weight: is torn");
  // The line of one file is none of another.
  const InputError placed({.file = "b.drn", .line = 7}, "expected a state");
  EXPECT_STREQ(placed.within({.file = "p.toml", .line = 4, .field = "path"}).what(),
               "b.drn:7: path: expected a state");
  EXPECT_EQ(placed.message(), "expected a state");
}

TEST(Text, NearestNameFindsSlipsOnly) {
  const std::vector<std::string> known = {"steps", "risk", "reward"};
  EXPECT_EQ(nearest_name("stpes", known), "steps");
  EXPECT_EQ(nearest_name("Risk", known), "risk");
  EXPECT_EQ(nearest_name("energy", known), std::nullopt);
  EXPECT_EQ(unknown_name_message("measurement", "rewrad", known),
            "unknown measurement 'rewrad'; did you mean 'reward'?");
  EXPECT_EQ(unknown_name_message("measurement", "energy", known),
            "unknown measurement 'energy'; known: steps, risk, reward");
}

TEST(Text, ParseNumberTakesWholeTextOnly) {
  EXPECT_EQ(parse_number("-1.5e3"), -1500.0);
  EXPECT_EQ(parse_number("+2"), 2.0);
  EXPECT_EQ(parse_number("1e999"), kInfinity);
  EXPECT_EQ(parse_number("1e-999"), 0.0);
  EXPECT_TRUE(std::isnan(*parse_number("nan")));
  for (const char* bad : {"", " 1", "1 ", "1x", "x", "1,5", "--1", "+"})
    EXPECT_EQ(parse_number(bad), std::nullopt);
}

// The generator's published known answer for counter 0 and key 0: 6627e8d5 e169c58d bc57ac4c 9b00dbd8.
TEST(Rng, IsPhilox4x32) {
  Rng rng(0);
  EXPECT_EQ(rng.bits(), 0xe169c58d6627e8d5u);
  EXPECT_EQ(rng.bits(), 0x9b00dbd8bc57ac4cu);
}

TEST(Rng, StreamsRepeatAndDiffer) {
  Rng a(7), b(7);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(a.bits(), b.bits());
  std::set<std::uint64_t> first;
  const Rng root(7);
  for (std::uint64_t i = 0; i < 1000; ++i) first.insert(root.fork("oracle", i).bits());
  first.insert(root.fork("evaluation", 0).bits());
  first.insert(Rng(7).bits());
  EXPECT_EQ(first.size(), 1002u);
}

TEST(Rng, MomentsOfUniformNormalAndBelow) {
  constexpr int kDraws = 200000;
  Rng rng(1);
  double uniform = 0, normal = 0, square = 0;
  std::array<int, 6> faces = {};
  for (int i = 0; i < kDraws; ++i) {
    uniform += rng.uniform();
    const double z = rng.normal();
    normal += z;
    square += z * z;
    ++faces[rng.below(6)];
  }
  // Five standard errors each.
  EXPECT_NEAR(uniform / kDraws, 0.5, 5 * std::sqrt(1.0 / 12 / kDraws));
  EXPECT_NEAR(normal / kDraws, 0.0, 5 * std::sqrt(1.0 / kDraws));
  EXPECT_NEAR(square / kDraws, 1.0, 5 * std::sqrt(2.0 / kDraws));
  for (const int count : faces) EXPECT_NEAR(count, kDraws / 6.0, 5 * std::sqrt(kDraws * 5.0 / 36));
}

TEST(Json, NonFiniteNumbersReadBack) {
  EXPECT_EQ(to_json(Vector{{1.5, kInfinity, -kInfinity}}).dump(), "[1.5,\"inf\",\"-inf\"]");
  EXPECT_EQ(vector_from_json(to_json(Vector{{0.1, kInfinity, -kInfinity}}), "x"),
            (Vector{{0.1, kInfinity, -kInfinity}}));
  EXPECT_TRUE(std::isnan(number_from_json(to_json(std::nan("")), "x")));
  EXPECT_THROW(number_from_json(Json(nullptr), "x"), InputError);
  EXPECT_EQ(vector_from_json(Json::parse("[1, 2]"), "x"), (Vector{{1.0, 2.0}}));
  EXPECT_THROW(vector_from_json(Json::parse("[1, \"a\"]"), "x"), InputError);
}

}  // namespace
}  // namespace c2rl
