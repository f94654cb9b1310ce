#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "c2rl/base/ranks.h"

namespace c2rl {

/// Numbers that a rank has sent as bytes go to the end of others; there may be none.
void append_numbers(const std::string& bytes, std::vector<std::int32_t>& numbers);

/// What a rank must know of states that others have: the ones that its own lead to. Values are kept for its own states,
/// in order, and behind them for these, in order; a message from each rank per sweep brings them up to date.
class Halo {
 public:
  /// The states in `next`, which are those of the whole model, become places among the values. Ranks have the states from
  /// begin[rank] to before begin[rank + 1]. Keeps a reference to the ranks, which make this together.
  Halo(std::vector<std::int32_t>& next, std::span<const std::int64_t> begin, Ranks& ranks);

  /// Own states and those of others.
  int places() const { return own_ + others_; }
  /// Sends what others need of `values`, and fills in what they have; `width` numbers for each place.
  void refresh(std::vector<double>& values, int width);

 private:
  Ranks& ranks_;
  int own_ = 0, others_ = 0;
  std::vector<std::int32_t> sent_;       // own states that others need, rank after rank
  std::vector<int> sent_to_, had_from_;  // how many, by rank
  std::vector<int> counts_, incoming_counts_;
  std::vector<double> packed_;
};

}  // namespace c2rl
