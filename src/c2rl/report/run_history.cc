#include "c2rl/report/run_history.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace c2rl {

void RunHistory::call_recalled(const CallRecord& record) {
  HistoryFrame frame{.call = record.call,
                     .distance = record.cycle.distance,
                     .bound = record.cycle.distance_lower_bound,
                     .policies = record.cycle.atoms,
                     .point = record.mixture.point,
                     .direction = record.direction,
                     .answer = record.same_as > 0 ? record.same_as : record.cycle.atom,
                     .seconds = record.seconds,
                     .steps = record.steps.all(),
                     .attempts = record.attempts};
  for (int i = 0; i < record.mixture.size(); ++i)
    frame.weights.emplace_back(record.mixture.ids[static_cast<std::size_t>(i)], record.mixture.weights[i]);
  if (frame.weights.size() > kWeights) {
    std::ranges::nth_element(frame.weights, frame.weights.begin() + kWeights,
                             [](const auto& a, const auto& b) { return a.second > b.second; });
    frame.weights.resize(kWeights);
    std::ranges::sort(frame.weights);
  }
  if (record.same_as == 0 && frame.answer == record.call)
    found_[record.call] = {record.found.point, record.found.standard_error};
  frames_.push_back(std::move(frame));
}

std::vector<int> thinned(const std::vector<double>& values, int most) {
  const int count = static_cast<int>(values.size());
  std::vector<int> kept;
  if (count <= most) {
    kept.resize(values.size());
    std::iota(kept.begin(), kept.end(), 0);
    return kept;
  }
  const int stretches = std::max(1, most / 3);
  const double growth = std::log(static_cast<double>(count)) / stretches;
  int begin = 0;
  for (int stretch = 1; begin < count; ++stretch) {
    int end = static_cast<int>(std::lround(std::exp(growth * stretch)));
    if (stretch >= stretches) end = count;
    end = std::min(std::max(end, begin + 1), count);
    const auto [low, high] = std::minmax_element(values.begin() + begin, values.begin() + end);
    for (const auto at : {low - values.begin(), high - values.begin(), std::ptrdiff_t{end - 1}})
      kept.push_back(static_cast<int>(at));
    begin = end;
  }
  std::ranges::sort(kept);
  const auto doubled = std::ranges::unique(kept);
  kept.erase(doubled.begin(), doubled.end());
  return kept;
}

}  // namespace c2rl
