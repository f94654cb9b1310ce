#include "c2rl/base/kinds.h"

#include <gtest/gtest.h>

namespace c2rl {
namespace {

struct FruitKind : KindInfo {
  int price = 0;
};

Kinds<FruitKind> fruits() {
  return {"fruit", {{{"apple", "round"}, 1}, {{"pear", "less so"}, 2}}};
}

TEST(Kinds, AreFoundByNameInTheirOrder) {
  const Kinds<FruitKind> kinds = fruits();
  EXPECT_EQ(kinds.names(), (std::vector<std::string>{"apple", "pear"}));
  EXPECT_EQ(kinds.standard().name, "apple");
  EXPECT_EQ(kinds.find("pear").price, 2);
  try {
    kinds.find("aple");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.message(), "unknown fruit 'aple'; did you mean 'apple'?");
  }
}

TEST(Kinds, TakeMoreUnderOtherNamesAndStayWhereTheyAre) {
  Kinds<FruitKind> kinds = fruits();
  const FruitKind* const apple = &kinds.find("apple");
  for (int i = 0; i < 100; ++i) kinds.add({{"fruit-" + std::to_string(i), "one more"}, i});
  EXPECT_EQ(&kinds.find("apple"), apple);
  EXPECT_EQ(kinds.find("fruit-99").price, 99);
  EXPECT_THROW(kinds.add({{"pear", "again"}, 3}), InputError);
  EXPECT_THROW(kinds.add({{"", "nameless"}, 3}), InputError);
  EXPECT_EQ(kinds.all().size(), 102u);
}

TEST(Kinds, AreNamedInSections) {
  const Kinds<FruitKind> kinds = fruits();
  const Config config = Config::parse("[a]\nkind = \"pear\"\n[b]\n[c]\nkind = \"plum\"\n", "p.toml");
  EXPECT_EQ(kinds.named_in(config.section("a")).price, 2);
  EXPECT_EQ(kinds.named_in(config.section("b"), "apple").price, 1);
  EXPECT_THROW(kinds.named_in(config.section("b")), InputError);
  try {
    kinds.named_in(config.section("c"));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.place().line, 5);
    EXPECT_EQ(error.place().field, "c.kind");
  }
}

}  // namespace
}  // namespace c2rl
