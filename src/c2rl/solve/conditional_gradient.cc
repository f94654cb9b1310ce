#include "c2rl/solve/corral.h"
#include "c2rl/solve/line_search.h"
#include "c2rl/solve/nearest_mixture.h"
#include "c2rl/solve/solver_kinds.h"

namespace c2rl {
namespace {

/// Where a step starts: the answer J(pi_t) is in the mixture already, with weight 0 when it is new.
struct StepStart {
  const ConvexSet& target;
  const Vector& gradient;  // x_{t-1} - Proj(x_{t-1})
  int t;
  int answer;  // index of the atom J(pi_t)
};

/// Gives the atoms of the mixture, which is at x_{t-1}, the weights mu_t.
using StepRule = void (*)(const StepStart& start, Mixture& mixture);

/// The paper's Algorithm 1. The rule for the step, which is all that the kinds of conditional gradient differ
/// in, comes from outside.
///
///   1  for t = 1, ..., T                                             (x_1 = J(pi_1), eta_1 being 1)
///   2    pi_t, J(pi_t) <- RL_oracle(x_{t-1} - Proj(x_{t-1}))         (ask and tell)
///   3    x_t <- (1 - eta_t) x_{t-1} + eta_t J(pi_t)                  (update)
///        mu_t <- (1 - eta_t) mu_{t-1} + eta_t pi_t
///   5  return x_T, mu_T                                              (mixture)
class ConditionalGradient final : public NearestMixtureSolver {
 public:
  ConditionalGradient(SetPtr target, const SolverOptions& options, StepRule step)
      : NearestMixtureSolver(std::move(target), options), step_(step) {}

 private:
  void update(int id, const Vector& point, bool is_new, Mixture& mixture) override {
    // line 3: a new policy is stored
    const int answer = is_new ? mixture.append(id, point, 0) : mixture.find(id);
    step_({target(), gradient(), calls(), answer}, mixture);  // line 3: mu_t
    drop_zeros(mixture);
    mixture.update_point();  // line 3: x_t = J(mu_t)
  }

  static void drop_zeros(Mixture& mixture) {
    std::vector<int> kept;
    for (int i = 0; i < mixture.size(); ++i) {
      if (mixture.weights[i] > kZeroWeight) kept.push_back(i);
    }
    mixture.keep(kept);
    mixture.weights /= mixture.weights.sum();
  }

  StepRule step_;
};

/// mu_t <- (1 - eta) mu_{t-1} + eta pi_t.
void move_towards(int answer, double eta, Vector& weights) {
  weights *= 1 - eta;
  weights[answer] += eta;
}

/// Algorithm 1's own: eta_t = 2 / (t + 1).
void fixed_step(const StepStart& start, Mixture& mixture) {
  move_towards(start.answer, 2.0 / (start.t + 1), mixture.weights);
}

/// eta_t is where the way to the answer is nearest to the target.
void line_search_step(const StepStart& start, Mixture& mixture) {
  const Vector direction = mixture.atoms.col(start.answer) - mixture.point;
  move_towards(start.answer, exact_line_search(start.target, mixture.point, direction, 1.0), mixture.weights);
}

/// The atom farthest along the gradient, `values` being where each one is. Only atoms with weight can give it
/// away; a newcomer has none.
int worst_atom(const Vector& values, const Vector& weights) {
  Eigen::Index worst = 0;
  (weights.array() > 0).select(values.array(), -kInfinity).maxCoeff(&worst);
  return static_cast<int>(worst);
}

/// Away from the worst atom where that promises more than the way to the answer, until it has no weight left.
void away_step(const StepStart& start, Mixture& mixture) {
  Vector& weights = mixture.weights;
  const Vector values = mixture.atoms.transpose() * start.gradient;
  const int worst = worst_atom(values, weights);
  const double now = start.gradient.dot(mixture.point);
  const double forward_gain = now - values[start.answer], away_gain = values[worst] - now;
  if (away_gain <= forward_gain) return line_search_step(start, mixture);

  const double longest = weights[worst] / (1 - weights[worst]);
  const Vector direction = mixture.point - mixture.atoms.col(worst);
  const double moved = exact_line_search(start.target, mixture.point, direction, longest);
  weights *= 1 + moved;
  weights[worst] = moved == longest ? 0 : weights[worst] - moved;
}

/// Weight from the worst atom straight to the answer, until it has none left.
void pairwise_step(const StepStart& start, Mixture& mixture) {
  Vector& weights = mixture.weights;
  const int worst = worst_atom(mixture.atoms.transpose() * start.gradient, weights);
  const double longest = weights[worst];
  const Vector direction = mixture.atoms.col(start.answer) - mixture.atoms.col(worst);
  const double moved = exact_line_search(start.target, mixture.point, direction, longest);
  weights[worst] = moved == longest ? 0 : weights[worst] - moved;
  weights[start.answer] += moved;
}

SolverKind conditional_gradient(const std::string& name, const std::string& summary, Keeps keeps,
                                StepRule step) {
  return solver_kind(name, summary, {.keeps = keeps}, [step](SetPtr target, const SolverOptions& options) {
    return std::make_unique<ConditionalGradient>(std::move(target), options, step);
  });
}

}  // namespace

SolverKind cg_kind() {
  return conditional_gradient("cg", "conditional gradient with step 2/(t+1), the paper's Algorithm 1",
                              Keeps::all, fixed_step);
}

SolverKind cg_line_search_kind() {
  return conditional_gradient("cg-line-search", "conditional gradient with exact line search", Keeps::all,
                              line_search_step);
}

SolverKind away_step_kind() {
  return conditional_gradient("away-step", "conditional gradient with away steps", Keeps::some, away_step);
}

SolverKind pairwise_kind() {
  return conditional_gradient("pairwise", "conditional gradient with pairwise steps", Keeps::some,
                              pairwise_step);
}

}  // namespace c2rl
