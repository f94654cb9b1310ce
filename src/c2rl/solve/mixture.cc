#include "c2rl/solve/mixture.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

namespace c2rl {

Mixture Mixture::single(int id, const Vector& point) {
  return {.ids = {id}, .atoms = point, .weights = Vector::Ones(1), .point = point};
}

int Mixture::find(int id) const {
  const auto found = std::ranges::find(ids, id);
  return found == ids.end() ? -1 : static_cast<int>(found - ids.begin());
}

int Mixture::append(int id, const Vector& atom, double weight) {
  if (!empty() && atom.size() != atoms.rows()) {
    throw std::logic_error(
        fmt::format("an atom of {} measurements in a mixture of {}", atom.size(), atoms.rows()));
  }
  if (find(id) >= 0) throw std::logic_error(fmt::format("atom {} is in the mixture already", id));
  const int index = size();
  ids.push_back(id);
  atoms.conservativeResize(atom.size(), index + 1);
  atoms.col(index) = atom;
  weights.conservativeResize(index + 1);
  weights[index] = weight;
  return index;
}

void Mixture::keep(const std::vector<int>& indices) {
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] < (i == 0 ? 0 : indices[i - 1] + 1) || indices[i] >= size())
      throw std::logic_error(fmt::format("index {} to keep, of {} atoms", indices[i], size()));
  }
  if (static_cast<int>(indices.size()) == size()) return;
  std::vector<int> kept;
  kept.reserve(indices.size());
  for (const int i : indices) kept.push_back(ids[i]);
  ids = std::move(kept);
  atoms = atoms(Eigen::all, indices).eval();
  weights = weights(indices).eval();
}

}  // namespace c2rl
