#include "c2rl/oracle/ties.h"

#include <algorithm>

#include "c2rl/base/error.h"
#include "c2rl/base/text.h"

namespace c2rl {
namespace {

const std::vector<std::string>& names() {
  static const std::vector<std::string> kNames = {"shortest", "longest", "first", "random"};
  return kNames;
}

}  // namespace

std::string to_string(Ties ties) {
  return names()[static_cast<int>(ties)];
}

Ties ties_from_string(const std::string& name) {
  const auto found = std::ranges::find(names(), name);
  if (found == names().end()) {
    throw InputError({.field = "ties"}, unknown_name_message("tie rule", name, names()));
  }
  return static_cast<Ties>(found - names().begin());
}

}  // namespace c2rl
