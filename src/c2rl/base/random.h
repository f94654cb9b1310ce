#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "c2rl/base/vector.h"

namespace c2rl {

/// A counter-based random stream (Philox 4x32-10): its n-th number is a function of the key and n alone.
/// `fork` names an independent child stream, so results do not depend on who draws first or on how many
/// threads.
class Rng {
 public:
  explicit Rng(std::uint64_t seed) : key_(seed) {}

  /// The child stream (name, index). Independent of how much this stream was used.
  Rng fork(std::string_view name, std::uint64_t index = 0) const;

  std::uint64_t bits();
  /// Uniform on [0, 1), 53 bits.
  double uniform();
  /// Uniform on {0, ..., n - 1}, unbiased; n > 0.
  std::uint64_t below(std::uint64_t n);
  /// Standard normal.
  double normal();
  Vector normal_vector(int dim);

  /// All that it is: a stream made from it goes on where this one stands.
  std::array<std::uint64_t, 4> state() const { return {key_, counter_, spare_, has_spare_ ? 1u : 0u}; }
  static Rng from_state(const std::array<std::uint64_t, 4>& state);

 private:
  std::uint64_t key_;
  std::uint64_t counter_ = 0;
  std::uint64_t spare_ = 0;
  bool has_spare_ = false;
};

}  // namespace c2rl
