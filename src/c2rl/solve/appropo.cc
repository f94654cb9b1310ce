#include "c2rl/solve/appropo.h"

#include <cmath>

#include "c2rl/geometry/sets.h"
#include "c2rl/solve/played_rounds.h"
#include "c2rl/solve/solver_kinds.h"

namespace c2rl {
namespace {

/// ApproPO: a game between theta, which looks for a halfspace that holds the target but not the mixture, and
/// policies that answer it. The target at height kappa makes a cone C; theta lives in the polar cone of C
/// within the unit ball, and goes uphill on theta.(J, kappa) by online gradient with step 1 / sqrt(t):
///
///   theta <- Proj(theta + (J, kappa) / sqrt(t))
///
/// The mixture is uniform over the rounds and nears the target like 1 / sqrt(t) at least. With the cache, a
/// round is played by the stored policy with the smallest theta.(J, kappa) as long as that is not positive;
/// only the other rounds ask the oracle. Every stored policy has weight: none is ever dropped.
///
/// theta starts at 0, where every policy is a best answer; the first call takes the first direction. When
/// theta says nothing about the measurements later, the gradient is asked, which is no worse an answer to it.
class Appropo final : public Solver {
 public:
  Appropo(SetPtr target, const SolverOptions& options, const AppropoOptions& own)
      : Solver(std::move(target), options),
        own_(own),
        cone_(cone_over(target_, own.kappa)),
        theta_(Vector::Zero(target_->dim() + 1)),
        velocity_(theta_) {}

 private:
  /// Each round has a policy of its own, as published, also when two measure the same.
  bool merges_duplicates() const override { return false; }

  Vector next_direction() const override {
    if (!speaks()) return gradient().stableNormalized();
    return is_normal_ ? normal_.vector.stableNormalized()
                      : Vector(theta_.head(target().dim()).stableNormalized());
  }

  void take(const Answer& answer, int id, bool /*is_new*/) override {
    if (speaks()) {
      if (is_normal_) certify(normal_, farthest_, answer);
    } else if (!mixture().empty()) {
      certify(answer);
    }
    play(id, answer.point);
    for (int i = 0; own_.cache && i < own_.max_cache_rounds && !inside(); ++i) {
      Eigen::Index best = 0;
      const Vector values = mixture().atoms.transpose() * theta_.head(target().dim());
      if (values.minCoeff(&best) + own_.kappa * theta_[target().dim()] > 0) break;
      play(mixture().ids[best], mixture().atoms.col(best));
    }
    if (inside()) {
      end(Status::feasible);
    } else if (out_of_calls()) {
      // A bound that is positive stays one, whatever the distance.
      end(certificate().bound > tolerance() ? Status::infeasible : Status::budget);
    } else {
      find_normal();
    }
  }

  /// One round: the atom joins the mixture, and theta turns against it.
  void play(int id, const Vector& point) {
    Vector lifted(target().dim() + 1);
    lifted << rounds_.play(id, point), own_.kappa;
    const double step = 1 / std::sqrt(rounds_.count());
    velocity_ = own_.momentum * velocity_ + (1 - own_.momentum) * step * lifted;
    turn_to(theta_ + velocity_);
    move_to(rounds_.mixture());
  }

  /// theta <- the projection of v on the polar cone and the unit ball: v less its projection on the cone, and
  /// of length 1 at most.
  void turn_to(const Vector& v) {
    const int m = target().dim();
    const Vector in_cone = cone_->project(v);
    theta_ = v - in_cone;
    if (theta_.head(m).norm() <= kRoundings * kEpsilon * v.norm()) theta_.head(m).setZero();
    cone_point_ = in_cone;
    theta_ /= std::max(1.0, theta_.norm());
  }

  bool speaks() const { return !theta_.head(target().dim()).isZero(0); }

  /// The polar is normal to the cone where that was touched, so its first m coordinates are to the target below,
  /// and an answer bounds the distance as the gradient's does. But the cone's projection is only good to the
  /// rounding of its search, so the target itself is asked for a normal: where that is theta to rounding, it is
  /// what the oracle is asked. At the apex the cone touches no point of the target, and there is nothing to show.
  void find_normal() {
    const int m = target().dim();
    is_normal_ = speaks() && cone_point_[m] > 0;
    if (!is_normal_) return;
    const Vector direction = theta_.head(m).stableNormalized();
    const Vector touched = cone_point_.head(m) * (own_.kappa / cone_point_[m]);
    // From nearer, rounding would tilt the normal; from farther, it would cost the bound.
    const double size = direction.cwiseAbs().dot(touched.cwiseAbs() + mixture().sizes());
    const Vector from = touched + (size > 0 ? size : 1) * direction;
    normal_ = target().outward(from);
    farthest_ = from - normal_.vector;
    const double length = normal_.vector.stableNorm();
    is_normal_ = length > 0 && (normal_.vector / length - direction).norm() <= kSameDirection;
  }

  /// What a difference of two vectors is good to, in roundings of their size.
  static constexpr double kRoundings = 64;
  /// Directions this near to each other are both theta's, as far as the method is concerned.
  static constexpr double kSameDirection = 1e-6;

  AppropoOptions own_;
  SetPtr cone_;
  Vector theta_, velocity_;
  Vector cone_point_;       // nearest to where theta was going
  bool is_normal_ = false;  // whether theta is, to rounding, the direction of:
  Outward normal_ = {};     // a normal to the target
  Vector farthest_;         // at this point of it
  PlayedRounds rounds_;
};

}  // namespace

void AppropoOptions::visit(OptionVisitor& visitor) {
  visitor.number("kappa", kappa, above(0),
                 "height at which the target is set to make a cone of it; the published value");
  visitor.number("momentum", momentum, {.lowest = 0, .highest = 1, .open_above = true},
                 "part of the last step that is taken again; the public code has 0.9, the paper none");
  visitor.flag(
      "cache", cache,
      "play a stored policy that answers the current direction well enough, instead of asking the oracle");
  if (visitor.when(cache)) {
    visitor.integer(
        "max_cache_rounds", max_cache_rounds, between(1, 1e9),
        "with the cache: stored policies that meet the target together can be played for ever, each "
        "round improving a little; after so many rounds in a row the oracle is asked all the same");
  }
}

std::unique_ptr<Solver> appropo(SetPtr target, const SolverOptions& options, const AppropoOptions& own) {
  check_options(own);
  return std::make_unique<Appropo>(std::move(target), options, own);
}

SolverKind appropo_kind() {
  return solver_kind<AppropoOptions>("appropo", "Miryoosefi et al. 2019: online gradient over a cone",
                                     {.keeps = Keeps::all}, appropo);
}

}  // namespace c2rl
