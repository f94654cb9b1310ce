#include "c2rl/solve/nearest_mixture.h"

#include <algorithm>

namespace c2rl {
namespace {

/// A cycle that moves no weight by more than this has moved nothing.
constexpr double kUnmoved = 1e-15;

}  // namespace

void NearestMixtureSolver::take(const Answer& answer, int id, bool is_new) {
  const Vector& s = answer.point;
  const std::vector<int> ids_before = mixture().ids;
  const Vector weights_before = mixture().weights;

  if (mixture().empty()) {
    become(id, s);
  } else {
    certify(answer);
    const double gap = gradient().normalized().dot(mixture().point - s);
    // The direction is only good to rounding / distance, which tilts the gap by that much of |x - s|.
    const double tilt = rounding() * (mixture().point - s).norm() / distance();
    if (gap <= std::max({tolerance(), tilt, noise(answer)})) {
      // Nothing is farther along the direction than the mixture itself: it is the nearest one.
      return end_with(certificate().bound > tolerance() ? Status::infeasible : Status::converged);
    }
    if (is_new && target().distance(s) <= tolerance()) {
      become(id, s);  // one answer may be a solution by itself
    } else {
      Mixture moved = mixture();
      update(id, s, is_new, moved);
      move_to(std::move(moved));
    }
  }

  const bool unmoved = mixture().ids == ids_before &&
                       (mixture().weights - weights_before).lpNorm<Eigen::Infinity>() <= kUnmoved;
  if (distance() <= tolerance()) {
    end_with(Status::feasible);
  } else if (unmoved || out_of_calls()) {
    // A bound that is positive stays one, whatever the distance.
    if (certificate().bound > tolerance()) return end_with(Status::infeasible);
    end(unmoved ? Status::oracle_failed : Status::budget);
  }
}

void NearestMixtureSolver::become(int id, const Vector& point) {
  restart(id, point);
  Mixture single;
  single.ids = {id};
  single.atoms = point;
  single.weights = Vector::Ones(1);
  single.point = point;
  move_to(std::move(single));
}

void NearestMixtureSolver::end_with(Status status) {
  Mixture final_mixture = mixture();
  finish(final_mixture);
  move_to(std::move(final_mixture));
  end(status);
}

}  // namespace c2rl
