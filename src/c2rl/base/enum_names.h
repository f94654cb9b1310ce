#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "c2rl/base/error.h"
#include "c2rl/base/text.h"

namespace c2rl {

/// What the values of an enumeration, which count from 0, are called in problem files.
template <typename Enum>
class EnumNames {
 public:
  /// `field` is the key they are values of, for errors.
  EnumNames(std::string field, std::vector<std::string> names)
      : field_(std::move(field)), names_(std::move(names)) {}

  const std::vector<std::string>& all() const { return names_; }
  const std::string& of(Enum value) const { return names_[static_cast<std::size_t>(value)]; }

  /// An unknown name is an InputError that suggests the nearest one.
  Enum parse(const std::string& name) const {
    const auto found = std::ranges::find(names_, name);
    if (found == names_.end())
      throw InputError({.field = field_}, unknown_name_message(field_, name, names_));
    return static_cast<Enum>(found - names_.begin());
  }

 private:
  std::string field_;
  std::vector<std::string> names_;
};

}  // namespace c2rl
