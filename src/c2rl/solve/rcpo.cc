#include "c2rl/solve/rcpo.h"

#include "c2rl/solve/solver_kinds.h"

namespace c2rl {

SolverKind rcpo_kind();

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
    move_to(Mixture::single(id, answer.point));
    const Vector violation = (faces_.normals * answer.point - faces_.offsets).cwiseMax(-1.0).cwiseMin(1.0);
    multipliers_ = (multipliers_ + own_.step * violation).cwiseMax(0.0);
    if (inside()) {
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

void RcpoOptions::visit(OptionVisitor& visitor) {
  visitor.number(
      "step", step, above(0),
      "how far a multiplier moves per call and unit of violation: slowly against the training between "
      "calls");
}

std::unique_ptr<Solver> rcpo(SetPtr target, const SolverOptions& options, const RcpoOptions& own) {
  check_options(own);
  auto made = std::make_unique<Rcpo>(std::move(target), options, own);
  rcpo_kind().check_suits(made->target());
  return made;
}

SolverKind rcpo_kind() {
  return solver_kind<RcpoOptions>(
      "rcpo", "Tessler et al. 2018: one policy trained on under slow multipliers",
      {.keeps = Keeps::one, .needs_linear_constraints = true, .trains_one_policy = true}, rcpo);
}

}  // namespace c2rl
