#include <numeric>

#include "c2rl/geometry/sets.h"
#include "c2rl/solve/maximizers.h"

namespace c2rl {

ClimbingMaximizer::ClimbingMaximizer(const std::string& solver, SetPtr target, int coordinate,
                                     const SolverOptions& options)
    : Maximizer(std::move(target), options),
      coordinate_(coordinate),
      feasibility_(make_solver(solver, target_, options)),
      answers_(target_->dim(), 0) {}

std::vector<int> ClimbingMaximizer::needed() const {
  if (status() != Status::running) return mixture().ids;
  std::vector<int> all(calls());
  std::iota(all.begin(), all.end(), 1);
  return all;
}

Vector ClimbingMaximizer::next_direction() const {
  if (const auto direction = feasibility_->ask()) return *direction;
  return climbing_direction().normalized();
}

void ClimbingMaximizer::take(const Answer& answer, int /*id*/, bool /*is_new*/) {
  answers_.conservativeResize(target_->dim(), calls());
  answers_.rightCols(1) = answer.point;
  rest_on(answer.grade);

  if (feasibility_->status() == Status::running) {
    feasibility_->tell(answer);
    move_to(feasibility_->mixture());
    adopt(feasibility_->certificate());
    if (feasibility_->status() == Status::feasible) {
      set_value(mixture().point[coordinate_]);
      begin_climb();
    } else {
      end(feasibility_->status());
    }
    return;
  }
  climb(answer);
  if (status() == Status::running && out_of_calls()) end(Status::budget);
}

Matrix ClimbingMaximizer::lifted_answers() const {
  Matrix lifted(answers_.rows() + 1, answers_.cols());
  lifted << answers_, answers_.row(coordinate_);
  return lifted;
}

SetPtr ClimbingMaximizer::target_at(double level) const {
  return product({target_, box(Vector::Constant(1, level), Vector::Constant(1, kInfinity))});
}

Vector ClimbingMaximizer::fold(const Vector& lifted) const {
  Vector direction = lifted.head(target_->dim());
  direction[coordinate_] += lifted[target_->dim()];
  return direction;
}

void ClimbingMaximizer::rise_to(Mixture mixture) {
  set_value(mixture.point[coordinate_]);
  move_to(std::move(mixture));
}

std::unique_ptr<Maximizer> make_maximizer(MaximizeMethod method, const std::string& solver, SetPtr target,
                                          int coordinate, const SolverOptions& options) {
  if (solver == "lagrangian") return lagrangian_maximizer(std::move(target), coordinate, options);
  return method == MaximizeMethod::direct
             ? direct_maximizer(solver, std::move(target), coordinate, options)
             : bisecting_maximizer(solver, std::move(target), coordinate, options);
}

}  // namespace c2rl
