#include "c2rl/base/safetensors.h"

#include <cstring>
#include <filesystem>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "c2rl/base/error.h"
#include "c2rl/base/file.h"

namespace c2rl {
namespace {

std::string file_bytes(const std::string& header, const std::string& data) {
  std::string bytes(8, '\0');
  const std::uint64_t length = header.size();
  std::memcpy(bytes.data(), &length, 8);
  return bytes + header + data;
}

// The format as its specification shows it, byte by byte.
TEST(Safetensors, ReadsAFileWrittenByHand) {
  const std::string header =
      R"({"__metadata__":{"kind":"tabular"},"a":{"dtype":"U8","shape":[2,2],"data_offsets":[0,4]}})";
  const Safetensors content = parse_safetensors(file_bytes(header, std::string("\1\2\3\4", 4)), "f");
  EXPECT_EQ(content.metadata.at("kind"), "tabular");
  ASSERT_EQ(content.tensors.size(), 1u);
  EXPECT_EQ(content.tensors[0].shape, (std::vector<std::int64_t>{2, 2}));
  EXPECT_EQ(content.tensors[0].bytes[3], std::byte{4});
}

TEST(Safetensors, WhatIsWrittenReadsBack) {
  const std::string path = testing::TempDir() + "c2rl_round_trip.safetensors";
  Safetensors content;
  content.metadata = {{"kind", "x"}, {"quote", "\"\n"}};
  content.tensors = {{"w", "F32", {3}, std::vector<std::byte>(12, std::byte{7})},
                     {"empty", "F64", {0, 5}, {}}};
  write_safetensors(path, content);
  const Safetensors read = read_safetensors(path);
  EXPECT_EQ(read.metadata, content.metadata);
  ASSERT_EQ(read.tensors.size(), 2u);
  EXPECT_EQ(read.tensors[0].bytes, content.tensors[0].bytes);
  EXPECT_EQ(read.tensors[1].shape, content.tensors[1].shape);
  // Tensors begin at a multiple of eight bytes, as readers that map the file expect.
  std::uint64_t length = 0;
  std::memcpy(&length, read_file(path).data(), 8);
  EXPECT_EQ(length % 8, 0u);
  std::filesystem::remove(path);
}

TEST(Safetensors, HostileFilesGiveAnErrorThatNamesThem) {
  const std::string huge =
      R"({"a":{"dtype":"F64","shape":[9223372036854775807,9223372036854775807],"data_offsets":[0,8]}})";
  const std::vector<std::string> hostile = {
      "",
      "short",
      file_bytes("{", ""),
      file_bytes("[]", ""),
      file_bytes("{}", "x"),
      std::string(8, '\xff'),
      file_bytes(R"({"a":3})", ""),
      file_bytes(R"({"__metadata__":{"a":3}})", ""),
      file_bytes(R"({"a":{"dtype":"F16","shape":[1],"data_offsets":[0,2]}})", "xx"),
      file_bytes(R"({"a":{"dtype":"U8","shape":[-1],"data_offsets":[0,0]}})", ""),
      file_bytes(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,9]}})", "1234"),
      file_bytes(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[4,0]}})", "1234"),
      file_bytes(
          R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})",
          "123"),
      file_bytes(huge, "12345678"),
      file_bytes(std::string(100000, '['), "")};
  for (const std::string& bytes : hostile) {
    try {
      parse_safetensors(bytes, "evil.safetensors");
      ADD_FAILURE() << "accepted: " << bytes.substr(8);
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()).substr(0, 18), "evil.safetensors: ");
    }
  }
}

// Any change of one byte gives content or an InputError, nothing else.
TEST(Safetensors, SurvivesCorruption) {
  const std::string good = file_bytes(
      R"({"a":{"dtype":"I32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"U8","shape":[1],"data_offsets":[8,9]}})",
      std::string(9, 'x'));
  const bool holds = rc::check([&](size_t where, char what) {
    std::string bytes = good;
    bytes[where % bytes.size()] = what;
    try {
      parse_safetensors(bytes, "f");
    } catch (const InputError&) {
    }
  });
  EXPECT_TRUE(holds);
}

}  // namespace
}  // namespace c2rl
