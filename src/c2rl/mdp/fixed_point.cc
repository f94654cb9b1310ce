#include "c2rl/mdp/fixed_point.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>

#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseLU>

namespace c2rl {
namespace {

/// Unknowns up to which a component is factorised. The factors of a random graph fill up completely: at this
/// size that is 8 MB and a tenth of a second.
constexpr int kDirectLimit = 1000;

/// Steps of the Krylov method that starts the sweeps on larger components; each costs about two sweeps.
constexpr int kKrylovSteps = 1000;

/// Relative residual at which it hands over; a little above rounding, where it would stagnate.
constexpr double kKrylovTolerance = 1e-14;

/// Eigen's own loops call nobody but the preconditioner.
class PulsingPreconditioner : public Eigen::DiagonalPreconditioner<double> {
 public:
  Pulse listener;

  template <typename Right>
  auto solve(const Eigen::MatrixBase<Right>& b) const {
    pulse(listener);
    return Eigen::DiagonalPreconditioner<double>::solve(b);
  }
};

class Elimination {
 public:
  Elimination(const SparseRows& matrix, const Vector& b, const Pulse& listener)
      : matrix_(matrix), b_(b), listener_(listener), x_(Vector::Zero(b.size())) {}

  Vector solve() {
    const Components parts = components(matrix_);
    local_.assign(matrix_.size(), -1);
    for (int c = 0; c < parts.size(); ++c) {
      const std::span members(&parts.members[parts.begin[c]],
                              &parts.members[parts.begin[c]] + (parts.begin[c + 1] - parts.begin[c]));
      if (members.size() == 1) {
        relax(members[0]);
        continue;
      }
      pulse(listener_);
      if (std::ssize(members) <= kDirectLimit) {
        factorise(members);
      } else {
        iterate(members);
      }
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

  /// The equations (I - M) x = right of a component, what it leads to being known.
  struct System {
    Eigen::SparseMatrix<double> matrix;
    Vector right;
  };
  System system(std::span<const std::int32_t> members) {
    const int n = static_cast<int>(members.size());
    for (int i = 0; i < n; ++i) local_[members[i]] = i;
    std::vector<Eigen::Triplet<double>> entries;
    System result{Eigen::SparseMatrix<double>(n, n), Vector(n)};
    for (int i = 0; i < n; ++i) {
      result.right[i] = b_[members[i]];
      entries.emplace_back(i, i, 1.0);
      for (int e = matrix_.begin[members[i]]; e < matrix_.begin[members[i] + 1]; ++e) {
        const int j = local_[matrix_.column[e]];
        if (j >= 0) {
          entries.emplace_back(i, j, -matrix_.value[e]);
        } else {
          result.right[i] += matrix_.value[e] * x_[matrix_.column[e]];
        }
      }
    }
    for (const int i : members) local_[i] = -1;
    result.matrix.setFromTriplets(entries.begin(), entries.end());
    return result;
  }

  void factorise(std::span<const std::int32_t> members) {
    const System equations = system(members);
    Eigen::SparseLU<Eigen::SparseMatrix<double>> factors(equations.matrix);
    if (factors.info() != Eigen::Success) throw std::logic_error("solve_fixed_point: the system is singular");
    Vector x = factors.solve(equations.right);
    // One refinement makes the residual as small as rounding allows.
    x += factors.solve(Vector(equations.right - equations.matrix * x));
    for (std::size_t i = 0; i < members.size(); ++i) x_[members[i]] = x[i];
  }

  /// Gauss-Seidel sweeps, which always converge, from where a Krylov method gets to, which is mostly the end.
  void iterate(std::span<const std::int32_t> members) {
    {
      const System equations = system(members);
      Eigen::BiCGSTAB<Eigen::SparseMatrix<double>, PulsingPreconditioner> krylov(equations.matrix);
      krylov.preconditioner().listener = listener_;
      krylov.setMaxIterations(kKrylovSteps);
      krylov.setTolerance(kKrylovTolerance);
      const Vector x = krylov.solve(equations.right);
      if (x.allFinite()) {
        for (std::size_t i = 0; i < members.size(); ++i) x_[members[i]] = x[i];
      }
    }
    int entries = 0;
    for (const int i : members) entries = std::max(entries, matrix_.begin[i + 1] - matrix_.begin[i]);
    const double rounding = 4 * kEpsilon * (entries + 2);
    for (double moved = kInfinity, largest = 0; moved > rounding * largest;) {
      pulse(listener_);
      moved = largest = 0;
      for (const int i : members) {
        moved = std::max(moved, relax(i));
        largest = std::max(largest, std::abs(x_[i]));
      }
    }
  }

  const SparseRows& matrix_;
  const Vector& b_;
  const Pulse& listener_;
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

Components components(const SparseRows& matrix) {
  // Tarjan's algorithm with its own stack: chains may be millions of states long.
  const int n = matrix.size();
  Components result;
  result.members.reserve(n);
  std::vector<std::int32_t> number(n, -1), low(n), edge(n), open, path;
  std::vector<bool> is_open(n, false);
  int visited = 0;
  for (int root = 0; root < n; ++root) {
    if (number[root] >= 0) continue;
    const auto enter = [&](int i) {
      number[i] = low[i] = visited++;
      edge[i] = matrix.begin[i];
      is_open[i] = true;
      open.push_back(i);
      path.push_back(i);
    };
    enter(root);
    while (!path.empty()) {
      const int i = path.back();
      if (edge[i] < matrix.begin[i + 1]) {
        const int j = matrix.column[edge[i]++];
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

Vector solve_fixed_point(const SparseRows& matrix, const Vector& b, const Pulse& listener) {
  return Elimination(matrix, b, listener).solve();
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
