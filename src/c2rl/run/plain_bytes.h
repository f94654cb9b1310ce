#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace c2rl {

/// What ranks send each other: plain values, one after the other.
class Bytes {
 public:
  template <typename Value>
  void add(const Value& value) {
    text.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  template <typename Value>
  static Value take(std::string_view& bytes) {
    Value value;
    std::memcpy(&value, bytes.data(), sizeof(value));
    bytes.remove_prefix(sizeof(value));
    return value;
  }
  template <typename Value>
  void add(const Value* values, std::ptrdiff_t count) {
    text.append(reinterpret_cast<const char*>(values), static_cast<std::size_t>(count) * sizeof(Value));
  }
  template <typename Value>
  static void take(std::string_view& bytes, Value* values, std::ptrdiff_t count) {
    const std::size_t size = static_cast<std::size_t>(count) * sizeof(Value);
    if (size > 0) std::memcpy(values, bytes.data(), size);
    bytes.remove_prefix(size);
  }
  std::string text;
};

// How an answer begins.
inline constexpr char kDone = 'd', kFailed = 'f';

}  // namespace c2rl
