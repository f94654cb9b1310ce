#pragma once

#include <cstdint>
#include <vector>

#include "c2rl/base/vector.h"
#include "c2rl/mdp/fixed_point.h"

namespace c2rl {

/// I - M is about L U, factors without an entry where M has none: ILU(0). They exist, with positive pivots,
/// for M >= 0 without a diagonal whose powers vanish.
class IncompleteFactors {
 public:
  explicit IncompleteFactors(const SparseRows& matrix);

  /// x such that L U x = right.
  Vector solve(const Vector& right) const;

 private:
  SparseRows entries_;  // rows in ascending order of their columns; L below the diagonal, U above
  std::vector<std::int32_t> upper_;  // where the entries above the diagonal begin
  Vector pivot_;
};

}  // namespace c2rl
