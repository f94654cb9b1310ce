#pragma once

#include <memory>
#include <string>

#include "c2rl/base/random.h"
#include "c2rl/base/vector.h"
#include "c2rl/geometry/convex_set.h"
#include "c2rl/mdp/model.h"
#include "c2rl/oracle/oracle.h"
#include "occupancy_program.h"

namespace c2rl {

/// A random model's sizes; its measurements are "m1", "m2", ...
struct Garnet {
  int states, actions, measurements;
  int horizon;  // 0: none
  double discount;
  int seed;

  std::string name() const;  // letters and digits
  std::shared_ptr<const TabularModel> model() const;
};

/// What targets are built around: a direction, the J that is least along it, and that of the policy that acts
/// at random. Between the two every J is achievable; beyond the least none is.
struct Landmarks {
  Landmarks(const TabularModel& model, Oracle& oracle, Rng rng);

  Vector direction;  // length 1
  Vector least, middle;

  /// 0: the middle, 1: the least, above 1: beyond everything achievable.
  Vector at(double way) const { return middle + way * (least - middle); }
  /// How far apart the two are along the direction.
  double depth() const { return direction.dot(middle - least); }
};

/// A random set around `center` that reaches less than `reach` beyond it along the direction, so that it
/// stays clear of what is farther. Some of the sides that this does not need are missing.
using RandomTarget = LinearTarget (*)(const Vector& center, const Vector& direction, double reach, Rng& rng);
LinearTarget random_box(const Vector& center, const Vector& direction, double reach, Rng& rng);
/// With the direction among its normals, the others random, one of them that of an equation.
LinearTarget random_polyhedron(const Vector& center, const Vector& direction, double reach, Rng& rng);

LinearTarget moved(LinearTarget target, const Vector& shift);

/// The target as solvers see it: `box` where it is one, else `polyhedron`.
SetPtr set_of(const LinearTarget& target);

}  // namespace c2rl
