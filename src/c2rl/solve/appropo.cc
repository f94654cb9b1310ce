#include <cmath>

#include "c2rl/geometry/sets.h"
#include "c2rl/solve/solvers.h"

namespace c2rl {
namespace {

/// ApproPO (Miryoosefi et al. 2019), as its public code does it: a zero-sum game between the oracle and a
/// player who picks theta by online gradient ascent on theta.(J, kappa). The target is lifted to the cone C
/// over Omega x {kappa}; theta lives in its polar cone, within the unit ball. The mixture is uniform over the
/// rounds.
///
/// Every round's policy is stored, also when it measures the same as an earlier one. With the cache, a round
/// is played with a stored policy as long as one answers theta well enough, theta.(J, kappa) <= 0, and only
/// else with the oracle.
///
/// Its directions are theta's, not the gradient's, so that its answers certify no lower bound.
class ApproPo final : public Solver {
 public:
  ApproPo(const SetPtr& target, const SolverOptions& options)
      : Solver(target, options),
        cone_(cone_over(target, options.appropo.kappa)),
        theta_(Vector::Zero(target->dim() + 1)),
        velocity_(theta_) {}

 private:
  bool merges_duplicates() const override { return false; }

  /// Where theta has no say, as at its start, the way down from where the mixture is.
  Vector next_direction() const override {
    const Vector direction = theta_.head(target().dim());
    return direction.norm() > 0 ? direction.normalized() : gradient().normalized();
  }

  void take(const Answer& answer, int id, bool /*is_new*/) override {
    Mixture mixture = this->mixture();
    mixture.ids.push_back(id);
    mixture.atoms.conservativeResize(target().dim(), id);
    mixture.atoms.col(id - 1) = answer.point;
    played_.push_back(0);
    play(id - 1, mixture);
    // The cache may serve any number of rounds, each as good as an oracle call's; the bound keeps a call
    // finite.
    for (int round = 0; options().appropo.cache && round < kMostCacheRounds; ++round) {
      if (distance() <= tolerance()) break;
      Eigen::Index best = 0;
      const double value = (theta_.head(target().dim()).transpose() * mixture.atoms).minCoeff(&best) +
                           theta_[target().dim()] * options().appropo.kappa;
      if (value > 0) break;
      play(static_cast<int>(best), mixture);
    }
    if (distance() <= tolerance()) {
      end(Status::feasible);
    } else if (out_of_calls()) {
      end(Status::budget);
    }
  }

  /// One round with the policy of a column.
  void play(int column, Mixture& mixture) {
    ++played_[static_cast<size_t>(column)];
    ++rounds_;
    Vector lifted(target().dim() + 1);
    lifted << mixture.atoms.col(column), options().appropo.kappa;
    velocity_ = options().appropo.momentum * velocity_ + lifted / std::sqrt(static_cast<double>(rounds_));
    theta_ += velocity_;
    theta_ -= cone_->project(theta_);  // what is left lies in the polar cone
    if (theta_.norm() > 1) theta_.normalize();

    mixture.weights.resize(mixture.atoms.cols());
    for (Eigen::Index i = 0; i < mixture.atoms.cols(); ++i) {
      mixture.weights[i] =
          static_cast<double>(played_[static_cast<size_t>(i)]) / static_cast<double>(rounds_);
    }
    mixture.point = mixture.atoms * mixture.weights;
    move_to(mixture);
  }

  static constexpr int kMostCacheRounds = 1000;

  SetPtr cone_;
  Vector theta_, velocity_;
  std::vector<long> played_;  // rounds of each column
  long rounds_ = 0;
};

}  // namespace

std::unique_ptr<Solver> appropo(SetPtr target, const SolverOptions& options) {
  return std::make_unique<ApproPo>(target, options);
}

}  // namespace c2rl
