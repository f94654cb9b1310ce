#include "c2rl/mdp/fixed_point.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "c2rl/mdp/relaxation.h"

namespace c2rl {
namespace {

class Elimination {
 public:
  Elimination(const SparseRows& matrix, const Vector& b, const Pulse& listener, double goal)
      : matrix_(matrix), b_(b), listener_(listener), goal_(goal), x_(Vector::Zero(b.size())) {}

  Vector solve() {
    const Components parts = components(matrix_);
    local_.assign(matrix_.size(), -1);
    for (int c = 0; c < parts.size(); ++c) {
      const std::span<const std::int32_t> members = parts.of(c);
      if (members.size() == 1) {
        relax(members[0]);
        continue;
      }
      pulse(listener_);
      settle(members);
    }
    return std::move(x_);
  }

 private:
  /// Makes row i hold, given the others. Returns by how much x moved.
  double relax(int i) {
    double sum = b_[i], diagonal = 0;
    for (int e = matrix_.begin[i]; e < matrix_.begin[i + 1]; ++e) {
      if (matrix_.column[e] == i) {
        diagonal += matrix_.value[e];
      } else {
        sum += matrix_.value[e] * x_[matrix_.column[e]];
      }
    }
    const double before = x_[i];
    x_[i] = sum / (1 - diagonal);
    return std::abs(x_[i] - before);
  }

  /// Makes the rows of a component hold, what it leads to being known.
  void settle(std::span<const std::int32_t> members) {
    const int n = static_cast<int>(members.size());
    for (int i = 0; i < n; ++i) local_[members[i]] = i;
    SparseRows rows;
    Matrix right(1, n);
    for (int i = 0; i < n; ++i) {
      right(0, i) = b_[members[i]];
      for (int e = matrix_.begin[members[i]]; e < matrix_.begin[members[i] + 1]; ++e) {
        const int j = local_[matrix_.column[e]];
        if (j >= 0) {
          rows.column.push_back(j);
          rows.value.push_back(matrix_.value[e]);
        } else {
          right(0, i) += matrix_.value[e] * x_[matrix_.column[e]];
        }
      }
      rows.begin.push_back(static_cast<std::int32_t>(rows.column.size()));
    }
    for (const int i : members) local_[i] = -1;
    Matrix x = Matrix::Zero(1, n);
    Relaxation relaxation(std::move(rows));
    if (n > Relaxation::kDirectLimit || !relaxation.factorise(right, x))
      relaxation.approach(right, x, goal_, listener_);
    for (int i = 0; i < n; ++i) x_[members[i]] = x(0, i);
  }

  const SparseRows& matrix_;
  const Vector& b_;
  const Pulse& listener_;
  const double goal_;
  Vector x_;
  std::vector<std::int32_t> local_;  // a row's place in the component being solved, else -1
};

}  // namespace

SparseRows SparseRows::transposed() const {
  SparseRows result;
  result.begin.assign(size() + 1, 0);
  for (const int j : column) ++result.begin[j + 1];
  for (int i = 0; i < size(); ++i) result.begin[i + 1] += result.begin[i];
  result.column.resize(column.size());
  result.value.resize(value.size());
  std::vector<std::int32_t> place(result.begin.begin(), result.begin.end() - 1);
  for (int i = 0; i < size(); ++i) {
    for (int e = begin[i]; e < begin[i + 1]; ++e) {
      const int to = place[column[e]]++;
      result.column[to] = i;
      result.value[to] = value[e];
    }
  }
  return result;
}

Components components(std::span<const std::int32_t> begin, std::span<const std::int32_t> column) {
  std::vector<std::int32_t> all(begin.size() - 1);
  std::iota(all.begin(), all.end(), 0);
  return components(begin, column, all);
}

Components components(std::span<const std::int32_t> begin, std::span<const std::int32_t> column,
                      std::span<const std::int32_t> roots) {
  // Tarjan's algorithm with its own stack: chains may be millions of states long.
  const int n = static_cast<int>(begin.size()) - 1;
  Components result;
  result.members.reserve(n);
  std::vector<std::int32_t> number(n, -1), low(n), edge(n), open, path;
  std::vector<bool> is_open(n, false);
  int visited = 0;
  for (const int root : roots) {
    if (number[root] >= 0) continue;
    const auto enter = [&](int i) {
      number[i] = low[i] = visited++;
      edge[i] = begin[i];
      is_open[i] = true;
      open.push_back(i);
      path.push_back(i);
    };
    enter(root);
    while (!path.empty()) {
      const int i = path.back();
      if (edge[i] < begin[i + 1]) {
        const int j = column[edge[i]++];
        if (number[j] < 0) {
          enter(j);
        } else if (is_open[j]) {
          low[i] = std::min(low[i], number[j]);
        }
        continue;
      }
      path.pop_back();
      if (!path.empty()) low[path.back()] = std::min(low[path.back()], low[i]);
      if (low[i] != number[i]) continue;
      int member;
      do {
        member = open.back();
        open.pop_back();
        is_open[member] = false;
        result.members.push_back(member);
      } while (member != i);
      result.begin.push_back(static_cast<std::int32_t>(result.members.size()));
    }
  }
  return result;
}

Vector solve_fixed_point(const SparseRows& matrix, const Vector& b, const Pulse& listener, double goal) {
  return Elimination(matrix, b, listener, goal).solve();
}

Vector residual_bound(const SparseRows& matrix, const Vector& b, const Vector& x) {
  Vector bound(matrix.size());
  for (int i = 0; i < matrix.size(); ++i) {
    double sum = b[i] - x[i], size = std::abs(b[i]) + std::abs(x[i]);
    for (int e = matrix.begin[i]; e < matrix.begin[i + 1]; ++e) {
      const double term = matrix.value[e] * x[matrix.column[e]];
      sum += term;
      size += std::abs(term);
    }
    bound[i] = std::abs(sum) + kEpsilon * (matrix.begin[i + 1] - matrix.begin[i] + 2) * size;
  }
  return bound;
}

}  // namespace c2rl
