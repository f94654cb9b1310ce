// The episodes that a search draws. What is on record is not drawn again.

#include <algorithm>
#include <utility>

#include "c2rl/base/random.h"
#include "c2rl/base/stopwatch.h"
#include "c2rl/run/fresh_episodes.h"
#include "c2rl/run/search.h"

namespace c2rl {

DrawRecord Search::draw(const std::vector<int>& calls, const std::vector<std::int64_t>& counts,
                        int confirmation) {
  ++draws_;
  auto record = journal_.next_draw(calls, counts);
  if (!record) {
    begin_new_work();
    const Stopwatch watch;
    record = DrawRecord{.draw = draws_, .confirmation = confirmation, .calls = calls, .counts = counts};
    const Rng stream = Rng(problem_.seed).fork("draw", static_cast<std::uint64_t>(draws_));
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (problem_.oracle->is_offline()) {
        record->found.push_back(judge_by_data(*repertoire_.policy(calls[i]), counts[i]));
        continue;
      }
      record->found.push_back(sample(*repertoire_.policy(calls[i]), 0, counts[i],
                                     stream.fork("policy", static_cast<std::uint64_t>(calls[i])),
                                     confirmation));
    }
    record->seconds = watch.seconds();
    record->failures = std::exchange(failures_, {});
    journal_.append(*record);
  }
  listener_.drawn(*record);
  std::int64_t recorded = 0;
  for (const Measured& found : record->found) {
    (found.sampled() ? episodes_drawn_ : recorded) += found.episodes;
    (confirmation > 0 ? steps_.confirmation : steps_.evaluation) += found.env_steps;
  }
  // Recorded episodes told of all policies at once.
  if (!record->found.empty()) episodes_drawn_ += recorded / std::ssize(record->found);
  return *record;
}

Measured Search::judge_by_data(const Policy& policy, std::int64_t count) const {
  const std::int64_t episodes = std::min(count, problem_.oracle->judging_episodes() - episodes_drawn_);
  return Measured::of(problem_.oracle->judge(policy, episodes_drawn_, episodes), episodes);
}

Measured Search::sample(const Policy& policy, std::int64_t first, std::int64_t count, const Rng& rng,
                        int confirmation) {
  constexpr std::int64_t kChunk = 16'384;
  Measured found;
  for (std::int64_t done = 0; done < count; done += kChunk) {
    const auto part = static_cast<double>(done) / static_cast<double>(count);
    const auto chunk = static_cast<int>(std::min(kChunk, count - done));
    EpisodeTotals drawn;
    persist([&](int /*failed*/) {
      drawn = fresh_episodes(problem_, policy, first + done, chunk, rng, [&] {
        if (!listener_.drawing(confirmation, part)) throw OracleInterrupted();
      });
    });
    found.add(drawn, demands());
  }
  return found;
}

}  // namespace c2rl
