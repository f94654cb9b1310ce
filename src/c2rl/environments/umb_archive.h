#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/base/json.h"

namespace c2rl {

/// An array in an archive, of numbers of 8 bytes that may lie anywhere; where it is absent, the format says what is meant.
template <typename Number>
class UmbArray {
 public:
  UmbArray() = default;
  explicit UmbArray(std::string_view bytes) : bytes_(bytes.data()) {}
  explicit operator bool() const { return bytes_ != nullptr; }
  Number operator[](std::size_t i) const {
    Number value;
    std::memcpy(&value, bytes_ + i * sizeof(Number), sizeof(Number));
    return value;
  }

 private:
  const char* bytes_ = nullptr;
};
using UmbIndices = UmbArray<std::uint64_t>;
using UmbValues = UmbArray<double>;

/// The files of a UMB archive, and what its index says of them. What is not an MDP or DTMC with doubles is refused.
class UmbArchive {
 public:
  /// `file` is for errors; both must outlive this.
  UmbArchive(std::string_view bytes, const std::string& file);

  int states() const { return states_; }
  std::int64_t choices() const { return choices_; }
  std::int64_t branches() const { return branches_; }

  /// The annotations of a group: what each is stored under, and what people know it by, its alias if it has one.
  std::vector<std::pair<std::string, std::string>> annotations(const std::string& group) const;
  /// An InputError unless the values of an annotation are doubles.
  void expect_doubles(const std::string& group, const std::string& id) const;

  UmbIndices indices(const std::string& name, std::size_t count) const {
    return array<UmbIndices>(name, count);
  }
  UmbValues values(const std::string& name, std::size_t count) const { return array<UmbValues>(name, count); }
  std::vector<bool> bits(const std::string& name, std::size_t count) const;
  /// A map to intervals, one after the other, of `total` things. Those from `first` to before `last` are looked at.
  UmbIndices intervals(const std::string& name, std::int64_t count, std::int64_t total, std::int64_t first,
                       std::int64_t last) const;

  const std::string& file() const { return file_; }
  [[noreturn]] void fail(const std::string& field, const std::string& reason) const {
    throw InputError({.file = file_, .field = field}, reason);
  }

 private:
  template <typename Array>
  Array array(const std::string& name, std::size_t count) const {
    const auto found = files_.find(name);
    if (found == files_.end()) return {};
    if (found->second.size() != 8 * count)
      fail(name,
           fmt::format("found {} bytes, expected {} for {} numbers", found->second.size(), 8 * count, count));
    return Array(found->second);
  }
  void read_index();
  std::int64_t count(const JsonObject& system, const std::string& field, std::int64_t most) const;
  void expect_double(const Json& type, const std::string& field) const;

  const std::string& file_;
  const std::map<std::string, std::string_view> files_;
  Json index_;
  int states_ = 0;
  std::int64_t choices_ = 0, branches_ = 0;
};

}  // namespace c2rl
