#pragma once

#include <vector>

#include "c2rl/geometry/affine_hull.h"
#include "c2rl/solve/mixture.h"

namespace c2rl {

/// A weight at or below this is zero: its atom leaves.
inline constexpr double kZeroWeight = 1e-12;

/// The active set of the minimum-norm-point methods: at most m + 1 affinely independent atoms with their
/// weights.
class Corral {
 public:
  /// `counted` is 1 for the coordinates that matter, 0 for the others.
  explicit Corral(const Vector& counted) : hull_(counted) {}

  int size() const { return hull_.size(); }
  const AffineHull& hull() const { return hull_; }
  const std::vector<int>& ids() const { return ids_; }
  const Vector& weights() const { return weights_; }
  Vector point() const { return hull_.atoms() * weights_; }

  /// The single atom, with weight 1.
  void reset(int id, const Vector& atom);

  /// Adds an atom with weight 0. One that depends affinely on the atoms is exchanged for one of them instead
  /// (a Caratheodory pivot), which leaves the point where it is.
  void insert(int id, const Vector& atom);

  /// How much of the way to `alpha`, which sums to 1, the weights can go before one of them would turn
  /// negative; at most 1. `leaving` is the atom that stops the move, -1 when none does.
  double reach(const Vector& alpha, int& leaving) const;

  /// Goes there. Atoms whose weight becomes zero leave; the one that stops the move always does.
  void move_towards(const Vector& alpha);

  /// The weights as a mixture, zero weights left out.
  Mixture mixture() const;

 private:
  void remove(int index);

  std::vector<int> ids_;
  AffineHull hull_;
  Vector weights_;
};

}  // namespace c2rl
