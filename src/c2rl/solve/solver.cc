#include "c2rl/solve/solver.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include <fmt/format.h>

#include "c2rl/base/error.h"

namespace c2rl {
namespace {

/// Answers nearer to an atom than this, relative to their size, are that atom.
constexpr double kDuplicate = 1e-12;
/// Two estimates of one point differ by no more than this many standard errors of either, nearly always: the
/// difference has the standard error of both together, and two of those cover it.
const double kNoise = 2 * std::sqrt(2.0);
/// Distances below this many roundings of the coordinates cannot be told from zero.
constexpr double kRoundings = 64;

/// Downhill towards the target from far away: against an upper bound where there is one, else along a lower
/// bound.
Vector default_direction(const ConvexSet& target) {
  const Bounds bounds = target.bounds();
  Vector direction = Vector::Ones(target.dim());
  for (int i = 0; i < target.dim(); ++i) {
    if (!std::isfinite(bounds.upper[i]) && std::isfinite(bounds.lower[i])) direction[i] = -1;
  }
  return direction;
}

}  // namespace

std::string to_string(Status status) {
  switch (status) {
    case Status::running:
      return "running";
    case Status::feasible:
      return "feasible";
    case Status::infeasible:
      return "infeasible";
    case Status::converged:
      return "converged";
    case Status::budget:
      return "budget";
    case Status::oracle_failed:
      return "oracle-failed";
  }
  return "";
}

Solver::Solver(SetPtr target, SolverOptions options)
    : target_(std::move(target)), options_(std::move(options)) {
  const auto check = [](bool condition, const char* field, const char* expected) {
    if (!condition) throw InputError({.field = field}, expected);
  };
  check(std::isfinite(options_.tolerance) && options_.tolerance > 0, "solver.tolerance",
        "expected a number above 0");
  check(options_.max_oracle_calls > 0, "solver.max_oracle_calls", "expected a whole number above 0");
  if (!options_.first_direction) {
    options_.first_direction = default_direction(*target_).normalized();
  } else {
    const Vector& given = *options_.first_direction;
    check(given.size() == target_->dim(), "solver.first_direction", "expected one number per measurement");
    check(given.allFinite(), "solver.first_direction", "expected finite numbers");
  }
}

std::optional<Vector> Solver::ask() const {
  if (status_ != Status::running) return std::nullopt;
  if (mixture_.empty()) return options_.first_direction;
  return next_direction();
}

Cycle Solver::tell(const Answer& answer) {
  assert(status_ == Status::running);
  const Vector& s = answer.point;
  if (s.size() != target_->dim()) {
    throw InputError(
        fmt::format("the oracle answered with {} measurements, expected {}", s.size(), target_->dim()));
  }
  if (!s.allFinite()) throw InputError("the oracle answered with a measurement that is not a finite number");
  Cycle cycle;
  cycle.call = ++calls_;
  cycle.atom = calls_;
  cycle.is_new = true;
  for (int i = 0; i < mixture_.size() && cycle.is_new && merges_duplicates(); ++i) {
    const Vector difference = mixture_.atoms.col(i) - s;
    const double near = kDuplicate * std::max(s.norm(), mixture_.atoms.col(i).norm());
    const bool within_noise = answer.standard_error.size() > 0 &&
                              (difference.array().abs() <= kNoise * answer.standard_error.array()).all();
    if (difference.norm() <= near || within_noise) {
      cycle.atom = mixture_.ids[i];
      cycle.is_new = false;
    }
  }
  const std::vector<int> before = mixture_.ids;

  weaken_certificate(s);
  take(answer, cycle.atom, cycle.is_new);

  std::vector<int> after = mixture_.ids;
  std::sort(after.begin(), after.end());
  for (const int id : before) {
    if (!std::binary_search(after.begin(), after.end(), id)) cycle.dropped.push_back(id);
  }
  cycle.atoms = mixture_.size();
  atoms_max_ = std::max(atoms_max_, cycle.atoms);
  cycle.distance = distance();
  cycle.distance_lower_bound = certificate_.bound;
  cycle.error_bound = error_bound();
  return cycle;
}

double Solver::error_bound() const {
  return 0.5 * (distance() - certificate_.bound) * (distance() + certificate_.bound);
}

void Solver::move_to(Mixture mixture) {
  mixture_ = std::move(mixture);
  projection_ = target_->project(mixture_.point);
  gradient_ = mixture_.point - projection_;
}

void Solver::certify(const Vector& normal, const Vector& farthest, const Answer& answer) {
  const Vector direction = normal.normalized();
  // The normal is the difference of two points; what cancels in it takes its rounding along.
  const double lost = kRoundings * kEpsilon * std::max(farthest.norm(), (farthest + normal).norm());
  const double bound = direction.dot(answer.point - farthest) - answer.slack - lost;
  if (certificate_.direction.size() > 0 && bound <= certificate_.bound) return;
  certificate_ = {direction,
                  farthest,
                  std::max(0.0, bound),
                  direction.dot(answer.point) - answer.slack,
                  direction.dot(farthest),
                  answer.grade};
}

void Solver::weaken_certificate(const Vector& point) {
  if (certificate_.direction.size() == 0 || certificate_.grade == Grade::proof) return;
  const double value = certificate_.direction.dot(point);
  if (value >= certificate_.achievable_at) return;
  certificate_.achievable_at = value;
  certificate_.bound = std::max(0.0, value - certificate_.target_at - rounding());
}

double Solver::noise(const Answer& answer) const {
  if (answer.standard_error.size() == 0) return 0;
  return kNoise * gradient_.normalized().cwiseProduct(answer.standard_error).norm();
}

double Solver::rounding() const {
  return kRoundings * kEpsilon * std::max(mixture_.point.norm(), projection_.norm());
}

double Solver::tolerance() const {
  return std::max(options_.tolerance, rounding());
}

}  // namespace c2rl
