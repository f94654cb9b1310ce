#include "c2rl/solve/corrective_mnp.h"

#include <algorithm>
#include <cmath>

#include "c2rl/base/decompositions.h"
#include "c2rl/solve/corral.h"
#include "c2rl/solve/line_search.h"
#include "c2rl/solve/nearest_mixture.h"
#include "c2rl/solve/solver_kinds.h"
#include "c2rl/solve/sparsify.h"

namespace c2rl {
namespace {

/// The corrective minimum-norm-point method. Between two oracle calls it solves
///
///   min 1/2 dist^2(S mu, Omega)   over the simplex of weights mu
///
/// completely, where Algorithm 2 makes one alternating projection. An active-set method over the atoms: on
/// the face of the atoms with weight, a Newton step on f(x) = 1/2 dist^2(x, Omega) with the generalised
/// Hessian H = I - DProj(x); the step stops where a weight becomes zero, and that atom leaves.
///
/// f is 1-smooth, so the model H + damping * I with damping 1 is a majoriser and its step never fails: at the
/// worst this is the paper's step. Damping towards 0 is Newton's.
class CorrectiveMnp final : public NearestMixtureSolver {
 public:
  CorrectiveMnp(SetPtr target, const SolverOptions& options)
      : NearestMixtureSolver(std::move(target), options), corral_(this->target().constrained()) {}

 private:
  /// f, its gradient and what both are good to, at a point.
  struct Look {
    Vector x, gradient;
    double value = 0;
    double size = 0;      // of the numbers that tell how far x is outside
    double rounding = 0;  // what the gradient is good to
  };

  void restart(int id, const Vector& point) override { corral_.reset(id, point); }

  void finish(Mixture& mixture) override { mixture = sparsify(mixture, target()); }

  void update(int id, const Vector& point, bool is_new, Mixture& mixture) override {
    if (is_new) enter(id, point);
    correct();
    // An atom that left on the way may be wanted again where the way ended.
    double value = look(corral_.point()).value;
    for (int round = 0; round < mixture.size() && value > 0; ++round) {
      const Look here = look(corral_.point());
      const Vector gains = (-here.gradient.transpose() * mixture.atoms).array() + here.gradient.dot(here.x);
      Eigen::Index best = 0;
      if (gains.maxCoeff(&best) <= kReturnGain * here.gradient.norm() * here.size) break;
      if (std::find(corral_.ids().begin(), corral_.ids().end(), mixture.ids[best]) != corral_.ids().end())
        break;
      enter(mixture.ids[best], mixture.atoms.col(best));
      correct();
      const double next = look(corral_.point()).value;
      if (next >= value * (1 - kMeasurable)) break;
      value = next;
    }
    mixture = corral_.mixture();
  }

  Look look(const Vector& x) const {
    Look result;
    result.x = x;
    const Outward outward = target().outward(x);
    result.gradient = outward.vector;
    result.value = 0.5 * result.gradient.squaredNorm();
    const Vector numbers = x.cwiseAbs().cwiseMax((x - outward.vector).cwiseAbs());
    // Each as far as the way out goes along it: the direction is good to rounding, only the length is not.
    const double length = result.gradient.stableNorm();
    result.size = length > 0 ? (outward.gross / length).dot(numbers) : 0;
    result.rounding = 4 * kEpsilon * result.size;
    return result;
  }

  /// Adds an atom with as much weight as the line towards it likes, and at least enough to stay: the line
  /// alone wants less than a zero weight when gap * distance is tiny, although a step on the face it opens
  /// may not.
  void enter(int id, const Vector& atom) {
    const Vector x = corral_.point();
    corral_.insert(id, atom);
    const double step = std::max(exact_line_search(target(), x, atom - x, 1.0), 2 * kZeroWeight);
    Vector alpha = (1 - step) * corral_.weights();
    alpha[corral_.size() - 1] += step;
    corral_.move_towards(alpha);
  }

  void correct() {
    Look here = look(corral_.point());
    double damping = 0;
    int slow = 0, boldness = kBoldSteps;
    for (int step = 0; step < kMaxSteps; ++step) {
      if (here.gradient.norm() <= here.rounding || corral_.size() == 1) return;
      const double before = here.value;
      const bool stepped = newton_step(here, damping, false);
      slow = stepped && here.value <= kSlow * before ? 0 : slow + 1;
      if (stepped && (slow == 0 || slow % kSlowSteps != 0)) continue;
      double bold_damping = 0;
      const bool bold = boldness-- > 0 && corral_.size() > 1 && newton_step(here, bold_damping, true);
      if (!bold && !stepped) return;
    }
  }

