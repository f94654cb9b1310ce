#pragma once

#include <cmath>
#include <vector>

namespace c2rl::claims {

/// 34 digits.
__extension__ typedef __float128 Quad;

inline Quad root(Quad square) {
  if (square <= 0) return 0;
  Quad x = std::sqrt(static_cast<double>(square));
  if (x == 0) return 0;
  for (int i = 0; i < 3; ++i) x = (x + square / x) / 2;
  return x;
}

inline Quad size(Quad x) {
  return x < 0 ? -x : x;
}

/// min over mu on the simplex of the largest entry of G mu, for the rows g of G.
Quad game_value(const std::vector<std::vector<Quad>>& g, std::vector<Quad>& mu);

}  // namespace c2rl::claims
