#include "c2rl/planning/ties.h"

namespace c2rl {

const EnumNames<Ties>& ties_names() {
  static const EnumNames<Ties> kNames("ties", {"shortest", "longest", "first", "random"});
  return kNames;
}

}  // namespace c2rl
