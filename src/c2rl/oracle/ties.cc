#include "c2rl/oracle/ties.h"

#include "c2rl/base/enum_names.h"

namespace c2rl {
namespace {

const EnumNames<Ties>& names() {
  static const EnumNames<Ties> kNames("ties", {"shortest", "longest", "first", "random"});
  return kNames;
}

}  // namespace

std::string to_string(Ties ties) {
  return names().of(ties);
}

Ties ties_from_string(const std::string& name) {
  return names().parse(name);
}

}  // namespace c2rl
