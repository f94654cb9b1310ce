#pragma once

namespace c2rl {

/// While it lives, Ctrl-C and SIGTERM are noted instead of ending the program; a second one ends it at once. One
/// at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  bool requested() const;
};

}  // namespace c2rl
