#include "c2rl/base/version.h"

namespace c2rl {

const char* version() {
  return C2RL_VERSION;
}

}  // namespace c2rl
