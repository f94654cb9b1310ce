#include "c2rl/geometry/dual_active_set.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace c2rl {
namespace {

/// A unit normal whose part outside the span of the active ones is shorter than this is dependent on them.
constexpr double kDependent = 1e-10;
/// A violation that no dependent halfspace can repair counts as a conflict only beyond this, relative to the
/// sizes involved; below it the halfspaces touch and the point is left where it is.
constexpr double kConflict = 1e-11;
/// The method is finite, each step coming closer to the set; rounding could make it cycle, but by less than
/// rounding.
constexpr int kMaxSteps = 100000;

}  // namespace

DualActiveSet::DualActiveSet(const Vector& x) : x_(x), z_(x), factor_(static_cast<int>(x.size())) {}

double DualActiveSet::feasibility_tolerance(const Vector& normal, double offset) const {
  constexpr double kRoundings = 16;
  return kRoundings * kEpsilon * size(normal, offset);
}

double DualActiveSet::size(const Vector& normal, double offset) const {
  return std::max(std::abs(offset), normal.cwiseAbs().dot(x_.cwiseAbs().cwiseMax(z_.cwiseAbs())));
}

bool DualActiveSet::enforce(const Vector& normal, double offset, int id) {
  double multiplier = 0;  // of the entering halfspace
  Vector coefficients, outside;
  while (true) {
    const double violation = normal.dot(z_) - offset;
    factor_.decompose(normal, coefficients, outside);
    const Vector exchange = factor_.solve_r(coefficients);  // normal = sum exchange_j normal_j + outside
    const bool dependent = outside.norm() <= kDependent;

    // The largest step before an active multiplier would turn negative, and the step that repairs the
    // violation.
    int leaving = -1;
    double longest = kInfinity;
    for (int j = 0; j < factor_.columns(); ++j) {
      if (exchange[j] > kDependent && multipliers_[j] < longest * exchange[j]) {
        longest = multipliers_[j] / exchange[j];
        leaving = j;
      }
    }
    const double repairing = dependent ? kInfinity : violation / outside.squaredNorm();

    if (dependent && leaving < 0) {
      if (violation <= kConflict * size(normal, offset)) return true;
      conflict_ = {id};
      for (int j = 0; j < factor_.columns(); ++j) {
        if (exchange[j] < -kDependent) conflict_.push_back(ids_[j]);
      }
      return false;
    }

    const double step = std::min(longest, repairing);
    multiplier += step;
    multipliers_ -= step * exchange;
    if (!dependent) z_ -= step * outside;
    if (step == repairing) {
      factor_.append(coefficients, outside);
      if (normals_.cols() < factor_.columns()) {
        normals_.conservativeResize(x_.size(), 2 * Eigen::Index{factor_.columns()});
      }
      normals_.col(factor_.columns() - 1) = normal;
      ids_.push_back(id);
      offsets_.push_back(offset);
      excess_.push_back(normal.dot(x_) - offset);
      multipliers_.conservativeResize(factor_.columns());
      multipliers_[factor_.columns() - 1] = multiplier;
      refresh();
      return true;
    }
    drop(leaving);
  }
}

bool DualActiveSet::enforce_all(const Matrix& a, const Vector& lower, const Vector& upper) {
  // Each row takes the point farther from x. Where that is lost in rounding, the rows that hold it take turns, and
  // what is left of their violations is rounding, too.
  constexpr double kGrown = 1 + 1e-13;
  const int patience = 4 * static_cast<int>(a.rows()) + 100;
  double way = 0;
  Vector values(a.rows());
  for (int step = 0, last = 0; step < kMaxSteps && step - last < patience; ++step) {
    if (const double now = (x_ - z_).stableNorm(); now > kGrown * way) {
      way = now;
      last = step;
    }
    values.noalias() = a * z_;
    double worst = 0;
    int row = -1;
    for (int i = 0; i < a.rows(); ++i) {
      const double violation = std::max(values[i] - upper[i], lower[i] - values[i]);
      if (violation <= worst) continue;
      const double bound = values[i] > upper[i] ? upper[i] : lower[i];
      if (violation <= feasibility_tolerance(a.row(i).transpose(), bound)) continue;
      // A row that holds the point already is violated by rounding only.
      if (std::find(ids_.begin(), ids_.end(), i) != ids_.end()) continue;
      worst = violation;
      row = i;
    }
    if (row < 0) return true;
    const double sign = values[row] > upper[row] ? 1 : -1;
    const double offset = sign > 0 ? upper[row] : -lower[row];
    if (!enforce(sign * a.row(row).transpose(), offset, row)) return false;
  }
  return true;
}

