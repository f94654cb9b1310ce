#pragma once

#include <optional>
#include <vector>

#include "c2rl/geometry/target.h"
#include "c2rl/mdp/total_range.h"
#include "c2rl/mdp/world.h"

namespace c2rl {

/// Something to be shown of J: that combination.J is at most a limit.
struct Demand {
  Vector combination;
  double limit = kInfinity;  // the tolerance included; infinite where only the place is of interest
  TotalRange range = {};     // of combination.total of an episode, under any policy
};

/// What has to be shown of J for it to be inside a target: a demand for every flat face, and for the curved
/// part two for each measurement that it is about, the two ends of a box which must lie inside. What holds in
/// every episode is no demand.
class Demands {
 public:
  /// What is in the target to the tolerance is inside.
  Demands(const Target& target, const World& world, double tolerance, const Pulse& listener = {});

  int size() const { return static_cast<int>(all_.size()); }
  const Demand& operator[](int i) const { return all_[static_cast<std::size_t>(i)]; }

  /// combination.point, for every demand.
  Vector at(const Vector& point) const;

  /// Whether J is inside when, for every demand, combination.J is known to be at most so much.
  bool met(const Vector& upper_limits) const;
  /// Whether J is outside when, for every demand, combination.J is known to be at least so much.
  bool broken(const Vector& lower_limits) const;

  /// The points for which every demand is met with this much to spare. An EmptySetError when there are none.
  SetPtr tightened(const Vector& margins) const;

 private:
  struct Box {
    Vector middle, half_widths;
  };
  /// The box that limits from above on both ends of every measurement of the curved part make.
  Box box_of(const Vector& upper_limits) const;

  std::vector<Demand> all_;  // the flat ones, then pairs for the measurements of the curved part
  int flat_ = 0;
  int dim_ = 0;
  double tolerance_ = 0;
  SetPtr curved_;
  std::vector<int> curved_over_;
};

}  // namespace c2rl
