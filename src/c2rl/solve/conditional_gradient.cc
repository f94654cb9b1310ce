#include <algorithm>

#include "c2rl/solve/corral.h"
#include "c2rl/solve/line_search.h"
#include "c2rl/solve/nearest_mixture.h"
#include "c2rl/solve/solvers.h"

namespace c2rl {
namespace {

/// The conditional-gradient family: each cycle moves the mixture along one direction. All but away and
/// pairwise steps keep every atom ever answered.
class ConditionalGradient final : public NearestMixtureSolver {
 public:
  enum class Step { fixed, line_search, away, pairwise };

  ConditionalGradient(SetPtr target, const SolverOptions& options, Step step)
      : NearestMixtureSolver(std::move(target), options), step_(step) {}

 private:
  void update(int id, const Vector& point, bool is_new, Mixture& mixture) override {
    const Eigen::Index towards = is_new ? append(id, point, mixture) : find(id, mixture);
    const Vector values = mixture.atoms.transpose() * gradient();
    Eigen::Index worst = 0;
    // Only atoms with weight can give it away; a newcomer has none.
    (mixture.weights.array() > 0).select(values.array(), -kInfinity).maxCoeff(&worst);
    const double now = gradient().dot(mixture.point);
    const double forward_gain = now - values[towards], away_gain = values[worst] - now;

    Vector& weights = mixture.weights;
    if (step_ == Step::pairwise) {
      const double longest = weights[worst];
      const double moved = search(mixture, mixture.atoms.col(towards) - mixture.atoms.col(worst), longest);
      weights[worst] = moved == longest ? 0 : weights[worst] - moved;
      weights[towards] += moved;
    } else if (step_ == Step::away && away_gain > forward_gain) {
      const double longest = weights[worst] / (1 - weights[worst]);
      const double moved = search(mixture, mixture.point - mixture.atoms.col(worst), longest);
      weights *= 1 + moved;
      weights[worst] = moved == longest ? 0 : weights[worst] - moved;
    } else {
      const double moved = step_ == Step::fixed
                               ? 2.0 / (calls() + 1)
                               : search(mixture, mixture.atoms.col(towards) - mixture.point, 1.0);
      weights *= 1 - moved;
      weights[towards] += moved;
    }
    drop_zeros(mixture);
  }

  double search(const Mixture& mixture, const Vector& direction, double longest) const {
    return exact_line_search(target(), mixture.point, direction, longest);
  }

  static Eigen::Index append(int id, const Vector& point, Mixture& mixture) {
    const Eigen::Index count = mixture.size();
    mixture.ids.push_back(id);
    mixture.atoms.conservativeResize(point.size(), count + 1);
    mixture.atoms.col(count) = point;
    mixture.weights.conservativeResize(count + 1);
    mixture.weights[count] = 0;
    return count;
  }

  static Eigen::Index find(int id, const Mixture& mixture) {
    return std::find(mixture.ids.begin(), mixture.ids.end(), id) - mixture.ids.begin();
  }

  static void drop_zeros(Mixture& mixture) {
    std::vector<int> kept;
    for (int i = 0; i < mixture.size(); ++i) {
      if (mixture.weights[i] > kZeroWeight) kept.push_back(i);
    }
    if (static_cast<int>(kept.size()) < mixture.size()) {
      std::vector<int> ids;
      ids.reserve(kept.size());
      for (const int i : kept) ids.push_back(mixture.ids[i]);
      mixture.ids = std::move(ids);
      mixture.atoms = mixture.atoms(Eigen::all, kept).eval();
      mixture.weights = mixture.weights(kept).eval();
    }
    mixture.weights /= mixture.weights.sum();
    mixture.point = mixture.atoms * mixture.weights;
  }

  Step step_;
};

using Step = ConditionalGradient::Step;

}  // namespace

std::unique_ptr<Solver> cg(SetPtr target, const SolverOptions& options) {
  return std::make_unique<ConditionalGradient>(std::move(target), options, Step::fixed);
}
std::unique_ptr<Solver> cg_line_search(SetPtr target, const SolverOptions& options) {
  return std::make_unique<ConditionalGradient>(std::move(target), options, Step::line_search);
}
std::unique_ptr<Solver> away_step(SetPtr target, const SolverOptions& options) {
  return std::make_unique<ConditionalGradient>(std::move(target), options, Step::away);
}
std::unique_ptr<Solver> pairwise(SetPtr target, const SolverOptions& options) {
  return std::make_unique<ConditionalGradient>(std::move(target), options, Step::pairwise);
}

}  // namespace c2rl
