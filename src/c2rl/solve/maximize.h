#pragma once

#include <algorithm>
#include <memory>
#include <optional>

#include "c2rl/base/enum_names.h"
#include "c2rl/solve/solver_kinds.h"

namespace c2rl {

/// How the best value inside the target is approached.
enum class MaximizeMethod {
  direct,     // column generation: every oracle call narrows the bracket from both sides
  bisection,  // the paper's binary search over the value, each step a feasibility problem
};
const EnumNames<MaximizeMethod>& maximize_method_names();

/// The best value of a linear objective inside the target: max c.x over mixtures x in Omega. The bracket
/// [value(), upper_bound()] closes; ends `optimal` when it is closed to the tolerance, which is one of
/// distances: an objective of length 1 makes it one of values.
class Maximizer : public Solver {
 public:
  /// The objective at the mixture, -infinity before one is inside the target; and what no mixture inside the
  /// target exceeds.
  double value() const { return value_; }
  double upper_bound() const { return upper_bound_; }

  std::optional<Bracket> maximum() const final {
    if (value_ == -kInfinity) return std::nullopt;
    // The mixture is inside to the tolerance only, and so may be above what bounds those that are all inside.
    return Bracket{value_, std::max(value_, upper_bound_), grade_};
  }

 protected:
  /// No objective: a method that serves a feasibility problem this time.
  Maximizer(SetPtr target, const std::optional<Vector>& objective, const SolverOptions& options);

  void set_value(double value) { value_ = value; }
  void lower_bound_to(double upper_bound) { upper_bound_ = std::min(upper_bound_, upper_bound); }
  void rest_on(Grade grade) { grade_ = grade == Grade::evidence ? grade : grade_; }

 private:
  double value_ = -kInfinity, upper_bound_ = kInfinity;
  Grade grade_ = Grade::proof;
};

/// The kind's own method where the maker has one; else it answers the feasibility questions of `method`.
std::unique_ptr<Solver> make_maximizer(MaximizeMethod method, const SolverMaker& maker, SetPtr target,
                                       const Vector& objective, const SolverOptions& options);

}  // namespace c2rl
