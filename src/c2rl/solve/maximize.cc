#include "c2rl/solve/maximize.h"

#include <numeric>
#include <stdexcept>

#include <fmt/format.h>

#include "c2rl/geometry/sets.h"
#include "c2rl/solve/maximizers.h"

namespace c2rl {

Maximizer::Maximizer(SetPtr target, std::optional<int> coordinate, const SolverOptions& options)
    : Solver(std::move(target), options) {
  if (coordinate && (*coordinate < 0 || *coordinate >= target_->dim())) {
    throw std::logic_error(
        fmt::format("coordinate {} to maximize, of {} measurements", *coordinate, target_->dim()));
  }
}

ClimbingMaximizer::ClimbingMaximizer(const SolverMaker& maker, SetPtr target, int coordinate,
                                     const SolverOptions& options)
    : Maximizer(std::move(target), coordinate, options),
      coordinate_(coordinate),
      feasibility_(maker.make(target_, options)),
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

void ClimbingMaximizer::conclude(const Answer& answer) {
  rest_on(answer.grade);
  if (feasibility_->status() != Status::running) {
    bound_with(answer);
    return end(Status::optimal);
  }
  feasibility_->give_up(answer);
  move_to(feasibility_->mixture());
  adopt(feasibility_->certificate());
  end(feasibility_->status());
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

void ClimbingMaximizer::rise_to(Mixture lifted, const std::function<int(int id)>& call_of) {
  for (int& id : lifted.ids) id = call_of(id);
  lifted.atoms = lifted.atoms.topRows(target_->dim()).eval();
  lifted.update_point();
  set_value(lifted.point[coordinate_]);
  move_to(std::move(lifted));
}

const EnumNames<MaximizeMethod>& maximize_method_names() {
  static const EnumNames<MaximizeMethod> names("maximize_method", {"direct", "bisection"});
  return names;
}

std::unique_ptr<Solver> make_maximizer(MaximizeMethod method, const SolverMaker& maker, SetPtr target,
                                       int coordinate, const SolverOptions& options) {
  if (maker.maximize) return maker.maximize(std::move(target), coordinate, options);
  switch (method) {
    case MaximizeMethod::direct:
      return direct_maximizer(maker, std::move(target), coordinate, options);
    case MaximizeMethod::bisection:
      return bisecting_maximizer(maker, std::move(target), coordinate, options);
  }
  throw std::logic_error("a method to maximize that does not exist");
}

}  // namespace c2rl
