#include "c2rl/base/team.h"

#include <algorithm>
#include <bit>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace c2rl {
namespace {

/// How often one who waits looks before it lets others have its core: some 50 microseconds, longer than what one thread
/// does alone between two steps of a training, and no longer than it takes to wake up.
constexpr int kLooks = 2000;
/// How often one who is free looks at a part before it takes that from the thread that it is for: half a microsecond, some
/// times what it takes until news are on another core.
constexpr int kPatience = 20;

/// Leaves what the core can do to others on it, for a moment.
void pause() {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

Team::Team(int threads) : threads_(std::clamp(threads, 1, kMost)) {
  try {
    for (int i = 1; i < threads_; ++i) others_.emplace_back([this, i] { help(i); });
  } catch (...) {
    end();  // the machine has no more threads, and those that there are would wait for ever
    throw;
  }
}

void Team::end() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  woken_.notify_all();
  for (std::thread& other : others_) other.join();
}

Team& Team::alone() {
  static Team team;
  return team;
}

void Team::share(int count, const void* work, Call* call) {
  work_ = work;
  call_ = call;
  unfinished_.store(count - 1, std::memory_order_relaxed);  // the first is done here
  // Either it is seen here that one sleeps, or that one sees that there is work: both are in one order, seq_cst.
  left_.store(~std::uint64_t{0} >> (kMost - count) & ~std::uint64_t{1});
  if (asleep_.load() > 0) {
    { const std::lock_guard lock(mutex_); }
    woken_.notify_all();
  }
  call(work, 0);
  for (int looks = 0, waited = 0; unfinished_.load(std::memory_order_acquire) > 0;) {
    if (take(0, waited)) continue;
    if (++looks < kLooks) {
      pause();
    } else {
      std::this_thread::yield();
    }
  }
}

/// Does a part, where there is one for this thread, or for none, or one that has waited for its thread long enough.
bool Team::take(int thread, int& waited) {
  const std::uint64_t left = left_.load(std::memory_order_relaxed);
  waited = left == 0 ? 0 : waited + 1;
  const std::uint64_t own = std::uint64_t{1} << thread,
                      for_none = left & ~(~std::uint64_t{0} >> (kMost - threads_));
  const std::uint64_t wanted = left & own ? own : for_none != 0 || waited < kPatience ? for_none : left;
  const std::uint64_t part = wanted & -wanted;
  if (part == 0 || !(left_.fetch_and(~part, std::memory_order_acquire) & part)) return false;
  call_(work_, std::countr_zero(part));
  unfinished_.fetch_sub(1, std::memory_order_release);
  waited = 0;
  return true;
}

void Team::help(int thread) {
  while (!over_) {
    for (int looks = 0, waited = 0; looks < kLooks; ++looks) {
      if (take(thread, waited)) {
        looks = 0;
      } else {
        pause();
      }
    }
    std::unique_lock lock(mutex_);
    ++asleep_;
    woken_.wait(lock, [this] { return over_ || left_.load() != 0; });
    --asleep_;
  }
}

}  // namespace c2rl
