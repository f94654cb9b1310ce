#include "c2rl/mdp/incomplete_factors.h"

#include <algorithm>

namespace c2rl {

IncompleteFactors::IncompleteFactors(const SparseRows& matrix)
    // Transposing sorts.
    : entries_(matrix.transposed().transposed()), upper_(matrix.size()), pivot_(matrix.size()) {
  auto& [begin, column, value] = entries_;
  for (double& v : value) v = -v;
  std::vector<std::int32_t> place(matrix.size(), -1);  // of a column's entry in the row at hand
  for (int i = 0; i < matrix.size(); ++i) {
    for (int e = begin[i]; e < begin[i + 1]; ++e) place[column[e]] = e;
    upper_[i] = static_cast<std::int32_t>(
        std::lower_bound(column.begin() + begin[i], column.begin() + begin[i + 1], i) - column.begin());
    pivot_[i] = 1;
    for (int e = begin[i]; e < upper_[i]; ++e) {
      const int k = column[e];
      value[e] /= pivot_[k];
      for (int u = upper_[k]; u < begin[k + 1]; ++u) {
        const double fill = value[e] * value[u];
        if (column[u] == i) {
          pivot_[i] -= fill;
        } else if (place[column[u]] >= 0) {
          value[place[column[u]]] -= fill;
        }
      }
    }
    for (int e = begin[i]; e < begin[i + 1]; ++e) place[column[e]] = -1;
  }
}

Vector IncompleteFactors::solve(const Vector& right) const {
  const auto& [begin, column, value] = entries_;
  Vector x = right;
  const int n = entries_.size();
  for (int i = 0; i < n; ++i) {
    double sum = x[i];
    for (int e = begin[i]; e < upper_[i]; ++e) sum -= value[e] * x[column[e]];
    x[i] = sum;
  }
  for (int i = n - 1; i >= 0; --i) {
    double sum = x[i];
    for (int e = upper_[i]; e < begin[i + 1]; ++e) sum -= value[e] * x[column[e]];
    x[i] = sum / pivot_[i];
  }
  return x;
}

}  // namespace c2rl
