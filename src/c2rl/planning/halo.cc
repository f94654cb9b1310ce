#include "c2rl/planning/halo.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

namespace c2rl {
namespace {

/// Which states of a model some list names, a bit for each, and how many there are before any of them.
class Named {
 public:
  explicit Named(std::int64_t states) : words_(static_cast<std::size_t>(states) / 64 + 1, 0) {}
  void add(std::int64_t state) { words_[state / 64] |= std::uint64_t{1} << (state % 64); }
  void count() {
    before_.reserve(words_.size());
    std::int32_t sum = 0;
    for (const std::uint64_t word : words_) {
      before_.push_back(sum);
      sum += std::popcount(word);
    }
  }
  std::int32_t before(std::int64_t state) const {
    const std::uint64_t below = (std::uint64_t{1} << (state % 64)) - 1;
    return before_[state / 64] + std::popcount(words_[state / 64] & below);
  }
  bool has(std::int64_t state) const { return words_[state / 64] >> (state % 64) & 1; }

 private:
  std::vector<std::uint64_t> words_;
  std::vector<std::int32_t> before_;
};

}  // namespace

void append_numbers(const std::string& bytes, std::vector<std::int32_t>& numbers) {
  if (bytes.empty()) return;
  const std::size_t before = numbers.size();
  numbers.resize(before + bytes.size() / sizeof(std::int32_t));
  std::memcpy(numbers.data() + before, bytes.data(), bytes.size());
}

Halo::Halo(std::vector<std::int32_t>& next, std::span<const std::int64_t> begin, Ranks& ranks)
    : ranks_(ranks), sent_to_(ranks.size()), had_from_(ranks.size()) {
  const std::int64_t first = begin[ranks.rank()], end = begin[ranks.rank() + 1];
  own_ = static_cast<int>(end - first);
  const auto is_own = [&](std::int64_t state) { return state >= first && state < end; };
  Named named(begin.back());
  for (const std::int32_t state : next) {
    if (!is_own(state)) named.add(state);
  }
  named.count();
  std::vector<std::string> wanted(ranks.size());
  for (int rank = 0; rank < ranks.size(); ++rank) {
    for (std::int64_t state = begin[rank]; state < begin[rank + 1]; ++state) {
      if (!named.has(state)) continue;
      const auto place = static_cast<std::int32_t>(state - begin[rank]);
      wanted[rank].append(reinterpret_cast<const char*>(&place), sizeof(place));
      ++had_from_[rank];
    }
    others_ += had_from_[rank];
  }
  for (std::int32_t& state : next)
    state = is_own(state) ? static_cast<std::int32_t>(state - first) : own_ + named.before(state);
  const std::vector<std::string> asked = ranks.exchange(wanted);
  for (int rank = 0; rank < ranks.size(); ++rank) {
    sent_to_[rank] = static_cast<int>(asked[rank].size() / sizeof(std::int32_t));
    append_numbers(asked[rank], sent_);
  }
}

void Halo::refresh(std::vector<double>& values, int width) {
  if (ranks_.size() == 1) return;
  packed_.resize(sent_.size() * width);
  double* to = packed_.data();
  for (const std::int32_t state : sent_)
    to = std::copy_n(values.data() + std::ptrdiff_t{state} * width, width, to);
  counts_ = sent_to_;
  incoming_counts_ = had_from_;
  for (int& count : counts_) count *= width;
  for (int& count : incoming_counts_) count *= width;
  ranks_.exchange(packed_, counts_, std::span(values).subspan(std::size_t(own_) * width), incoming_counts_);
}

}  // namespace c2rl
