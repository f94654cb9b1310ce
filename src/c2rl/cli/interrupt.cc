#include "c2rl/cli/interrupt.h"

#include <csignal>

namespace c2rl {
namespace {

volatile std::sig_atomic_t requested_flag = 0;

void note(int signal) {
  requested_flag = 1;
  std::signal(signal, SIG_DFL);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  requested_flag = 0;
  std::signal(SIGINT, note);
}

InterruptGuard::~InterruptGuard() {
  std::signal(SIGINT, SIG_DFL);
}

bool InterruptGuard::requested() const {
  return requested_flag != 0;
}

}  // namespace c2rl
