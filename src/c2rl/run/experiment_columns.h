#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>
#include <vector>

#include "c2rl/run/experiment.h"

// What is asked of the rows of cells, and said of many such numbers.

namespace c2rl {

/// Linear interpolation between the sorted values.
inline double quantile(std::vector<double> values, double part) {
  std::sort(values.begin(), values.end());
  const double position = part * static_cast<double>(values.size() - 1);
  const auto below = static_cast<size_t>(position);
  const double rest = position - static_cast<double>(below);
  if (rest == 0 || values[below] == values[below + 1]) return values[below];  // values may be infinite
  return values[below] + rest * (values[below + 1] - values[below]);
}

inline double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

inline double deviation(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  const double middle = mean(values);
  double sum = 0;
  for (const double value : values) sum += (value - middle) * (value - middle);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

/// What a claim can be about, of the row in which an error is first reached.
struct Column {
  const char* quantity;
  double (*of)(const CellRow& row);
};
inline const std::vector<Column>& columns_to_accuracy() {
  static const std::vector<Column> kColumns = {
      {"calls-to-accuracy", [](const CellRow& row) { return static_cast<double>(row.call); }},
      {"policies-to-accuracy", [](const CellRow& row) { return static_cast<double>(row.policies); }},
      {"steps-to-accuracy", [](const CellRow& row) { return static_cast<double>(row.env_steps); }},
      {"seconds-to-accuracy", [](const CellRow& row) { return row.seconds; }},
  };
  return kColumns;
}

inline const Column& column_for(std::string_view quantity) {
  const auto& columns = columns_to_accuracy();
  return *std::ranges::find(columns, quantity, &Column::quantity);
}

}  // namespace c2rl
