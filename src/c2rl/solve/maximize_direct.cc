#include <algorithm>
#include <cmath>

#include "c2rl/solve/maximizers.h"
#include "c2rl/solve/point_oracle.h"
#include "c2rl/solve/solvers.h"

namespace c2rl {
namespace {

/// Column generation. The best mixture of the answers so far, and its multipliers, come without the oracle;
/// the oracle is asked whether anything beats them. Its answer bounds the optimum from above and joins the
/// answers.
class DirectMaximizer final : public ClimbingMaximizer {
 public:
  DirectMaximizer(const std::string& solver, SetPtr target, int coordinate, const SolverOptions& options)
      : ClimbingMaximizer(solver, std::move(target), coordinate, options) {}

 private:
  void begin_climb() override { best_of_answers(); }

  Vector climbing_direction() const override {
    return push_ - price_ * Vector::Unit(push_.size(), coordinate());
  }

  void climb(const Answer& answer) override {
    const Vector direction = climbing_direction();
    lower_bound_to((push_at_ - direction.dot(answer.point) + answer.slack * direction.norm()) / price_);
    // The target is met to the tolerance only, which the multipliers translate into this much of the
    // measurement.
    const double closed = options().tolerance * std::max(1.0, direction.norm() / price_);
    const bool known =
        (answers().leftCols(calls() - 1).colwise() - answer.point).colwise().norm().minCoeff() == 0;
    best_of_answers();
    if (upper_bound() - value() <= closed) {
      end(Status::converged);
    } else if (known) {
      end(Status::oracle_failed);
    }
  }

  /// The distance of the lifted answers to the target at a level is convex in the level, zero up to the best
  /// value: so Newton from above, where the tangent meets zero. The last tangent's gradient holds the
  /// multipliers.
  void best_of_answers() {
    const Matrix lifted = lifted_answers();
    const int m = target().dim();
    double level = answers().row(coordinate()).maxCoeff();
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
        Mixture best = solver->mixture();
        for (int& id : best.ids) id = known.column(id) + 1;
        best.atoms = best.atoms.topRows(m).eval();
        best.point = best.atoms * best.weights;
        return rise_to(std::move(best));
      }
      push_ = gradient.head(m);
      price_ = price;
      push_at_ = push_.dot(nearest.head(m));
      const double least = (climbing_direction().transpose() * answers()).minCoeff();
      level = std::min(level, (push_at_ - least) / price_);
    }
  }

  static constexpr int kMaxLevels = 200;
  static constexpr int kMaxScans = 100000;

  /// For y in Omega, push.y <= push_at; and for every achievable y the oracle bounds (push - price * e_c).y
  /// from below. Together they bound y_c from above.
  Vector push_;
  double push_at_ = 0, price_ = 1;
};

}  // namespace

std::unique_ptr<Maximizer> direct_maximizer(const std::string& solver, SetPtr target, int coordinate,
                                            const SolverOptions& options) {
  return std::make_unique<DirectMaximizer>(solver, std::move(target), coordinate, options);
}

}  // namespace c2rl
