#include <cmath>

#include "c2rl/solve/solvers.h"

namespace c2rl {
namespace {

/// Reward constrained policy optimisation (Tessler et al. 2018): one policy, trained on and on with the
/// violated constraints as penalties. Multipliers of the target's faces G(x) <= tau follow the violation,
/// slowly against the training:
///
///   lambda <- max(0, lambda + step (G(J) - tau))
///
/// where a violation of more than 1 counts as 1: what a policy does before it has learnt anything is no
/// reason for multipliers that it takes hundreds of calls to come down from.
///
/// The mixture is the latest policy alone. Its calls are stretches of one training run, not best answers, so
/// that nothing can be said about what is impossible: there is no certificate.
class Rcpo final : public Solver {
 public:
  Rcpo(SetPtr target, const SolverOptions& options, const RcpoOptions& own)
      : Solver(std::move(target), options),
        own_(own),
        faces_(target_->halfspaces()),
        multipliers_(Vector::Zero(faces_.offsets.size())) {}

 private:
  /// The policy of every call is another one, however little it has moved.
  bool merges_duplicates() const override { return false; }

  Vector next_direction() const override {
    const Vector penalty = faces_.normals.transpose() * multipliers_;
    return (penalty.isZero(0) ? gradient() : penalty).normalized();
  }

  void take(const Answer& answer, int id, bool /*is_new*/) override {
    Mixture latest;
    latest.ids = {id};
    latest.atoms = answer.point;
    latest.weights = Vector::Ones(1);
    latest.point = answer.point;
    move_to(std::move(latest));
    const Vector violation = (faces_.normals * answer.point - faces_.offsets).cwiseMax(-1.0).cwiseMin(1.0);
    multipliers_ = (multipliers_ + own_.step * violation).cwiseMax(0.0);
    if (distance() <= tolerance()) {
      end(Status::feasible);
    } else if (out_of_calls()) {
      end(Status::budget);
    }
  }

  RcpoOptions own_;
  Halfspaces faces_;
  Vector multipliers_;
};

}  // namespace

std::unique_ptr<Solver> rcpo(SetPtr target, const SolverOptions& options) {
  if (!target->is_polyhedral()) {
    throw UnsuitableTargetError(
        "solver 'rcpo' needs a target with flat faces (linear constraints); 'corrective-mnp' takes any "
        "target");
  }
  const auto* given = std::get_if<RcpoOptions>(&options.own);
  const RcpoOptions own = given ? *given : RcpoOptions{};
  if (!std::isfinite(own.step) || own.step <= 0)
    throw InputError({.field = "solver.step"}, "expected a number above 0");
  return std::make_unique<Rcpo>(std::move(target), options, own);
}

}  // namespace c2rl
