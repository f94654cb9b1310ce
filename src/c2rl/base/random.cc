#include "c2rl/base/random.h"

#include <cmath>
#include <numbers>

#include <Random123/philox.h>

namespace c2rl {
namespace {

std::array<std::uint64_t, 2> philox(std::uint64_t key, std::uint64_t low, std::uint64_t high) {
  const auto word = [](std::uint64_t value, int shift) { return static_cast<std::uint32_t>(value >> shift); };
  const r123::Philox4x32::ctr_type counter = {{word(low, 0), word(low, 32), word(high, 0), word(high, 32)}};
  const r123::Philox4x32::key_type philox_key = {{word(key, 0), word(key, 32)}};
  const auto block = r123::Philox4x32()(counter, philox_key);
  return {block[0] | std::uint64_t{block[1]} << 32, block[2] | std::uint64_t{block[3]} << 32};
}

/// FNV-1a.
std::uint64_t hash(std::string_view text) {
  std::uint64_t value = 0xcbf29ce484222325u;
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return value;
}

}  // namespace

Rng Rng::fork(std::string_view name, std::uint64_t index) const {
  // Draws use counters whose upper half is zero; a fork's upper half is a hash, so the two never meet in
  // practice.
  return Rng(philox(key_, index, hash(name) | 1u)[0]);
}

std::uint64_t Rng::bits() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  const auto block = philox(key_, counter_++, 0);
  spare_ = block[1];
  has_spare_ = true;
  return block[0];
}

Rng Rng::from_state(const std::array<std::uint64_t, 4>& state) {
  Rng rng(state[0]);
  rng.counter_ = state[1];
  rng.spare_ = state[2];
  rng.has_spare_ = state[3] != 0;
  return rng;
}

double Rng::uniform() {
  return static_cast<double>(bits() >> 11) * 0x1.0p-53;
}

std::uint64_t Rng::below(std::uint64_t n) {
  // Reject the few values past the largest multiple of n.
  const std::uint64_t excess = (~std::uint64_t{0} % n + 1) % n;
  std::uint64_t value = bits();
  while (value > ~std::uint64_t{0} - excess) value = bits();
  return value % n;
}

double Rng::normal() {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

Vector Rng::normal_vector(int dim) {
  Vector v(dim);
  for (int i = 0; i < dim; ++i) v[i] = normal();
  return v;
}

}  // namespace c2rl
