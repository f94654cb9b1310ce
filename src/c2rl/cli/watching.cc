#include "c2rl/cli/watching.h"

#include <chrono>
#include <ostream>
#include <thread>

namespace c2rl {

Watching::Watching(const std::string& directory, const Console& console)
    : site_(directory), server_(site_), console_(console) {
  console.err << "Watch it at " << server_.address() << "\n" << std::flush;
}

void Watching::stay(const InterruptGuard& interrupt) const {
  if (!console_.live || interrupt.requested()) return;
  console_.out << std::flush;
  console_.err << "Its page stays at " << server_.address() << " until Ctrl-C.\n" << std::flush;
  wait_for(interrupt);
}

void wait_for(const InterruptGuard& interrupt) {
  constexpr auto kLook = std::chrono::milliseconds(50);
  while (!interrupt.requested()) std::this_thread::sleep_for(kLook);
}

}  // namespace c2rl
