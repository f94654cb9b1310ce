#pragma once

#include <cstring>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/base/safetensors.h"

namespace c2rl {

/// An InputError about a policy that a file holds.
[[noreturn]] inline void refuse_policy(const std::string& message) {
  throw InputError({.field = "policy"}, message);
}

/// What its metadata say under a key, which they must have.
inline std::string metadata_entry(const std::map<std::string, std::string>& metadata, const char* key) {
  const auto found = metadata.find(key);
  if (found == metadata.end()) refuse_policy(fmt::format("has no '{}' in its metadata", key));
  return found->second;
}

/// What its metadata say that it shares with other policies, where they say anything: names, separated by commas.
constexpr const char* kSharedArrays = "shared_arrays";
inline std::vector<std::string> shared_arrays(const std::map<std::string, std::string>& metadata) {
  std::vector<std::string> names;
  const auto found = metadata.find(kSharedArrays);
  if (found == metadata.end()) return names;
  names.emplace_back();
  for (const char c : found->second) {
    if (c == ',') {
      names.emplace_back();
    } else {
      names.back() += c;
    }
  }
  return names;
}

/// Its arrays without the one of this name, whose numbers go to `numbers`; those of the network are left.
template <typename T>
std::vector<Tensor> arrays_without(std::span<const Tensor> arrays, const char* name, const char* type,
                                   std::vector<T>& numbers) {
  std::vector<Tensor> others;
  for (const Tensor& array : arrays) {
    if (array.name != name) {
      others.push_back(array);
      continue;
    }
    if (array.type != type)
      refuse_policy(fmt::format("array '{}' has type {}; expected {}", name, array.type, type));
    numbers.resize(array.bytes.size() / sizeof(T));
    std::memcpy(numbers.data(), array.bytes.data(), numbers.size() * sizeof(T));
  }
  return others;
}

}  // namespace c2rl
