#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "c2rl/base/vector.h"
#include "c2rl/mdp/progress.h"

namespace c2rl {

/// A sparse square matrix: row i has the entries begin[i] .. begin[i + 1] - 1.
struct SparseRows {
  std::vector<std::int32_t> begin = {0};
  std::vector<std::int32_t> column;
  std::vector<double> value;

  int size() const { return static_cast<int>(begin.size()) - 1; }
  SparseRows transposed() const;
};

/// The strongly connected components of the graph with an edge from i to column[begin[i]] ..
/// column[begin[i + 1] - 1], each after all that its members' edges lead to: the order in which x = b + M x can
/// be solved component by component. Where roots are given, of what they lead to alone.
struct Components {
  std::vector<std::int32_t> begin = {0};
  std::vector<std::int32_t> members;

  int size() const { return static_cast<int>(begin.size()) - 1; }
  std::span<const std::int32_t> of(int component) const {
    return std::span(members).subspan(begin[component], begin[component + 1] - begin[component]);
  }
};
Components components(std::span<const std::int32_t> begin, std::span<const std::int32_t> column);
Components components(std::span<const std::int32_t> begin, std::span<const std::int32_t> column,
                      std::span<const std::int32_t> roots);
inline Components components(const SparseRows& matrix) {
  return components(matrix.begin, matrix.column);
}

/// The solution of x = b + M x for M >= 0 whose powers vanish: values of policies. Components of one state are
/// solved directly (a deterministic model's, mostly), larger ones by sparse LU, and beyond a limit, where the
/// factors would fill up, by iterating until no row is off by more than `goal`, or by more than rounding.
Vector solve_fixed_point(const SparseRows& matrix, const Vector& b, const Pulse& listener = {},
                         double goal = 0);

/// For each row a bound on |b + M x - x|, rounding of its own computation included.
Vector residual_bound(const SparseRows& matrix, const Vector& b, const Vector& x);

}  // namespace c2rl
