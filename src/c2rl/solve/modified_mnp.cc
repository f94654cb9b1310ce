#include "c2rl/solve/corral.h"
#include "c2rl/solve/nearest_mixture.h"
#include "c2rl/solve/solver_kinds.h"

namespace c2rl {
namespace {

/// The paper's Algorithm 2. For a target of one point it is Wolfe's method.
///
/// Literal, and made to survive what the text leaves out: an answer that is in S already is not added again,
/// an atom that depends affinely on S is exchanged for one of S, sign tests have a tolerance, and the atom
/// that stops a minor cycle always leaves. What stays is that with S unchanged a major cycle is one
/// alternating projection between aff(S) and Omega, each paid with an oracle call.
class ModifiedMnp final : public NearestMixtureSolver {
 public:
  ModifiedMnp(SetPtr target, const SolverOptions& options)
      : NearestMixtureSolver(std::move(target), options), corral_(this->target().constrained()) {}

 private:
  void restart(int id, const Vector& point) override { corral_.reset(id, point); }

  void update(int id, const Vector& point, bool is_new, Mixture& mixture) override {
    const Vector& omega = projection();     // line 2: omega_t = Proj(x_{t-1}); line 3 is ask and tell
    if (is_new) corral_.insert(id, point);  // line 4: A <- A + pi_t, S <- S + J(pi_t)
    while (true) {                          // line 5: minor cycle
      const Vector alpha = corral_.hull().minimizer(omega);   // line 6
      const bool is_corral = alpha.minCoeff() > kZeroWeight;  // line 7
      corral_.move_towards(alpha);  // lines 10-13 with theta < 1, line 16 with theta = 1
      if (is_corral) break;
    }
    mixture = corral_.mixture();
  }

  Corral corral_;
};

std::unique_ptr<Solver> modified_mnp(SetPtr target, const SolverOptions& options) {
  return std::make_unique<ModifiedMnp>(std::move(target), options);
}

}  // namespace

SolverKind modified_mnp_kind() {
  return solver_kind("modified-mnp", "the paper's Algorithm 2; may stall", {.keeps = Keeps::few},
                     modified_mnp);
}

SolverKind wolfe_mnp_kind() {
  return solver_kind("wolfe-mnp", "Wolfe's minimum-norm-point method",
                     {.keeps = Keeps::few, .needs_one_point = true}, modified_mnp);
}

}  // namespace c2rl