  /// One step on the current face; false when it cannot be improved measurably. A bold one is damped less than is
  /// safe, and must be worth it.
  bool newton_step(Look& here, double& damping, bool bold) {
    const AffineHull& hull = corral_.hull();
    // Coordinates z of directions q z within the hull; z is orthogonal to the border.
    const auto q = hull.q();
    const Vector border = hull.border();
    const Vector slope = q.transpose() * here.gradient;
    if (tangential(slope, border) <= here.rounding) return false;

    Matrix curvature = q.transpose() * (q - target().jacobian_times(here.x, q));
    curvature = 0.5 * (curvature + curvature.transpose()).eval();
    // Where the way out is nearly across the hull there is little curvature in it, and little damping is a lot.
    const double least = bold ? kLeastDamping * curvature.diagonal().maxCoeff() : kLeastDamping;
    const double most = bold ? kLeastDamping : kMostDamping;
    for (damping = std::max({least, kEpsilon * kLeastDamping, damping}); damping <= most; damping *= 10) {
      Matrix model = curvature;
      model.diagonal().array() += damping;
      const Cholesky factor(model);
      if (!factor.is_positive_definite()) continue;
      const Vector downhill = factor.solve(slope), across = factor.solve(border);
      const Vector z = (border.dot(downhill) / border.dot(across)) * across - downhill;
      const Vector alpha = corral_.weights() + hull.weights_of(z);
      int leaving = -1;
      const double reach = corral_.reach(alpha, leaving);
      if (reach == 0 && bold) continue;
      if (reach == 0) {  // the atom that stops the move has no weight: the face is smaller than it looks
        corral_.move_towards(alpha);
        return true;
      }
      const Vector move = reach * (q * z);
      const Look there = look(here.x + move);
      const double promised = -slope.dot(z) * reach * (1 - 0.5 * reach);
      const bool lower =
          there.value <= here.value - kEnough * promised && there.value < here.value * (1 - kMeasurable);
      // f is only good to |gradient| * rounding, which near the target is more of it than any step gains; the
      // gradient still tells. It is smaller where the face's minimum is nearer; and f, being convex, fell all
      // the way to where it still falls.
      const bool same = there.value <= here.value * (1 + kMeasurable) + here.gradient.norm() * here.rounding;
      const bool flatter = leaving < 0 && tangential(q.transpose() * there.gradient, border) <=
                                              0.5 * tangential(slope, border);
      const bool falling = there.gradient.dot(move) < 0;
      const bool better =
          bold ? there.value <= kWorthBoldness * here.value
               : lower || (same && (flatter || falling)) || (leaving >= 0 && there.value <= here.value);
      if (better) {
        corral_.move_towards(alpha);
        here = look(corral_.point());
        damping /= 100;
        return true;
      }
    }
    damping = 0;
    return false;
  }

  /// The length of the gradient within the hull.
  static double tangential(const Vector& slope, const Vector& border) {
    return (slope - (border.dot(slope) / border.squaredNorm()) * border).norm();
  }

  static constexpr double kLeastDamping = 1e-10;  // of the curvature
  static constexpr double kMostDamping = 2;
  static constexpr double kWorthBoldness = 0.5;  // part of f that a bold step may leave
  static constexpr double kSlow = 0.9;           // part of f that a step leaves when it is slow
  static constexpr int kSlowSteps = 10;          // after which it is time for a bold one
  static constexpr int kBoldSteps = 5;           // that are tried in one correction
  static constexpr double kEnough = 0.1;         // part of the promised decrease that a step must keep
  static constexpr double kMeasurable = 1e-14;   // relative decrease of f that is more than rounding
  static constexpr double kReturnGain = 1e-13;   // relative gain for which an atom comes back
  static constexpr int kMaxSteps = 1000;

  Corral corral_;
};

}  // namespace

std::unique_ptr<Solver> corrective_mnp(SetPtr target, const SolverOptions& options) {
  return std::make_unique<CorrectiveMnp>(std::move(target), options);
}

SolverKind corrective_mnp_kind() {
  return solver_kind("corrective-mnp",
                     "the paper's Algorithm 2 with the whole correction solved between two oracle calls",
                     {.keeps = Keeps::few}, corrective_mnp);
}

}  // namespace c2rl
