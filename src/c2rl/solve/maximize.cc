#include "c2rl/solve/maximize.h"

#include <algorithm>

#include "c2rl/geometry/sets.h"

namespace c2rl {

Maximizer::Maximizer(const std::string& solver, SetPtr target, int coordinate, const SolverOptions& options)
    : Solver(std::move(target), options),
      coordinate_(coordinate),
      feasibility_(make_solver(solver, target_, options)),
      answers_(target_->dim(), 0) {}

Vector Maximizer::next_direction() const {
  if (const auto direction = feasibility_->ask()) return *direction;
  return climbing_direction().normalized();
}

void Maximizer::take(const Answer& answer, int /*id*/, bool /*is_new*/) {
  answers_.conservativeResize(target_->dim(), calls());
  answers_.rightCols(1) = answer.point;
  if (answer.grade == Grade::evidence) grade_ = Grade::evidence;

  if (feasibility_->status() == Status::running) {
    feasibility_->tell(answer);
    move_to(feasibility_->mixture());
    adopt(feasibility_->certificate());
    if (feasibility_->status() == Status::feasible) {
      value_ = mixture().point[coordinate_];
      begin_climb();
    } else {
      end(feasibility_->status());
    }
    return;
  }
  climb(answer);
  if (status() == Status::running && out_of_calls()) end(Status::budget);
}

Matrix Maximizer::lifted_answers() const {
  Matrix lifted(answers_.rows() + 1, answers_.cols());
  lifted << answers_, answers_.row(coordinate_);
  return lifted;
}

SetPtr Maximizer::target_at(double level) const {
  return product({target_, box(Vector::Constant(1, level), Vector::Constant(1, kInfinity))});
}

Vector Maximizer::fold(const Vector& lifted) const {
  Vector direction = lifted.head(target_->dim());
  direction[coordinate_] += lifted[target_->dim()];
  return direction;
}

void Maximizer::rise_to(Mixture mixture) {
  value_ = mixture.point[coordinate_];
  move_to(std::move(mixture));
}

}  // namespace c2rl
