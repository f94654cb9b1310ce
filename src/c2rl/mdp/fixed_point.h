#pragma once

#include <cstdint>
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

/// The strongly connected components of the graph with an edge from i to every column of row i, each after
/// all that its members' edges lead to: the order in which x = b + M x can be solved component by component.
struct Components {
  std::vector<std::int32_t> begin = {0};
  std::vector<std::int32_t> members;

  int size() const { return static_cast<int>(begin.size()) - 1; }
};
Components components(const SparseRows& matrix);

/// The solution of x = b + M x for M >= 0 whose powers vanish: values and occupancies of policies. Components
/// of one state are solved directly (a deterministic model's, mostly), larger ones by sparse LU, and beyond a
/// limit, where the factors would fill up, by iterating until nothing but rounding moves.
Vector solve_fixed_point(const SparseRows& matrix, const Vector& b, const Pulse& listener = {});

/// For each row a bound on |b + M x - x|, rounding of its own computation included.
Vector residual_bound(const SparseRows& matrix, const Vector& b, const Vector& x);

}  // namespace c2rl
