#include "c2rl/solve/maximizers.h"

namespace c2rl {
namespace {

/// The paper's binary search: is a mixture inside the target with the objective at the middle of the
/// bracket? Every answer is kept, and the oracle is asked only when none of them helps the current question.
class BisectingMaximizer final : public ClimbingMaximizer {
 public:
  BisectingMaximizer(const SolverMaker& maker, SetPtr target, const Vector& objective,
                     const SolverOptions& options)
      : ClimbingMaximizer(maker, std::move(target), objective, options), maker_(maker) {}

 private:
  void begin_climb() override {}  // first of all: how much is there without any constraint?

  Vector climbing_direction() const override {
    if (!probe_) return -objective();
    return fold(*probe_->ask());
  }

  void climb(const Answer& answer) override {
    if (!probe_) {
      bound_with(answer);
    } else {
      tell_probe(answer, calls());
      use_known_answers();
      judge_probe();
    }
    while (status() == Status::running && !probe_) {
      if (upper_bound() - value() <= options().tolerance) return end(Status::optimal);
      level_ = 0.5 * (value() + upper_bound());
      probe(options().tolerance / 4);
    }
  }

  void bound_with(const Answer& answer) override {
    lower_bound_to(probe_ ? level_ : objective().dot(answer.point) + answer.slack * objective().norm());
  }

  /// Asks whether the level can be reached, to a tolerance in distance.
  void probe(double tolerance) {
    SolverOptions question = options();
    question.tolerance = tolerance;
    question.first_direction.reset();
    probe_ = maker_.make(target_at(level_), question);
    probe_ids_.clear();
    use_known_answers();
    judge_probe();
  }

  void tell_probe(Answer answer, int call) {
    answer.point = lifted(answer.point, objective().dot(answer.point));
    probe_ids_.push_back(call);
    probe_->tell(answer);
  }

  static Vector lifted(const Vector& point, double height) {
    Vector result(point.size() + 1);
    result << point, height;
    return result;
  }

  void use_known_answers() {
    while (const auto direction = probe_->ask()) {
      Eigen::Index best = 0;
      (fold(*direction).transpose() * answers()).minCoeff(&best);
      const bool helps =
          probe_->mixture().empty() ||
          direction->dot(probe_->mixture().point - lifted_answers().col(best)) > options().tolerance;
      if (!helps) return;
      tell_probe({.point = answers().col(best), .slack = kInfinity}, static_cast<int>(best) + 1);
    }
  }

  /// Moves one end of the bracket to the level once the question is answered.
  void judge_probe() {
    if (probe_->status() == Status::running) return;
    const double asked = probe_->options().tolerance;
    if (probe_->status() == Status::feasible) {
      if (oversold() && asked > kSharpest * options().tolerance) return probe(kSharper * asked);
      rise_to(probe_->mixture(), [&](int id) { return probe_ids_[id - 1]; });
    } else if (probe_->status() == Status::infeasible || probe_->status() == Status::stuck ||
               probe_->status() == Status::undecided) {
      lower_bound_to(level_);
    } else {
      end(probe_->status());
    }
    probe_.reset();
  }

  /// What the mixture is outside by counts as inside; but where the target's boundary is nearly parallel to
  /// the answers', a little distance buys a lot of the objective: more than the bracket may be wide.
  bool oversold() const {
    const Vector& found = probe_->mixture().point;
    const Vector outside = found - probe_->target().project(found);
    const double price = -outside[target().dim()];  // by how much the level is missed
    return outside.squaredNorm() > price * options().tolerance;
  }

  static constexpr double kSharper = 0.1;    // of the tolerance, when a level is asked for again
  static constexpr double kSharpest = 1e-6;  // of the tolerance, below which it is not

  SolverMaker maker_;
  std::unique_ptr<Solver> probe_;  // the current question, over lifted points
  std::vector<int> probe_ids_;     // which of our calls each of its answers was
  double level_ = 0;
};

}  // namespace

std::unique_ptr<Maximizer> bisecting_maximizer(const SolverMaker& maker, SetPtr target,
                                               const Vector& objective, const SolverOptions& options) {
  return std::make_unique<BisectingMaximizer>(maker, std::move(target), objective, options);
}

}  // namespace c2rl
