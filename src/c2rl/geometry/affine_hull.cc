#include "c2rl/geometry/affine_hull.h"

#include <cmath>

namespace c2rl {
namespace {

/// An atom whose part outside the hull is smaller than this, relative to its distance from the center,
/// depends on it.
constexpr double kDependent = 1e-10;
/// Each atom's coordinates are themselves only known to this, relative to their size.
constexpr double kCoordinateRounding = 8 * kEpsilon;
/// Rounding in the updates adds up slowly; after this many the factor is computed anew.
constexpr int kUpdatesBeforeRefactoring = 100;
/// A column this much longer than the border asks for a longer border.
constexpr double kBorderRange = 8;

}  // namespace

bool AffineHull::insert(const Vector& atom, Vector& combination) {
  const int count = size();
  if (count == 0) center_ = atom;
  const double length = (atom - center_).cwiseProduct(counted_).norm();
  if (length > 0 && (count == 1 || length > kBorderRange * sigma_)) {
    sigma_ = length;
    refactor();
  }

  Vector coefficients, outside;
  factor_.decompose(bordered(atom), coefficients, outside);
  const double threshold = std::max(kDependent * std::hypot(length, sigma_),
                                    kCoordinateRounding * atom.cwiseProduct(counted_).norm());
  if (count > 0 && outside.norm() <= threshold) {
    combination = factor_.solve_r(coefficients);
    combination /= combination.sum();  // what is outside may be of the border
    return false;
  }
  if (atoms_.cols() == count) atoms_.conservativeResize(dim(), std::max(8, 2 * count));
  atoms_.col(count) = atom;
  factor_.append(coefficients, outside);
  if (++updates_ >= kUpdatesBeforeRefactoring) refactor();
  return true;
}

void AffineHull::remove(int index) {
  const int behind = size() - index - 1;
  atoms_.middleCols(index, behind) = atoms_.middleCols(index + 1, behind).eval();
  factor_.remove(index);
  if (++updates_ >= kUpdatesBeforeRefactoring) refactor();
}

void AffineHull::clear() {
  factor_.clear();
  updates_ = 0;
}

Vector AffineHull::minimizer(const Vector& w) const {
  // B'B alpha = (S - center)'(w - center) + kappa 1, with kappa chosen so that the coefficients sum to 1.
  const Vector shift = factor_.solve_r(border());
  const auto solve = [&](const Vector& offset, double sum) {
    const Vector fit = factor_.solve_r(q().transpose() * offset);
    return Vector(fit + ((sum - fit.sum()) / shift.sum()) * shift);
  };
  // Where the hull is tiny next to its distance from w, the terms are large and their sum keeps only part of
  // the digits: make it sum to 1, and correct it once by what it misses.
  Vector alpha = solve(w - center_, 1);
  alpha /= alpha.sum();
  alpha += solve(w - atoms() * alpha, 0);
  return alpha / alpha.sum();
}

Vector AffineHull::bordered(const Vector& atom) const {
  Vector column(dim() + 1);
  column << (atom - center_).cwiseProduct(counted_), sigma_;
  return column;
}

void AffineHull::refactor() {
  updates_ = 0;
  const int count = size();
  if (count > 0) center_ = atoms_.col(0);
  factor_.clear();
  Vector coefficients, outside;
  for (int i = 0; i < count; ++i) {
    factor_.decompose(bordered(atoms_.col(i)), coefficients, outside);
    factor_.append(coefficients, outside);
  }
}

}  // namespace c2rl
