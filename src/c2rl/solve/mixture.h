#pragma once

#include <vector>

#include "c2rl/base/vector.h"

namespace c2rl {

/// A convex combination of atoms: measurement vectors of stored policies, each known by the oracle call (from
/// 1) that first answered with it.
struct Mixture {
  std::vector<int> ids = {};
  Matrix atoms = {};    // one column an atom, in the order of ids
  Vector weights = {};  // positive, sum 1
  Vector point = {};    // atoms * weights: the measurement of the mixed policy

  /// One atom, which has all the weight.
  static Mixture single(int id, const Vector& point);

  int size() const { return static_cast<int>(ids.size()); }
  bool empty() const { return ids.empty(); }
  /// The index of an atom; -1 when it is not there.
  int find(int id) const;

  /// Adds an atom that is not there yet; returns its index. Like `keep`, it leaves the point, and what the
  /// weights sum to, to the caller.
  int append(int id, const Vector& atom, double weight);
  /// Only the atoms at these indices, which rise, stay.
  void keep(const std::vector<int>& indices);

  /// How large the numbers are that each coordinate of the point adds up from.
  Vector sizes() const { return atoms.cwiseAbs() * weights; }

  /// Puts the point where atoms and weights say.
  void update_point() { point = atoms * weights; }
};

}  // namespace c2rl
