#include "c2rl/solve/maximize.h"

#include <numeric>
#include <stdexcept>

#include <fmt/format.h>

#include "c2rl/geometry/sets.h"
#include "c2rl/solve/maximizers.h"

namespace c2rl {
namespace {

/// Where everything is inside the target, the first call may as well ask for what is wanted.
SolverOptions with_first_direction(SolverOptions options, const SetPtr& target, const Vector& objective) {
  const bool is_everything = target && target->is_polyhedral() && target->halfspaces().offsets.size() == 0;
  if (is_everything && !options.first_direction) options.first_direction = -objective.normalized();
  return options;
}

}  // namespace

Maximizer::Maximizer(SetPtr target, const std::optional<Vector>& objective, const SolverOptions& options)
    : Solver(std::move(target), options) {
  if (!objective) return;
  if (objective->size() != target_->dim() || !objective->allFinite() || objective->isZero(0)) {
    throw std::logic_error(fmt::format("an objective of {} coefficients, expected {}, finite and not all 0",
                                       objective->size(), target_->dim()));
  }
}

ClimbingMaximizer::ClimbingMaximizer(const SolverMaker& maker, SetPtr target, Vector objective,
                                     const SolverOptions& options)
    : Maximizer(std::move(target), objective, options),
      objective_(std::move(objective)),
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
    if (*feasibility_->ask() == -objective_.normalized())
      lower_bound_to(objective_.dot(answer.point) + answer.slack * objective_.norm());
    feasibility_->tell(answer);
    move_to(feasibility_->mixture());
    adopt(feasibility_->certificate());
    if (feasibility_->status() == Status::feasible) {
      set_value(objective_.dot(mixture().point));
      if (upper_bound() - value() <= options().tolerance) return end(Status::optimal);
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
  lifted << answers_, objective_.transpose() * answers_;
  return lifted;
}

SetPtr ClimbingMaximizer::target_at(double level) const {
  return product({target_, box(Vector::Constant(1, level), Vector::Constant(1, kInfinity))});
}

Vector ClimbingMaximizer::fold(const Vector& lifted) const {
  return lifted.head(target_->dim()) + lifted[target_->dim()] * objective_;
}

void ClimbingMaximizer::rise_to(Mixture lifted, const std::function<int(int id)>& call_of) {
  for (int& id : lifted.ids) id = call_of(id);
  lifted.atoms = lifted.atoms.topRows(target_->dim()).eval();
  lifted.update_point();
  set_value(objective_.dot(lifted.point));
  move_to(std::move(lifted));
}

const EnumNames<MaximizeMethod>& maximize_method_names() {
  static const EnumNames<MaximizeMethod> names("maximize_method", {"direct", "bisection"});
  return names;
}

std::unique_ptr<Solver> make_maximizer(MaximizeMethod method, const SolverMaker& maker, SetPtr target,
                                       const Vector& objective, const SolverOptions& given) {
  const SolverOptions options = with_first_direction(given, target, objective);
  if (maker.maximize) return maker.maximize(std::move(target), objective, options);
  switch (method) {
    case MaximizeMethod::direct:
      return direct_maximizer(maker, std::move(target), objective, options);
    case MaximizeMethod::bisection:
      return bisecting_maximizer(maker, std::move(target), objective, options);
  }
  throw std::logic_error("a method to maximize that does not exist");
}

}  // namespace c2rl
