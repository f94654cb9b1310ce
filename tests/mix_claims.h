#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "c2rl/base/vector.h"
#include "c2rl/run/mix.h"

namespace c2rl::claims {

/// a.x <= b
struct Row {
  Vector a;
  double b = 0;
};

/// |x - center| <= radius over some of the coordinates
struct Round {
  std::vector<int> coordinates;
  Vector center;
  double radius = 0;
};

/// Policies and constraints, as numbers and as what the user would write.
struct Instance {
  std::string family;
  Points points;
  std::vector<Row> rows;
  std::vector<Round> rounds;
  std::vector<std::string> texts;
  double tolerance = 1e-9;
};

/// Instance `index` of the stream `seed`: scales from 1e-6 to 1e9, offsets, measurements that no constraint
/// names, flat and round constraints; the target with room, touching what can be achieved, or out of reach.
Instance make_instance(std::uint64_t seed, std::uint64_t index);

/// The least that the worst constraint can be broken by, over all mixtures, in quadruple precision: a matrix
/// game, solved by the simplex method; round constraints by cuts. Negative: there is room. It shares nothing
/// with the solvers.
struct Truth {
  double at_least = 0, at_most = 0;  // both within rounding of each other, except where cuts ended too early
};
Truth true_violation(const Instance& instance);

/// What of a result is false, in words; empty when nothing is. `feasible` may break a constraint by the
/// tolerance and the roundings of its own numbers.
std::string false_claim(const Instance& instance, const Result& result, const Truth& truth);

/// Whether the truth leaves room, or is out of reach, by so much that a solver ought to say so.
enum class Expected { feasible, infeasible, either };
Expected expected(const Instance& instance, const Truth& truth);

}  // namespace c2rl::claims
