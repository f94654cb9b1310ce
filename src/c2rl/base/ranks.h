#pragma once

#include <chrono>
#include <cstdint>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "c2rl/base/error.h"

namespace c2rl {

/// The processes that do one job together, as mpirun starts them, numbered from 0. Rank 0 is the one that people see: it
/// alone writes results and talks to the terminal. This header knows no message library; whoever starts the program brings
/// one, or none, and then there is one rank.
class Ranks {
 public:
  virtual ~Ranks() = default;
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  bool is_first() const { return rank_ == 0; }

  // From one rank to another. All below are called on the thread that began with them.

  virtual void send(int to, std::string_view bytes) = 0;
  struct Message {
    int from = 0;
    std::string bytes;
  };
  /// Of what has come and was not taken, the first, if there is any. What one rank sends comes in order.
  virtual std::optional<Message> poll() = 0;
  /// Waits for it, and leaves the core to others while nothing comes: what comes may then lie there for about so long.
  Message wait(std::chrono::microseconds longest = std::chrono::microseconds(2000));

  /// Ends all of them, and says why: for one that cannot go on while others wait for it to exchange something.
  virtual void end_all(std::string_view why) = 0;

  // By all ranks together, in the same order on each.

  /// Every entry becomes its sum over the ranks, the same bits on all of them.
  virtual void add(std::span<double> values) = 0;
  /// Every entry becomes its largest over the ranks.
  virtual void take_largest(std::span<double> values) = 0;
  /// outgoing[i] goes to rank i; what has come from rank i is entry i of the result.
  virtual std::vector<std::string> exchange(const std::vector<std::string>& outgoing) = 0;
  /// The same for numbers whose counts both sides know, one rank after the other.
  virtual void exchange(std::span<const double> outgoing, std::span<const int> outgoing_counts,
                        std::span<double> incoming, std::span<const int> incoming_counts) = 0;

 protected:
  /// `crowded`: there are fewer cores than ranks, so that one that waits is in the way of another that works.
  Ranks(int rank, int size, bool crowded) : rank_(rank), size_(size), crowded_(crowded) {}

 private:
  int rank_, size_;
  bool crowded_;
};

/// The one rank of a program that was started by itself.
Ranks& lone_rank();

/// An InputError on every rank where any has found one: its own, or else the one of the first rank that has.
void agree(Ranks& ranks, const std::optional<InputError>& error);

/// What `work` gives, which takes part in exchanges of all ranks: where memory runs out in one of them, the others would wait
/// for ever.
template <typename Work>
auto or_end_all(Ranks& ranks, const Work& work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    if (ranks.size() > 1) ranks.end_all("memory ran out");
    throw;
  }
}

/// What `work` gives, where it fails on no rank.
template <typename Work>
auto together(Ranks& ranks, const Work& work) {
  std::optional<decltype(work())> result;
  std::optional<InputError> error;
  try {
    result.emplace(or_end_all(ranks, work));
  } catch (const InputError& thrown) {
    error = thrown;
  }
  agree(ranks, error);
  return *std::move(result);
}

/// What the first rank asks others for while they wait (run/helpers.h): what it sends them begins with one of these.
enum class Order : char {
  plan = 'p',      // help with a call of the oracle
  episodes = 'e',  // run some
  batch = 'b',     // have so many episodes to act in
  act = 'a',       // in these
  stop = 's',      // with what they are doing
  leave = 'l',     // there is no more to do
};

/// Part `index` of `of` of `count` things in a row: where it begins. It ends where the next one does.
inline std::int64_t part_begin(std::int64_t count, int index, int of) {
  return count / of * index + count % of * index / of;
}

}  // namespace c2rl
