#include "c2rl/solve/lagrangian.h"

#include <algorithm>
#include <cmath>

#include "c2rl/solve/played_rounds.h"
#include "c2rl/solve/solver_kinds.h"

namespace c2rl {

SolverKind lagrangian_kind();

namespace {

/// Le et al. 2019: min C(pi) subject to G(pi) <= tau, as a game over the Lagrangian
///
///   L(pi, lambda) = C(pi) + lambda.(G(pi) - tau),   lambda >= 0, sum lambda <= B.
///
/// The rows of G - tau are the faces of the target; C is minus the objective, or 0 when there is none. lambda plays exponentiated gradient on the simplex of size B with a slack coordinate, the
/// policies answer with the best response, which is an oracle call, and the mixture is uniform over the
/// rounds. Ends when
///
///   max_lambda L(mixture, lambda) - L(best response to the mean lambda, mean lambda) < gap.
///
/// The second term costs an oracle call of its own, so it is asked for only when no known answer shows that
/// it is too low to close the gap. Every other answer gives the same kind of bound at its own lambda; the
/// best of all is kept, so the game ends no later than by the published rule.
///
/// With an objective, value() is that of max_lambda L: what is reached, less B times the worst violation. It
/// stays -infinity while that violation exceeds the gap, as it does for ever where the constraints cannot
/// hold or are worth more than B; the game then ends `oracle_failed`, there being no more to learn. Without
/// an objective, where L > 0 is a certificate, it ends `infeasible`.
class Lagrangian final : public Maximizer {
 public:
  Lagrangian(SetPtr target, const std::optional<Vector>& objective, const SolverOptions& options,
             const LagrangianOptions& own)
      : Maximizer(std::move(target), objective, options),
        own_(own),
        faces_(target_->halfspaces()),
        cost_(objective ? Vector(-*objective) : Vector::Zero(target_->dim())),
        log_weights_(Vector::Zero(faces_.offsets.size() + 1)),
        multiplier_sum_(Vector::Zero(faces_.offsets.size())),
        // Nothing costs nothing: without an objective, lambda = 0 shows L >= 0.
        dual_(objective ? -kInfinity : 0) {}

 private:
  bool has_objective() const { return !cost_.isZero(0); }

  Vector next_direction() const override {
    const Vector direction = combined_cost(checking_ ? mean_multipliers() : multipliers());
    if (!is_zero(direction)) return direction.normalized();
    // Everything is a best response.
    return (has_objective() ? cost_ : gradient()).normalized();
  }

  void take(const Answer& answer, int id, bool /*is_new*/) override {
    rest_on(answer.grade);
    const bool round = !checking_;
    if (round) {
      // The first call's direction was not the multipliers'.
      if (!mixture().empty()) bound_with(multipliers(), answer);
      multiplier_sum_ += multipliers();
      last_played_ = rounds_.play(id, answer.point);
      move_to(rounds_.mixture());
      if (has_objective()) set_value(violation() <= own_.gap ? -primal() : -kInfinity);
    } else {
      bound_with(mean_multipliers(), answer);
      checked_.push_back(answer.point);
    }
    checking_ = false;
    if (!has_objective() && inside()) return end(Status::feasible);
    const bool closed = primal() - dual_ < own_.gap;
    if (closed || out_of_calls()) {
      if (certificate().bound > tolerance()) return end(nearest_status());
      if (!closed) return end(Status::budget);
      if (!has_objective()) return end(nearest_status());
      if (value() == -kInfinity) return end(Status::oracle_failed);
      return end(inside() ? Status::optimal : Status::undecided);
    }
    if (round && mean_may_close_the_gap()) {
      checking_ = true;
    } else {
      step_multipliers();
    }
  }

  /// lambda, without the slack's.
  Vector multipliers() const {
    const Vector weights = (log_weights_.array() - log_weights_.maxCoeff()).exp();
    return own_.multiplier_bound / weights.sum() * weights.head(faces_.offsets.size());
  }
  Vector mean_multipliers() const { return multiplier_sum_ / rounds_.count(); }

  /// w <- B w exp(eta (G - tau)) / sum, in logarithms.
  void step_multipliers() {
    const Vector excess = faces_.normals * last_played_ - faces_.offsets;
    if (excess.size() == 0) return;
    scale_ = std::max(scale_, excess.lpNorm<Eigen::Infinity>());
    if (scale_ == 0) return;
    log_weights_.head(excess.size()) += own_.eta / (scale_ * std::sqrt(rounds_.count())) * excess;
  }

  /// c + lambda.g, as a direction over measurements.
  Vector combined_cost(const Vector& lambda) const { return cost_ + faces_.normals.transpose() * lambda; }
  bool is_zero(const Vector& direction) const {
    return direction.norm() <= kEpsilon * own_.multiplier_bound * faces_.normals.norm();
  }

  /// Of the mixture, over all faces; 0 when it breaks none.
  double violation() const {
    const Vector excess = faces_.normals * mixture().point - faces_.offsets;
    return excess.size() == 0 ? 0 : std::max(0.0, excess.maxCoeff());
  }
  /// max_lambda L(mixture, lambda): everything on the worst violation, or on the slack.
  double primal() const { return cost_.dot(mixture().point) + own_.multiplier_bound * violation(); }

