#include "c2rl/cli/interrupt.h"

#include <csignal>

namespace c2rl {
namespace {

volatile std::sig_atomic_t requested_flag = 0;

constexpr int kSignals[] = {SIGINT, SIGTERM};

void note(int) {
  requested_flag = 1;
  for (const int signal : kSignals) std::signal(signal, SIG_DFL);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  requested_flag = 0;
  for (const int signal : kSignals) std::signal(signal, note);
}

InterruptGuard::~InterruptGuard() {
  for (const int signal : kSignals) std::signal(signal, SIG_DFL);
}

bool InterruptGuard::requested() const {
  return requested_flag != 0;
}

}  // namespace c2rl
