#pragma once

#include <algorithm>

#include <Eigen/Core>

#include "c2rl/base/team.h"

namespace c2rl {

/// body(begin, size) for chunks of so many numbers, each thread of the team having some next to each other: about those
/// parameters of a network that are its own in passes. Chunks begin at multiples of 16, where Eigen goes through numbers
/// in groups, so that what is done number by number comes out the same, bit for bit, for every team.
template <typename Body>
void for_each_chunk(Team& team, Eigen::Index size, const Body& body) {
  constexpr Eigen::Index kGroup = 16, kChunk = 1024, kLeast = 4 * kChunk;
  const Eigen::Index pieces = std::clamp<Eigen::Index>(size / kLeast, 1, team.threads());
  const auto begin_of = [&](Eigen::Index piece) {
    return piece == pieces ? size : size / kGroup * piece / pieces * kGroup;
  };
  team.for_each(static_cast<int>(pieces), [&](int piece) {
    const Eigen::Index end = begin_of(piece + 1);
    for (Eigen::Index begin = begin_of(piece); begin < end; begin += kChunk)
      body(begin, std::min(kChunk, end - begin));
  });
}

}  // namespace c2rl
