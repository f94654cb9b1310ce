#pragma once

#include "c2rl/solve/mixture.h"

namespace c2rl {

/// The uniform mixture over the rounds of a game: an atom weighs the share of the rounds it was played in.
class PlayedRounds {
 public:
  /// One more round of an atom. Returns its measurement: that of its first round.
  Vector play(int id, const Vector& point);

  int count() const { return count_; }
  const Mixture& mixture() const { return mixture_; }

 private:
  int count_ = 0;
  Vector played_;  // rounds of each atom
  Mixture mixture_;
};

}  // namespace c2rl
