#include "quadruple.h"

#include <algorithm>

namespace c2rl::claims {

// With entries made positive by a shift, it is 1 / max sum z over G z <= 1, z >= 0. Primal simplex.
Quad game_value(const std::vector<std::vector<Quad>>& g, std::vector<Quad>& mu) {
  const size_t rows = g.size(), columns = g[0].size();
  Quad shift = 0, scale = 0;
  for (const auto& row : g) {
    for (const Quad x : row) {
      shift = x < shift ? x : shift;
      scale = size(x) > scale ? size(x) : scale;
    }
  }
  if (scale == 0) scale = 1;
  const Quad lift = scale - shift;  // every entry is now at least `scale`
  std::vector<std::vector<Quad>> t(rows + 1, std::vector<Quad>(columns + rows + 1, 0));
  std::vector<size_t> basis(rows);
  for (size_t i = 0; i < rows; ++i) {
    for (size_t j = 0; j < columns; ++j) t[i][j] = (g[i][j] + lift) / scale;
    t[i][columns + i] = 1;
    t[i].back() = 1;
    basis[i] = columns + i;
  }
  for (size_t j = 0; j < columns; ++j) t[rows][j] = -1;
  const Quad zero = Quad(1e-29);
  for (int pivots = 0; pivots < 2000; ++pivots) {
    // The steepest column, and after many pivots, which may go round in circles, Bland's first one.
    const auto& prices = t[rows];
    size_t enter = 0;
    if (pivots < 200) {
      enter = static_cast<size_t>(std::min_element(prices.begin(), prices.end() - 1) - prices.begin());
    } else {
      while (enter < columns + rows && prices[enter] >= -zero) ++enter;
    }
    if (enter == columns + rows || prices[enter] >= -zero) break;
    size_t leave = rows;
    for (size_t i = 0; i < rows; ++i) {
      if (t[i][enter] <= zero) continue;
      if (leave == rows) {
        leave = i;
        continue;
      }
      const Quad here = t[i].back() / t[i][enter], best = t[leave].back() / t[leave][enter];
      if (here < best || (here == best && basis[i] < basis[leave])) leave = i;
    }
    if (leave == rows) break;
    const Quad pivot = t[leave][enter];
    for (Quad& x : t[leave]) x /= pivot;
    for (size_t i = 0; i <= rows; ++i) {
      const Quad factor = t[i][enter];
      if (i == leave || factor == 0) continue;
      for (size_t j = 0; j < t[i].size(); ++j) {
        if (t[leave][j] != 0) t[i][j] -= factor * t[leave][j];
      }
    }
    basis[leave] = enter;
  }
  mu.assign(columns, 0);
  Quad sum = 0;
  for (size_t i = 0; i < rows; ++i) {
    if (basis[i] >= columns) continue;
    mu[basis[i]] = t[i].back() < 0 ? 0 : t[i].back();
    sum += mu[basis[i]];
  }
  for (Quad& x : mu) x /= sum;
  return scale / sum - lift;
}

}  // namespace c2rl::claims
