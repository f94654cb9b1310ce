#pragma once

#include <string>

#include "c2rl/cli/command_line.h"
#include "c2rl/cli/interrupt.h"
#include "c2rl/watch/live_site.h"

namespace c2rl {

/// Shows what a command writes to the browsers of this machine while it lives, and says where.
class Watching {
 public:
  Watching(const std::string& directory, const Console& console);

  /// What was watched has ended. On a terminal its page stays, for one who has yet to look, until Ctrl-C; elsewhere nobody
  /// waits.
  void stay(const InterruptGuard& interrupt) const;

 private:
  RunSite site_;
  LocalServer server_;
  const Console& console_;
};

/// Waits for Ctrl-C.
void wait_for(const InterruptGuard& interrupt);

}  // namespace c2rl
