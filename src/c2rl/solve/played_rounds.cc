#include "c2rl/solve/played_rounds.h"

namespace c2rl {

Vector PlayedRounds::play(int id, const Vector& point) {
  int atom = mixture_.find(id);
  if (atom < 0) {
    atom = mixture_.append(id, point, 0);
    played_.conservativeResize(atom + 1);
    played_[atom] = 0;
  }
  ++played_[atom];
  ++count_;
  mixture_.weights = played_ / count_;
  mixture_.update_point();
  return mixture_.atoms.col(atom);
}

}  // namespace c2rl
