#include "c2rl/mdp/relaxation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "c2rl/mdp/relaxation_sweeps.h"

namespace c2rl {
namespace {

/// Gauss-Seidel sweeps between two steps that measure how far off x is.
constexpr int kSweepsPerStep = 3;

/// The most of them once it is seen how much they do.
constexpr double kMostSweeps = 10;

/// Sweeps that cost as much as the Krylov method on a model that is not too bad for it: its factors, and some
/// 15 steps of two products and two solutions each.
constexpr double kKrylovWorth = 100;

/// Groups of sweeps that may pass without any progress before rounding is taken to be the cause.
constexpr int kIdleSteps = 8;

/// To what part of what was off single precision corrects it, where mixing is fast; finer takes more sweeps than it is worth.
constexpr double kSingleCorrects = 3e-6;

/// A correction in single precision must leave less than this of what was off, or double precision takes over.
constexpr double kWorthwhile = 0.1;

/// Of what is enough, what single precision is asked for, which knows it less exactly.
constexpr double kMargin = 0.5;

/// Corrections in double precision that may pass without any progress before rounding is taken to be the cause.
constexpr int kIdleRounds = 2;

/// What single precision says that it has reached is true, to this part of what was off.
constexpr double kSingleKnows = 1e-4;

/// By how much a sweep brings what is off down, on a logarithmic scale, as long as nothing is known of that.
constexpr double kGuess = 1;

/// By how much a sweep must bring what is off down, on a logarithmic scale, to be trusted to do so again.
constexpr double kFast = 0.3;

}  // namespace

Relaxation::Relaxation(SparseRows matrix)
    : matrix_(std::move(matrix)), weight_(matrix_.size()), lost_(matrix_.size()) {
  for (int i = 0; i < matrix_.size(); ++i) {
    entries_ = std::max(entries_, matrix_.begin[i + 1] - matrix_.begin[i]);
    solve_for_itself(i);
  }
  // Then most are.
  if (2 * std::ssize(matrix_.column) > (2 * std::ptrdiff_t{entries_} - 1) * matrix_.size()) alike_ = entries_;
}

bool Relaxation::replace(int row, std::span<const std::int32_t> column, std::span<const double> value) {
  if (std::ssize(column) != matrix_.begin[row + 1] - matrix_.begin[row]) return false;
  std::ranges::copy(column, matrix_.column.begin() + matrix_.begin[row]);
  std::ranges::copy(value, matrix_.value.begin() + matrix_.begin[row]);
  solve_for_itself(row);
  const auto update = [&](auto& known) {
    if (!known.empty())
      std::copy_n(matrix_.value.begin() + matrix_.begin[row], column.size(),
                  known.begin() + matrix_.begin[row]);
  };
  update(std::get<Work<float>>(work_).value);
  update(std::get<Work<double>>(work_).value);
  return true;
}

/// An entry on the diagonal becomes 0.
void Relaxation::solve_for_itself(int row) {
  double diagonal = 0, sum = 0;
  for (int e = matrix_.begin[row]; e < matrix_.begin[row + 1]; ++e) {
    sum += matrix_.value[e];
    if (matrix_.column[e] == row) diagonal += std::exchange(matrix_.value[e], 0.0);
  }
  weight_[row] = 1 - diagonal;
  lost_[row] = 1 - sum;
  if (diagonal == 0) return;
  for (int e = matrix_.begin[row]; e < matrix_.begin[row + 1]; ++e) matrix_.value[e] /= 1 - diagonal;
}

void Relaxation::take(const Matrix& b) {
  b_ = b;
  for (int i = 0; i < matrix_.size(); ++i) {
    if (weight_[i] != 1) b_.col(i) /= weight_[i];
  }
}

bool Relaxation::rows_lose_alike() const {
  constexpr double kAlike = 1.5;
  return lost_.minCoeff() > 0 && lost_.maxCoeff() <= kAlike * lost_.minCoeff();
}

/// What sweeps came to.
struct Relaxation::Swept {
  int sweeps = 0;
  double residual = 0;   // as it was before the last of them
  bool is_slow = false;  // to go on would take too long
};

/// Sweeps until no row is off by more than `goal`, or than rounding explains, or it is seen that all of them, until `end`, would
/// cost more than `worth` of them. Every few sweeps x becomes b + M x, shifted by a number: where all rows keep about the
/// same part of a unit, as without ends they keep the discount, what is common to the errors of all rows would go at that
/// rate only. The number is the one after which the residuals would sum to 0 if they were all alike, as errors that last are.
template <int kSystems, typename Real>
Relaxation::Swept Relaxation::sweep_to(const RelaxedRows<Real>& rows, Work<Real>& work, double goal,
                                       double end, double worth, const Pulse& listener) const {
  const int n = rows.size(), systems = rows.systems;
  const Vector kept = weight_ - lost_;
  const bool shifts = rows_lose_alike();
  std::vector<Real>&x = work.x, &off = work.off;
  off.resize(x.size());
  Vector carried(systems);
  Swept result;
  double least = kInfinity, last = kInfinity;
  int count = kSweepsPerStep;
  for (int idle = 0; idle < kIdleSteps;) {
    for (int i = 0; i < count; ++i) {
      pulse(listener);
      sweep<kSystems>(rows, x.data());
    }
    carried.setZero();
    const RelaxedStep step = residuals<kSystems>(rows, x.data(), kept.data(), off.data(), carried.data());
    const Vector shift = carried * (shifts ? 1 / lost_.sum() : 0.0);
    std::size_t at = 0;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < systems; ++j, ++at) x[at] += off[at] + static_cast<Real>(shift[j]);
    }
    result.sweeps += count + 1;
    result.residual = step.residual;
    const double rounding = 2.0 * std::numeric_limits<Real>::epsilon() * (entries_ + 2) * step.size;
    const double enough = std::max(goal, rounding);
    if (step.residual <= enough) return result;
    if (std::isfinite(last)) {
      const double decay = std::max(std::log(last / step.residual) / (count + 1), 0.0);
      result.is_slow = std::log(step.residual / end) > decay * worth;
      if (result.is_slow) return result;
      // As many as should do, of which the step was one.
      count = static_cast<int>(std::clamp(std::log(step.residual / enough) / decay, 1.0, kMostSweeps));
    }
    idle = step.residual < least ? 0 : idle + 1;
    least = std::min(least, step.residual);
    last = step.residual;
  }
  return result;
}

