#include "c2rl/base/state_visitor.h"

#include <bit>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

namespace c2rl {
namespace {

/// A field of every kind.
struct Fields {
  bool flag = false;
  std::int64_t count = 0;
  float number = 0;
  Rng rng{1};
  std::vector<int> list;
  Vector vector;
  Safetensors content;

  void visit(StateVisitor& state) {
    state.value("flag", flag);
    state.value("count", count);
    state.value("number", number);
    state.value("rng", rng);
    state.list("list", list, 5);
    state.list("vector", vector, 5);
    state.content("content", content);
  }
};

Safetensors saved(Fields& fields) {
  Safetensors content;
  auto state = StateVisitor::saving(content);
  fields.visit(state);
  return content;
}

void restore(Fields& fields, const Safetensors& content) {
  auto state = StateVisitor::restoring(content);
  fields.visit(state);
}

TEST(StateVisitor, RestoresEveryBit) {
  Fields fields;
  fields.flag = true;
  fields.count = std::numeric_limits<std::int64_t>::min() + 1;
  fields.number = std::bit_cast<float>(0x7fc01234);  // a NaN that says more than that
  for (int i = 0; i < 7; ++i) fields.rng.bits();     // half of a block is spare
  fields.list = {3, -1, 4};
  fields.vector = Vector{{-0.0, 5e-324}};
  fields.content = {{{"kind", "of"}}, {{"a/b", "I32", {1}, std::vector<std::byte>(4, std::byte{7})}}};
  Fields found;
  restore(found, saved(fields));
  EXPECT_TRUE(found.flag);
  EXPECT_EQ(found.count, fields.count);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(found.number), 0x7fc01234u);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(found.rng.bits(), fields.rng.bits());
  EXPECT_EQ(found.rng.fork("child").bits(), fields.rng.fork("child").bits());
  EXPECT_EQ(found.list, fields.list);
  EXPECT_EQ(found.vector, fields.vector);
  EXPECT_TRUE(std::signbit(found.vector[0]));
  EXPECT_EQ(found.content.metadata, fields.content.metadata);
  ASSERT_EQ(found.content.tensors.size(), 1u);
  EXPECT_EQ(found.content.tensors[0].name, "a/b");
  EXPECT_EQ(found.content.tensors[0].type, "I32");
  EXPECT_EQ(found.content.tensors[0].bytes, fields.content.tensors[0].bytes);
}

TEST(StateVisitor, RefusesWhatDoesNotFit) {
  Fields fields;
  const Safetensors good = saved(fields);
  const auto error_with = [&](auto change) -> std::string {
    Safetensors content = good;
    change(content);
    try {
      restore(fields, content);
    } catch (const UnfitState& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(error_with([](auto&) {}), "");
  EXPECT_EQ(error_with([](auto& c) { c.tensors.erase(c.tensors.begin() + 1); }), "it has no 'count'");
  EXPECT_EQ(error_with([](auto& c) { c.tensors[0].bytes[0] = std::byte{2}; }), "its 'flag' does not fit");
  EXPECT_EQ(error_with([](auto& c) { c.tensors[1].bytes.resize(4); }), "its 'count' has 4 bytes, expected 8");
  EXPECT_EQ(error_with([](auto& c) { c.tensors[4].bytes.resize(24); }),
            "its 'list' has 24 bytes, expected at most 5 times 4");
  EXPECT_EQ(error_with([](auto& c) { c.tensors[4].bytes.resize(7); }),
            "its 'list' has 7 bytes, expected at most 5 times 4");
}

}  // namespace
}  // namespace c2rl
