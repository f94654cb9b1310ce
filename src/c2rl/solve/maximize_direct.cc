#include <algorithm>
#include <cmath>

#include "c2rl/solve/corrective_mnp.h"
#include "c2rl/solve/maximizers.h"
#include "c2rl/solve/point_oracle.h"

namespace c2rl {
namespace {

/// Column generation. The best mixture of the answers so far, and its multipliers, come without the oracle;
/// the oracle is asked whether anything beats them. Its answer bounds the optimum from above and joins the
/// answers.
class DirectMaximizer final : public ClimbingMaximizer {
 public:
  DirectMaximizer(const SolverMaker& maker, SetPtr target, const Vector& objective,
                  const SolverOptions& options)
      : ClimbingMaximizer(maker, std::move(target), objective, options) {}

 private:
  void begin_climb() override {
    best_of_answers();
    end_if_the_target_ends();
  }

  Vector climbing_direction() const override { return push_ - price_ * objective(); }

  void climb(const Answer& answer) override {
    bound_with(answer);
    const Vector direction = climbing_direction();
    // The target is met to the tolerance only, which the multipliers translate into this much of the
    // objective.
    const double closed = options().tolerance * std::max(1.0, direction.norm() / price_);
    const bool known =
        (answers().leftCols(calls() - 1).colwise() - answer.point).colwise().norm().minCoeff() == 0;
    best_of_answers();
    if (upper_bound() - value() <= closed) {
      end(Status::optimal);
    } else if (known) {
      end(Status::oracle_failed);
    } else {
      end_if_the_target_ends();
    }
  }

  void bound_with(const Answer& answer) override {
    const Vector direction = climbing_direction();
    lower_bound_to((push_at_ - direction.dot(answer.point) + answer.slack * direction.norm()) / price_);
  }

  /// Where the target itself bounds the objective, push and price cancel: there is nothing to ask for, and
  /// nothing achievable to find out.
  void end_if_the_target_ends() {
    if (climbing_direction().norm() > kCancelled * price_ * objective().norm()) return;
    lower_bound_to(push_at_ / price_);
    if (upper_bound() - value() <= options().tolerance) end(Status::optimal);
  }

  /// The distance of the lifted answers to the target at a level is convex in the level, zero up to the best
  /// value: so Newton from above, where the tangent meets zero. The gradient holds the multipliers.
  void best_of_answers() {
    const Matrix lifted = lifted_answers();
    const int m = target().dim();
    double level = reached().maxCoeff();
    double lowest = level;
    push_ = Vector::Zero(m);
    push_at_ = 0;
    price_ = 1;
    const SolverOptions exact{.tolerance = options().tolerance / 2, .max_oracle_calls = kMaxScans};
    for (int step = 0; step < kMaxLevels; ++step) {
      const auto solver = corrective_mnp(target_at(level), exact);
      PointOracle known(lifted);
      known.run(*solver);
      const Vector nearest = solver->target().project(solver->mixture().point);
      const Vector gradient = solver->mixture().point - nearest;
      const double price = -gradient[m];
      if (solver->status() == Status::feasible || price <= kEpsilon * gradient.norm() ||
          step + 1 == kMaxLevels) {
        return rise_to(solver->mixture(), [&](int id) { return known.column(id) + 1; });
      }
      const Vector push = gradient.head(m);
      const double push_at = push.dot(nearest.head(m));
      const double worth = best_worth(push, push_at, 1 / price);
      const double meets_zero = bound_at(push, push_at, worth).maxCoeff();
      if (meets_zero < lowest) {
        push_ = worth * push;
        push_at_ = worth * push_at;
        price_ = 1;
        level = lowest = meets_zero;
      } else {
        // A gradient near rounding points anywhere: the multipliers stay, and only its length is believed.
        level -= gradient.squaredNorm() / price;
      }
    }
  }

  /// What each answer comes to.
  Vector reached() const { return answers().transpose() * objective(); }

  /// What each answer says the objective may be, when a unit of the push is worth so much of it.
  Vector bound_at(const Vector& push, double push_at, double worth) const {
    return reached().array() - worth * ((push.transpose() * answers()).transpose().array() - push_at);
  }

  /// The worth of the push for which the answers bound the objective best. The gradient says it too, but it
  /// is the difference of two points near each other, and loses to rounding what the answers still tell.
  double best_worth(const Vector& push, double push_at, double worth) const {
    const Vector beyond = (push.transpose() * answers()).transpose().array() - push_at;
    const Vector measured = reached();
    // The largest of lines in the worth: between one that falls and one that rises, the lowest point is where
    // they meet, or below a third line that is above them there.
    Eigen::Index falling = 0, rising = 0;
    measured.maxCoeff(&falling);
    beyond.minCoeff(&rising);
    for (int step = 0; step < answers().cols() && beyond[falling] > 0 && beyond[rising] < 0; ++step) {
      worth = (measured[falling] - measured[rising]) / (beyond[falling] - beyond[rising]);
      Eigen::Index highest = 0;
      bound_at(push, push_at, worth).maxCoeff(&highest);
      if (highest == falling || highest == rising) break;
      (beyond[highest] > 0 ? falling : rising) = highest;
    }
    return worth;
  }

  static constexpr double kCancelled = 16 * kEpsilon;
  static constexpr int kMaxLevels = 200;
  static constexpr int kMaxScans = 100000;

  /// For y in Omega, push.y <= push_at; and for every achievable y the oracle bounds (push - price * c).y
  /// from below, c being the objective. Together they bound c.y from above.
  Vector push_;
  double push_at_ = 0, price_ = 1;
};

}  // namespace

std::unique_ptr<Maximizer> direct_maximizer(const SolverMaker& maker, SetPtr target, const Vector& objective,
                                            const SolverOptions& options) {
  return std::make_unique<DirectMaximizer>(maker, std::move(target), objective, options);
}

}  // namespace c2rl