/// Adds to x what solves the equations with what x is off by for b, in units of the largest of it, as far as
/// `approach(equations, what is worked on)` gets.
template <typename Real, typename Approach>
auto Relaxation::correct(Matrix& x, double unit, Approach approach) {
  Work<Real>& work = std::get<Work<Real>>(work_);
  if (work.value.empty()) work.value.assign(matrix_.value.begin(), matrix_.value.end());
  work.b.resize(off_.size());
  for (Eigen::Index i = 0; i < off_.size(); ++i) work.b[i] = static_cast<Real>(off_.data()[i] / unit);
  work.x = work.b;
  const RelaxedRows<Real> rows{
      matrix_.begin, matrix_.column, work.value.data(), work.b.data(), static_cast<int>(x.rows()), alike_};
  const auto swept = approach(rows, work);
  for (Eigen::Index i = 0; i < x.size(); ++i) x.data()[i] += unit * static_cast<double>(work.x[i]);
  return swept;
}

/// Shifts x by the number after which what it is off by sums to 0, and that with it: x is then off by no common amount.
/// `carried` is the sum as it is. Returns the largest that is off.
double Relaxation::shift(Matrix& x, const Vector& carried) {
  if (rows_lose_alike()) {
    const Vector by = carried / lost_.sum();
    for (int i = 0; i < matrix_.size(); ++i) {
      const double part = lost_[i] / weight_[i];
      for (Eigen::Index j = 0; j < x.rows(); ++j) {
        x(j, i) += by[j];
        off_(j, i) -= part * by[j];
      }
    }
  }
  return off_.lpNorm<Eigen::Infinity>();
}

template <int kSystems>
int Relaxation::approach_by_sweeps(Matrix& x, double goal, const Pulse& listener) {
  const int systems = static_cast<int>(x.rows());
  const RelaxedRows<double> rows{matrix_.begin, matrix_.column, matrix_.value.data(),
                                 b_.data(),     systems,        alike_};
  off_.resize(systems, matrix_.size());
  int sweeps = 0, idle = 0;
  double least = kInfinity, worth = kKrylovWorth;
  bool single = true;
  // Where what is common to all rows is taken care of, sweeps need not be watched: as many as should do, by what those before
  // have done. Their number in the last correction, and its unit.
  bool trusted = rows_lose_alike();
  int unwatched = 0;
  double last = 0;
  for (;;) {
    Vector carried = Vector::Zero(systems);
    const RelaxedStep step = residuals<kSystems>(rows, x.data(), weight_.data(), off_.data(), carried.data());
    ++sweeps;
    const double enough = std::max(goal, 2 * kEpsilon * (entries_ + 2) * step.size);
    if (!(step.residual > enough) || !std::isfinite(step.residual)) return sweeps;
    if (trusted) {
      const double unit = shift(x, carried);
      if (!(unit > enough)) {  // that was all: it was off by the same everywhere
        trusted = false;       // and if it was not, that is for those who watch
        continue;
      }
      const double decay = unwatched == 0 ? kGuess : std::log(last / unit) / unwatched;
      trusted = decay > kFast;
      const double to_go = std::min(std::log(unit / (kMargin * enough)), -std::log(kSingleCorrects));
      unwatched = trusted ? static_cast<int>(std::ceil(to_go / decay)) : 0;
      last = unit;
      sweeps += correct<float>(x, unit, [&](const RelaxedRows<float>& equations, Work<float>& work) {
        for (int i = 0; i < unwatched; ++i) {
          pulse(listener);
          sweep<kSystems>(equations, work.x.data());
        }
        return unwatched;
      });
      continue;
    }
    if (single) {
      single = step.residual <= kWorthwhile * least;
    } else {
      idle = step.residual < least ? 0 : idle + 1;
      if (idle == kIdleRounds) return sweeps;
    }
    least = std::min(least, step.residual);
    const double unit = shift(x, carried);
    if (!(unit > enough)) continue;  // that was all: it was off by the same everywhere
    const double end = kMargin * enough / unit, reaches = single ? std::max(end, kSingleCorrects) : end;
    const auto watched = [&](const auto& equations, auto& work) {
      return sweep_to<kSystems>(equations, work, reaches, end, worth, listener);
    };
    const Swept swept = single ? correct<float>(x, unit, watched) : correct<double>(x, unit, watched);
    sweeps += swept.sweeps;
    if (swept.is_slow) {
      pulse(listener);
      if (matrix_.size() > kDirectLimit || !factorise(x)) krylov(x, enough, listener);
      worth *= 10;  // what did not help enough is not soon worth it again
    } else if (end >= kSingleKnows && swept.residual <= end) {
      return sweeps;
    }
  }
}

int Relaxation::approach(const Matrix& b, Matrix& x, double goal, const Pulse& listener) {
  take(b);
  return with_systems(x.rows(),
                      [&](auto systems) { return approach_by_sweeps<systems()>(x, goal, listener); });
}

}  // namespace c2rl
