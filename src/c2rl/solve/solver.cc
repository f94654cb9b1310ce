#include "c2rl/solve/solver.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

namespace c2rl {
namespace {

/// Answers nearer to an atom than this, relative to their size, are that atom.
constexpr double kDuplicate = 1e-12;

/// Downhill towards the target from far away: against an upper bound where there is one, else along a lower
/// bound. What the target leaves free is not asked for: it would take the oracle's effort from what counts.
Vector default_direction(const ConvexSet& target) {
  const Bounds bounds = target.bounds();
  Vector direction = target.constrained();
  if (direction.isZero(0)) direction.setOnes();
  for (int i = 0; i < target.dim(); ++i) {
    if (!std::isfinite(bounds.upper[i]) && std::isfinite(bounds.lower[i])) direction[i] *= -1;
  }
  return direction;
}

}  // namespace

const EnumNames<Status>& status_names() {
  static const EnumNames<Status> kNames("status", {"running", "feasible", "optimal", "infeasible", "stuck",
                                                   "undecided", "budget", "oracle-failed"});
  return kNames;
}

std::string to_string(Status status) {
  return status_names().of(status);
}

void SolverOptions::visit(OptionVisitor& visitor) {
  visitor.number(
      "tolerance", tolerance, above(0),
      "distance at which the mixture counts as inside the target, and gap (distance minus lower bound) "
      "at which it counts as nearest");
  visitor.integer("max_oracle_calls", max_oracle_calls, between(1, 1e9),
                  "oracle calls are the expensive thing, an RL run each: the solve ends after this many");
  visitor.vector(
      "first_direction", first_direction,
      "the outward normals of the target's bounds, where finite, else ones; zero for what it leaves free",
      "what the first call minimises, when there is no mixture yet; zero, which leaves the first answer "
      "to the oracle's tie rule, is what the paper's x0 = 0 asks when 0 is in the target");
}

Solver::Solver(SetPtr target, SolverOptions options)
    : target_(std::move(target)), options_(std::move(options)) {
  if (!target_) throw std::logic_error("a solver without a target");
  check_options(options_);
  if (!options_.first_direction) {
    options_.first_direction = default_direction(*target_).normalized();
    return;
  }
  const Vector& given = *options_.first_direction;
  const Place place{.field = "first_direction"};
  if (given.size() != target_->dim()) {
    throw InputError(place, fmt::format("found {} numbers, expected {}, one per measurement", given.size(),
                                        target_->dim()));
  }
  if (!given.allFinite()) throw InputError(place, "expected finite numbers");
}

std::optional<Vector> Solver::ask() const {
  if (status_ != Status::running) return std::nullopt;
  if (mixture_.empty()) return options_.first_direction;
  return next_direction();
}

Cycle Solver::tell(const Answer& answer) {
  if (status_ != Status::running) throw std::logic_error("an answer for a solve that has ended");
  check(answer);
  const Vector& s = answer.point;
  Cycle cycle;
  cycle.call = ++calls_;
  cycle.atom = calls_;
  cycle.is_new = true;
  for (int i = 0; i < mixture_.size() && cycle.is_new && merges_duplicates(); ++i) {
    const Vector difference = mixture_.atoms.col(i) - s;
    // Coordinate by coordinate: a large one says nothing about another.
    const auto near = kDuplicate * s.array().abs().max(mixture_.atoms.col(i).array().abs());
    if ((difference.array().abs() <= near).all()) {
      cycle.atom = mixture_.ids[i];
      cycle.is_new = false;
    }
  }
  const std::vector<int> before = mixture_.ids;

  weaken_certificate(s);
  take(answer, cycle.atom, cycle.is_new);
  // Here is a mixture no farther away than this, whatever rounding made of the bound.
  certificate_.bound = std::min(certificate_.bound, distance());

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

void Solver::give_up(const Answer& answer) {
  if (status_ != Status::running) throw std::logic_error("an answer for a solve that has ended");
  check(answer);
  weaken_certificate(answer.point);
  conclude(answer);
}

void Solver::check(const Answer& answer) const {
  const auto expect = [](bool holds, const std::string& fault) {
    if (!holds) throw InputError("the oracle answered with " + fault);
  };
  const int dim = target_->dim();
  expect(answer.point.size() == dim, fmt::format("{} measurements, expected {}", answer.point.size(), dim));
  expect(answer.point.allFinite(), "a measurement that is not a finite number");
  expect((answer.point.array().abs() <= kLargestNumber).all(), "a measurement beyond 1e100");
  expect(answer.slack >= 0, fmt::format("a slack of {}, expected 0 or more", answer.slack));
}

void Solver::move_to(Mixture mixture) {
  mixture_ = std::move(mixture);
  outward_ = target_->outward(mixture_.point);
  projection_ = mixture_.point - outward_.vector;
}

bool Solver::inside() const {
  const Vector sizes = mixture_.sizes();
  // Where no rounding could explain the distance there is no need to look closer.
  const double most = kRounding * (target_->dim() + 1) * (sizes.sum() + projection_.lpNorm<1>());
  return distance() <= options_.tolerance + most &&
         target_->excess(mixture_.point, sizes) <= options_.tolerance;
}

bool Solver::inside(const Vector& answer) const {
  return target_->excess(answer, answer.cwiseAbs()) <= options_.tolerance;
}

void Solver::certify(const Outward& normal, const Vector& farthest, const Answer& answer) {
  if (answer.slack == kInfinity) return;
  const double length = normal.vector.stableNorm();
  const Vector direction = normal.vector / length;
  // Each entry of the direction is good to the terms it adds up from, and multiplies numbers of this size.
  const Vector numbers =
      answer.point.cwiseAbs() + farthest.cwiseAbs() + (farthest + normal.vector).cwiseAbs();
  const double lost = kRounding * (normal.gross / length).dot(numbers);
  const double target_at = direction.dot(farthest) + normal.beyond / length;
  const double bound = direction.dot(answer.point - farthest) - normal.beyond / length - answer.slack - lost;
  if (certificate_.direction.size() > 0 && bound <= certificate_.bound) return;
  certificate_ = {.direction = direction,
                  .target_point = farthest,
                  .bound = std::max(0.0, bound),
                  .achievable_at = direction.dot(answer.point) - answer.slack,
                  .target_at = target_at,
                  .slack = answer.slack,
                  .grade = answer.grade};
}

void Solver::weaken_certificate(const Vector& point) {
  if (certificate_.direction.size() == 0 || certificate_.grade == Grade::proof) return;
  const double value = certificate_.direction.dot(point);
  if (value >= certificate_.achievable_at) return;
  certificate_.achievable_at = value;
  certificate_.slack = 0;  // it rests on this answer now, taken as it is
  certificate_.bound = std::max(0.0, value - certificate_.target_at - rounding());
}

Status Solver::nearest_status() const {
  if (certificate_.grade == Grade::evidence) return Status::stuck;
  return certificate_.bound > tolerance() ? Status::infeasible : Status::undecided;
}

double Solver::rounding() const {
  const double length = distance();
  if (length == 0) return 0;
  return kRounding * (outward_.gross / length).dot(mixture_.sizes().cwiseMax(projection_.cwiseAbs()));
}

double Solver::tolerance() const {
  return std::max(options_.tolerance, rounding());
}

}  // namespace c2rl
