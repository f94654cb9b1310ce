#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace c2rl {

/// Threads that work together for as long as this lives, on pieces of work of a few microseconds each. Who has nothing
/// to do stays awake for a little while, in which the next piece is likely to come, and then sleeps.
class Team {
 public:
  /// This thread and so many others that there are `threads`, at most kMost.
  explicit Team(int threads = 1);
  ~Team() { end(); }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  /// One thread, that of whoever asks it to do something.
  static Team& alone();

  int threads() const { return threads_; }

  static constexpr int kMost = 64;

  /// body(i) for every i from 0 to count - 1, which is at most kMost, in any order, and all done when it returns. Part i is
  /// for the i-th thread, this one being the first, so that it finds what it has left in its cache; parts of one that is
  /// very late, or that there is not, are done by whoever is free. A body throws nothing and asks for nothing here; nobody
  /// else does meanwhile.
  template <typename Body>
  void for_each(int count, const Body& body) {
    if (count > 1 && threads_ > 1) {
      share(count, &body, [](const void* work, int i) { (*static_cast<const Body*>(work))(i); });
    } else {
      for (int i = 0; i < count; ++i) body(i);
    }
  }

 private:
  using Call = void(const void* work, int i);

  void share(int count, const void* work, Call* call);
  bool take(int thread, int& waited);
  void help(int thread);
  void end();

  const int threads_;
  /// Of parts that nobody has taken, a bit each.
  alignas(64) std::atomic<std::uint64_t> left_ = 0;
  // What is done: written while no part is left or unfinished, so that it may be read by who has taken one.
  const void* work_ = nullptr;
  Call* call_ = nullptr;
  // On lines of the cache of their own:
  alignas(64) std::atomic<int> unfinished_ = 0;
  alignas(64) std::atomic<int> asleep_ = 0;
  std::mutex mutex_;
  std::condition_variable woken_;
  std::atomic<bool> over_ = false;
  std::vector<std::thread> others_;
};

}  // namespace c2rl
