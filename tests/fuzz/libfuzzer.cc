// C2RL_FUZZ_TARGET as libFuzzer calls it.

#include "targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  c2rl::C2RL_FUZZ_TARGET(bytes, size);
  return 0;  // what is refused stays in the corpus, too: it may lead to something
}