  /// The answer is a best response to lambda, so nothing has a smaller L there.
  void bound_with(const Vector& lambda, const Answer& answer) {
    const Vector direction = combined_cost(lambda);
    const double offset = lambda.dot(faces_.offsets);
    const double least = direction.dot(answer.point) - answer.slack * direction.norm() - offset;
    dual_ = std::max(dual_, least);
    if (has_objective()) return lower_bound_to(-dual_);
    // lambda.(G - tau) > 0 for everything achievable, and <= 0 in the target.
    if (least <= certificate().bound * direction.norm() || is_zero(direction)) return;
    const double length = direction.norm();
    const Vector unit = direction / length;
    const auto farthest = farthest_along(unit);
    if (!farthest || !is_farthest(*farthest, unit, least / length)) return;
    // That the target reaches no farther than the faces say is beyond doubt.
    certify({.vector = unit,
             .gross = faces_.normals.cwiseAbs().transpose() * lambda / length,
             .beyond = std::max(0.0, offset / length - unit.dot(*farthest))},
            *farthest, answer);
  }

  /// The point of the target farthest along a direction that it is bounded in. Projecting from further and
  /// further out gets there in finitely many steps, the target having flat faces: nearly always in one or
  /// two.
  std::optional<Vector> farthest_along(const Vector& direction) const {
    constexpr int kMaxSteps = 20;
    constexpr double kRoundings = 64;
    Vector at = projection();
    double step = std::max(1.0, mixture().point.norm() + at.norm());
    for (int i = 0; i < kMaxSteps; ++i, step *= 2) {
      Vector next = target().project(at + step * direction);
      if ((next - at).norm() <= kRoundings * kEpsilon * (step + at.norm())) return next;
      at = std::move(next);
    }
    return std::nullopt;
  }

  /// The search goes far out, where rounding hides small moves: it must hold as near to the target as the bound.
  bool is_farthest(const Vector& at, const Vector& direction, double bound) const {
    constexpr double kMoved = 1e-7;
    return (target().outward(at + bound * direction).vector - bound * direction).norm() <= kMoved * bound;
  }

  /// Whether the bound at the mean multipliers may close the gap, as far as known answers can tell.
  bool mean_may_close_the_gap() const {
    const Vector lambda = mean_multipliers(), direction = combined_cost(lambda);
    if (is_zero(direction)) return false;
    double least = (mixture().atoms.transpose() * direction).minCoeff();
    for (const Vector& point : checked_) least = std::min(least, direction.dot(point));
    return primal() - (least - lambda.dot(faces_.offsets)) < own_.gap;
  }

  LagrangianOptions own_;
  Halfspaces faces_;
  Vector cost_;
  Vector log_weights_;  // of the faces, and of the slack, which stays 0
  Vector multiplier_sum_;
  double scale_ = 0;  // largest |G - tau| so far
  double dual_;       // what L(pi, lambda) is at least, for some lambda and every pi
  PlayedRounds rounds_;
  Vector last_played_;
  bool checking_ = false;        // the next direction is the mean multipliers'
  std::vector<Vector> checked_;  // answers to those
};

std::unique_ptr<Maximizer> make(SetPtr target, const std::optional<Vector>& objective,
                                const SolverOptions& options, const LagrangianOptions& own) {
  check_options(own);
  auto made = std::make_unique<Lagrangian>(std::move(target), objective, options, own);
  lagrangian_kind().check_suits(made->target());
  return made;
}

}  // namespace

void LagrangianOptions::visit(OptionVisitor& visitor) {
  visitor.number(
      "multiplier_bound", multiplier_bound, above(0),
      "B: the multipliers, with one for the slack, sum to this; what the constraints are worth at most: "
      "with less than the best multipliers sum to, the mixture stays outside the target; the published "
      "value");
  visitor.number(
      "eta", eta, above(0),
      "step of the multipliers in round t: eta / (scale sqrt(t)), the scale being the largest "
      "|G - tau| so far, so that neither the units of the constraints nor the number of rounds need be "
      "known beforehand");
  visitor.number("gap", gap, above(0),
                 "duality gap at which the game ends, in units of the objective; the published value");
}

std::unique_ptr<Solver> lagrangian(SetPtr target, const SolverOptions& options,
                                   const LagrangianOptions& own) {
  return make(std::move(target), std::nullopt, options, own);
}

std::unique_ptr<Maximizer> lagrangian_maximizer(SetPtr target, const Vector& objective,
                                                const SolverOptions& options, const LagrangianOptions& own) {
  return make(std::move(target), objective, options, own);
}

SolverKind lagrangian_kind() {
  return solver_kind<LagrangianOptions>("lagrangian", "Le et al. 2019: multipliers by exponentiated gradient",
                                        {.keeps = Keeps::all, .needs_linear_constraints = true}, lagrangian,
                                        lagrangian_maximizer);
}

}  // namespace c2rl
