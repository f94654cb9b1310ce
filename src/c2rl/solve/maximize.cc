#include "c2rl/solve/maximize.h"

#include <algorithm>
#include <cmath>

#include "c2rl/geometry/sets.h"
#include "c2rl/solve/point_oracle.h"
#include "c2rl/solve/solvers.h"

namespace c2rl {
namespace {

/// The lifted points (x, x_c) and the target Omega x [level, infinity): the distance between them is zero for
/// levels that a mixture inside Omega reaches, and grows convexly above.
SetPtr at_level(const SetPtr& target, double level) {
  return product({target, box(Vector::Constant(1, level), Vector::Constant(1, kInfinity))});
}

constexpr int kMaxLevels = 200;

}  // namespace

Maximizer::Maximizer(const std::string& solver, SetPtr target, int coordinate, const SolverOptions& options)
    : target_(std::move(target)),
      coordinate_(coordinate),
      options_(options),
      feasibility_(make_solver(solver, target_, options)),
      answers_(target_->dim(), 0) {}

std::optional<Vector> Maximizer::ask() const {
  if (status_ != Status::running) return std::nullopt;
  if (feasibility_->status() == Status::running) return feasibility_->ask();
  return Vector(push_ - price_ * Vector::Unit(target_->dim(), coordinate_)).normalized();
}

void Maximizer::tell(const Answer& answer) {
  const Vector& s = answer.point;
  const bool was_feasible = feasibility_->status() == Status::feasible;
  const Vector direction =
      push_.size() > 0 ? Vector(push_ - price_ * Vector::Unit(s.size(), coordinate_)) : Vector();
  answers_.conservativeResize(s.size(), answers_.cols() + 1);
  answers_.rightCols(1) = s;
  if (answer.grade == Grade::evidence) grade_ = Grade::evidence;

  if (!was_feasible) {
    feasibility_->tell(answer);
    mixture_ = feasibility_->mixture();
    atoms_max_ = std::max(atoms_max_, mixture_.size());
    if (feasibility_->status() == Status::feasible)
      climb();
    else
      status_ = feasibility_->status();
    return;
  }

  const double bound = (push_at_ - direction.dot(s) + answer.slack * direction.norm()) / price_;
  upper_bound_ = std::min(upper_bound_, bound);
  const double before = value_;
  climb();
  if (upper_bound_ - value_ <= options_.tolerance * std::max(1.0, direction.norm() / price_)) {
    status_ = Status::converged;
  } else if (value_ <= before &&
             (answers_.leftCols(calls() - 1).colwise() - s).colwise().norm().minCoeff() == 0) {
    status_ = Status::oracle_failed;
  } else if (calls() >= options_.max_oracle_calls) {
    status_ = Status::budget;
  }
}

void Maximizer::climb() {
  Matrix lifted(answers_.rows() + 1, answers_.cols());
  lifted << answers_, answers_.row(coordinate_);
  // Newton on the level, from above: where the tangent of the convex distance meets zero.
  double level = answers_.row(coordinate_).maxCoeff();
  push_ = Vector::Zero(target_->dim());
  push_at_ = 0;
  price_ = 1;
  SolverOptions inner{.tolerance = options_.tolerance / 2, .max_oracle_calls = 100000};
  for (int step = 0; step < kMaxLevels; ++step) {
    const auto solver = corrective_mnp(at_level(target_, level), inner);
    PointOracle known(lifted);
    known.run(*solver);
    const Mixture& found = solver->mixture();
    const Vector nearest = solver->target().project(found.point);
    const Vector gradient = found.point - nearest;
    if (solver->status() == Status::feasible || -gradient.tail(1)[0] <= kEpsilon * gradient.norm()) {
      mixture_.atoms = found.atoms.topRows(target_->dim());
      mixture_.weights = found.weights;
      mixture_.point = mixture_.atoms * mixture_.weights;
      mixture_.ids.clear();
      for (const int id : found.ids) mixture_.ids.push_back(known.column(id) + 1);
      atoms_max_ = std::max(atoms_max_, mixture_.size());
      value_ = mixture_.point[coordinate_];
      return;
    }
    const int m = target_->dim();
    push_ = gradient.head(m);
    price_ = -gradient[m];
    push_at_ = push_.dot(nearest.head(m));
    // Nothing among the answers beats this level inside the target.
    const double least = ((push_ - price_ * Vector::Unit(m, coordinate_)).transpose() * answers_).minCoeff();
    level = std::min(level, (push_at_ - least) / price_);
  }
}

}  // namespace c2rl
