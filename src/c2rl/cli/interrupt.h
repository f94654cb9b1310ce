#pragma once

namespace c2rl {

/// While it lives, Ctrl-C is noted instead of ending the program; a second Ctrl-C ends it at once. One at a
/// time.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  bool requested() const;
};

}  // namespace c2rl
