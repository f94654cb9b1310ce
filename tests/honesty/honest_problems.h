#pragma once

#include <limits>
#include <string>
#include <vector>

#include "c2rl/mdp/world.h"
#include "c2rl/run/problem.h"
#include "c2rl/run/result.h"

namespace c2rl {

/// A world of chance, and what is asked for there: at most or at least so much of each measurement.
struct HonestWorld {
  std::string name;
  std::string environment;           // the section of a problem file
  std::vector<int> signs;            // of each measurement: 1 where less is better, -1 where more is
  std::vector<std::string> oracles;  // [oracle] sections, one line each
};
const std::vector<HonestWorld>& honest_worlds();

/// Limits whose corner touches what is achievable in a single point, and how large each measurement is: the
/// largest that it gets to for the policies that are best in one of them. By the exact oracle; the cart-pole,
/// which has no model, has all its steps for a corner, at a part of them away from the middle that is easy.
struct Corner {
  Vector at, size;
};
Corner touching_corner(const HonestWorld& world);

/// The world with its limits this part of the measurements' size away from the corner: with room, touching at
/// 0, out of reach below.
Problem honest_problem(const HonestWorld& world, const Corner& corner, double room, const std::string& oracle,
                       std::uint64_t seed);

/// A random model, a learner, and a target that it cannot reach by little, touches, or has little room in: limits, or a
/// ball. Budgets are small, so that thousands of them can be run.
struct RandomProblem {
  Problem problem;
  double room = 0;  // as a part of the measurements' size; below 0: out of reach
};
RandomProblem random_problem(std::uint64_t seed);

/// How a run ended, and what is true.
struct Outcome {
  Result result;
  /// Of J of the mixture to the target: computed, or by very many episodes where anything was claimed of it.
  double distance = std::numeric_limits<double>::quiet_NaN();
};
Outcome run_honestly(const Problem& problem);

}  // namespace c2rl
