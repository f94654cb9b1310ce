#include "c2rl/solve/nearest_mixture.h"

#include <algorithm>

namespace c2rl {
namespace {

/// A cycle that moves no weight by more than this has moved nothing.
constexpr double kUnmoved = 1e-15;
/// Within rounding, a cycle that leaves more than this part of the distance is the last.
constexpr double kProgress = 0.999;

}  // namespace

void NearestMixtureSolver::take(const Answer& answer, int id, bool is_new) {
  const Vector& s = answer.point;
  if (mixture().empty()) {
    become(id, s);
    if (inside()) return end_with(Status::feasible);
    if (out_of_calls()) end(Status::budget);
    return;
  }

  certify(answer);
  const Status decided = nearest_status();
  const double gap = gradient().stableNormalized().dot(mixture().point - s);
  // Nothing is farther along the direction than the mixture itself: it is the nearest one.
  if (gap <= tolerance()) return end_with(decided);

  const std::vector<int> ids_before = mixture().ids;
  const Vector weights_before = mixture().weights;
  const double distance_before = distance();
  // The direction is only good to rounding / distance, which tilts the gap by that much of |x - s|: a gap
  // this small may be none.
  const Vector difference = (mixture().point - s).cwiseProduct(target().constrained());
  const bool within_rounding = gap <= rounding() * difference.norm() / distance();
  if (is_new && inside(s)) {
    become(id, s);  // one answer may be a solution by itself
  } else {
    Mixture moved = mixture();
    update(id, s, is_new, moved);
    move_to(std::move(moved));
  }

  const bool unmoved = mixture().ids == ids_before &&
                       (mixture().weights - weights_before).lpNorm<Eigen::Infinity>() <= kUnmoved;
  if (inside()) {
    end_with(Status::feasible);
  } else if (within_rounding && distance() > kProgress * distance_before) {
    end_with(decided);
  } else if (unmoved || out_of_calls()) {
    // A proven bound that is positive stays one, whatever the distance.
    if (decided == Status::infeasible) return end_with(decided);
    end(unmoved ? Status::oracle_failed : Status::budget);
  }
}

void NearestMixtureSolver::conclude(const Answer& answer) {
  if (!mixture().empty()) certify(answer);
  end_with(Status::stuck);
}

void NearestMixtureSolver::become(int id, const Vector& point) {
  restart(id, point);
  move_to(Mixture::single(id, point));
}

void NearestMixtureSolver::end_with(Status status) {
  const Mixture found = mixture();
  const double farthest = distance() + rounding();
  Mixture finished = found;
  finish(finished);
  move_to(std::move(finished));
  // What was found to hold must still hold of what is handed over.
  if (status == Status::feasible ? !inside() : distance() > farthest) move_to(found);
  end(status);
}

}  // namespace c2rl
