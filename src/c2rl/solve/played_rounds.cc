#include "c2rl/solve/played_rounds.h"

#include <algorithm>

namespace c2rl {

Vector PlayedRounds::play(int id, const Vector& point) {
  const auto known = std::find(mixture_.ids.begin(), mixture_.ids.end(), id);
  const Eigen::Index atom = known - mixture_.ids.begin();
  if (known == mixture_.ids.end()) {
    mixture_.ids.push_back(id);
    mixture_.atoms.conservativeResize(point.size(), atom + 1);
    mixture_.atoms.col(atom) = point;
    played_.conservativeResize(atom + 1);
    played_[atom] = 0;
  }
  ++played_[atom];
  ++count_;
  mixture_.weights = played_ / count_;
  mixture_.point = mixture_.atoms * mixture_.weights;
  return mixture_.atoms.col(atom);
}

}  // namespace c2rl
