#pragma once

#include <algorithm>
#ifdef __SANITIZE_THREAD__
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>
#else
#include <tbb/parallel_for.h>
#endif
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

namespace c2rl {

/// How many threads may do what this one asks for, itself among them: as many as there are cores that the process may
/// use, or less where whoever runs several things at once has said so.
inline int threads_here() {
  using tbb::global_control;
  const auto most = static_cast<int>(global_control::active_value(global_control::max_allowed_parallelism));
  return std::min(most, tbb::this_task_arena::max_concurrency());
}

/// body(i) for every i from 0 to count - 1, on all cores, this thread among them; in any order, and all done when it
/// returns. What a body throws comes out of here.
template <typename Body>
void for_each_parallel(int count, const Body& body) {
#ifdef __SANITIZE_THREAD__
  // The sanitizer does not see how TBB's threads wait for each other; how these do, it sees.
  std::atomic<int> next = 1;
  std::exception_ptr thrown;
  std::mutex mutex;
  const auto work = [&](int i) {
    try {
      for (; i < count; i = next++) body(i);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!thrown) thrown = std::current_exception();
      next = count;
    }
  };
  std::vector<std::thread> others;
  for (int k = 0; k < std::min(3, count - 1); ++k) others.emplace_back([&] { work(next++); });
  work(0);
  for (std::thread& other : others) other.join();
  if (thrown) std::rethrow_exception(thrown);
#else
  // Where there is one thread, starting the others' arena would take a millisecond.
  if (count <= 1 || threads_here() == 1) {
    for (int i = 0; i < count; ++i) body(i);
  } else {
    tbb::parallel_for(0, count, body);
  }
#endif
}

/// body(begin, end) for pieces of 0 to count - 1, each of about `grain`.
template <typename Body>
void for_ranges_parallel(int count, int grain, const Body& body) {
  for_each_parallel((count + grain - 1) / grain,
                    [&](int piece) { body(piece * grain, std::min(count, (piece + 1) * grain)); });
}

}  // namespace c2rl
