#include "c2rl/report/experiment_statistics.h"

#include <algorithm>
#include <cmath>

#include "c2rl/base/random.h"
#include "c2rl/base/vector.h"
#include "c2rl/run/experiment_columns.h"

namespace c2rl {
namespace {

constexpr int kDraws = 400;
/// Calls of which each is a place; beyond them, so many places a decade.
constexpr int kEachCall = 60;
constexpr int kPlacesPerDecade = 40;
constexpr int kClockPlacesPerDecade = 10;

std::vector<double> call_places(int calls) {
  std::vector<double> places;
  for (int call = 1; call <= std::min(calls, kEachCall); ++call) places.push_back(call);
  for (int i = 1; !places.empty() && places.back() < calls; ++i) {
    const double place = std::floor(kEachCall * std::pow(10, static_cast<double>(i) / kPlacesPerDecade));
    if (place > places.back()) places.push_back(std::min<double>(place, calls));
  }
  return places;
}

std::vector<double> clock_places(const Series& series, const Column& column) {
  double first = 0, last = 0;
  for (const auto& rows : series.cells) {
    first = std::max(first, column.of(rows.front()));
    last = std::max(last, column.of(rows.back()));
  }
  std::vector<double> places;
  if (!(first > 0)) return places;
  for (int place = static_cast<int>(std::ceil(kClockPlacesPerDecade * std::log10(first)));; ++place) {
    places.push_back(std::pow(10, static_cast<double>(place) / kClockPlacesPerDecade));
    if (places.back() >= last) return places;
  }
}

const Column& column_of(Clock clock) {
  return column_for(clock == Clock::calls   ? "calls-to-accuracy"
                    : clock == Clock::steps ? "steps-to-accuracy"
                                            : "seconds-to-accuracy");
}

/// The last row that a cell had by then; its first at the earliest.
const CellRow& row_by(const std::vector<CellRow>& rows, const Column& column, double place) {
  const auto after = std::partition_point(rows.begin() + 1, rows.end(),
                                          [&](const CellRow& row) { return column.of(row) <= place; });
  return *(after - 1);
}

}  // namespace

double interquartile_mean(std::vector<double> values) {
  std::ranges::sort(values);
  const auto trimmed = static_cast<std::ptrdiff_t>(values.size() / 4);
  return mean(std::vector<double>(values.begin() + trimmed, values.end() - trimmed));
}

Bootstrap::Bootstrap(int runs) : runs_(runs) {
  Rng rng = Rng(0).fork("bootstrap", static_cast<std::uint64_t>(runs));
  for (int i = 0; i < kDraws && runs > 1; ++i) {
    draws_.emplace_back();
    for (int k = 0; k < runs; ++k)
      draws_.back().push_back(static_cast<int>(rng.below(static_cast<std::uint64_t>(runs))));
  }
}

Spread Bootstrap::spread(const std::vector<double>& values) const {
  Spread spread{.mean = mean(values),
                .deviation = deviation(values),
                .median = quantile(values, 0.5),
                .quartile1 = quantile(values, 0.25),
                .quartile3 = quantile(values, 0.75),
                .middle = interquartile_mean(values)};
  spread.middle_low = spread.middle_high = spread.middle;
  const auto [least, most] = std::ranges::minmax(values);
  if (draws_.empty() || least == most) return spread;
  std::vector<double> middles, drawn(values.size());
  middles.reserve(draws_.size());
  for (const std::vector<int>& draw : draws_) {
    for (std::size_t k = 0; k < draw.size(); ++k) drawn[k] = values[static_cast<std::size_t>(draw[k])];
    middles.push_back(interquartile_mean(drawn));
  }
  spread.middle_low = quantile(middles, 0.025);
  spread.middle_high = quantile(std::move(middles), 0.975);
  return spread;
}

Course course_of(const Series& series, Clock clock, const Bootstrap& bootstrap) {
  Course course;
  const Column& column = column_of(clock);
  course.places = clock == Clock::calls ? call_places(series.calls()) : clock_places(series, column);
  for (const double place : course.places) {
    std::vector<double> errors, policies;
    for (const auto& rows : series.cells) {
      const CellRow& row = row_by(rows, column, place);
      errors.push_back(row.error);
      policies.push_back(row.policies);
    }
    course.error.push_back(bootstrap.spread(errors));
    course.policies.push_back(bootstrap.spread(policies));
  }
  return course;
}

}  // namespace c2rl