Outward DualActiveSet::outward() const {
  if (ids_.empty()) return {Vector::Zero(x_.size()), Vector::Zero(x_.size())};
  Outward result;
  result.gross = normals().cwiseAbs() * multipliers_;
  // Where normals are nearly parallel, multipliers are huge and cancel; their sum is better had from the basis.
  result.vector = factor_.q() * factor_.solve_r_transposed(excess());
  result.vector = (result.gross.array() > 0).select(result.vector, 0);
  const Eigen::Map<const Vector> offsets(offsets_.data(), std::ssize(offsets_));
  result.beyond = std::max(0.0, multipliers_.dot(offsets - normals().transpose() * (x_ - result.vector)));
  return result;
}

/// Nearly parallel normals leave the basis as much less exact as their angle is small, and coordinates of other sizes make
/// that plain. Multipliers to more digits, each round with what is left of R'R u = N'x - b, have no basis in them.
Outward DualActiveSet::sharp_outward() const {
  using Long = Eigen::Matrix<long double, Eigen::Dynamic, 1>;
  using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  constexpr double kSmall = 1e-3, kTooSmall = 1e-7;  // sines; below the second, what is left does not shrink
  constexpr int kRounds = 4;
  const double sine = factor_.least_diagonal();
  if (sine >= kSmall || sine <= kTooSmall) return outward();
  const LongMatrix n = normals().cast<long double>();
  const Eigen::Map<const Vector> offsets(offsets_.data(), std::ssize(offsets_));
  const Long excess = n.transpose() * x_.cast<long double>() - offsets.cast<long double>();
  Long u = multipliers_.cast<long double>(), vector = n * u;
  for (int round = 0; round < kRounds; ++round) {
    const Vector left = (excess - n.transpose() * vector).cast<double>();
    u += factor_.solve_r(factor_.solve_r_transposed(left)).cast<long double>();
    vector = n * u;
  }
  if (!(u.minCoeff() >= 0)) return outward();  // one does not hold the point, which the basis makes light of
  Outward result;
  result.gross = (n.cwiseAbs() * u).cast<double>();
  result.vector = vector.cast<double>();
  result.beyond = std::max(0.0, static_cast<double>(u.dot(n.transpose() * vector - excess)));
  return result;
}

Vector DualActiveSet::push(int id) const {
  Vector selected = multipliers_;
  for (int j = 0; j < factor_.columns(); ++j) {
    if (ids_[j] != id) selected[j] = 0;
  }
  return factor_.q() * factor_.multiply_r(selected);
}

void DualActiveSet::drop(int index) {
  factor_.remove(index);
  ids_.erase(ids_.begin() + index);
  offsets_.erase(offsets_.begin() + index);
  for (int j = index; j < factor_.columns(); ++j) normals_.col(j) = normals_.col(j + 1);
  excess_.erase(excess_.begin() + index);
  const Eigen::Index behind = multipliers_.size() - index - 1;
  multipliers_.segment(index, behind) = multipliers_.tail(behind).eval();
  multipliers_.conservativeResize(multipliers_.size() - 1);
}

void DualActiveSet::refresh() {
  /// Of the way from x: a halfspace that pulls by more does not hold the point, and it shows.
  constexpr double kPull = 1e-9;
  while (true) {
    // z = x - N u with N' z = b:  R'R u = N'x - b, N = Q R.
    const Vector along = factor_.solve_r_transposed(excess());
    z_ = x_ - factor_.q() * along;
    multipliers_ = factor_.solve_r(along);
    // Where normals are nearly parallel, that one had to leave is found out only here.
    Eigen::Index least = 0;
    const double pull = -multipliers_.minCoeff(&least);
    if (factor_.columns() < 2 || pull <= std::max(kPull * along.norm(), kRounding * multipliers_.maxCoeff()))
      break;
    drop(static_cast<int>(least));
  }
  // Multipliers that rounding turned negative are zero.
  multipliers_ = multipliers_.cwiseMax(0.0);
}

}  // namespace c2rl
