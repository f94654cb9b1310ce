#include "c2rl/solve/sparsify.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "c2rl/base/decompositions.h"
#include "c2rl/solve/corral.h"

namespace c2rl {
namespace {

/// A constraint with less slack than this, relative to the size of its numbers, is tight.
constexpr double kTight = 1e-10;

/// The furthest the weights can go along `change` before one is zero: the step and that atom.
std::pair<double, int> first_zero(const Vector& weights, const Vector& change) {
  std::pair<double, int> first = {kInfinity, -1};
  for (int i = 0; i < weights.size(); ++i) {
    if (change[i] < 0 && weights[i] < -change[i] * first.first) first = {-weights[i] / change[i], i};
  }
  return first;
}

}  // namespace

Mixture sparsify(const Mixture& mixture, const ConvexSet& target) {
  if (!mixture.empty() && mixture.point.size() != target.dim()) {
    throw std::logic_error(
        fmt::format("a mixture of R^{} for a target of R^{}", mixture.point.size(), target.dim()));
  }
  if (!target.is_polyhedral() || mixture.size() < 2) return mixture;
  Halfspaces faces = target.halfspaces();
  const Vector lengths = faces.normals.rowwise().norm();
  faces.normals = lengths.cwiseInverse().asDiagonal() * faces.normals;
  faces.offsets = faces.offsets.cwiseQuotient(lengths);
  const Vector nearest = target.project(mixture.point);
  const Vector numbers = mixture.sizes().cwiseMax(nearest.cwiseAbs());
  const Vector sizes = faces.normals.cwiseAbs() * numbers + faces.offsets.cwiseAbs();

  // Moving the weights along `change` moves the point by S change, and its projection by the same vector as
  // long as that runs along the tight constraints and breaks no other: the distance stays.
  const Matrix effect = faces.normals * mixture.atoms;
  Vector slack = faces.offsets - faces.normals * nearest;
  std::vector<int> atoms(static_cast<size_t>(mixture.size())), tight;
  for (int i = 0; i < mixture.size(); ++i) atoms[i] = i;
  for (int i = 0; i < slack.size(); ++i) {
    if (slack[i] <= kTight * sizes[i]) tight.push_back(i);
  }
  Vector weights = mixture.weights;
  while (atoms.size() > 1) {
    Matrix fixed(tight.size() + 1, atoms.size());
    fixed.topRows(static_cast<Eigen::Index>(tight.size())) = effect(tight, atoms);
    // Rows of one size each, so that none counts as zero beside a larger one.
    for (Eigen::Index row = 0; row + 1 < fixed.rows(); ++row) {
      const double largest = fixed.row(row).lpNorm<Eigen::Infinity>();
      if (largest > 0) fixed.row(row) /= largest;
    }
    fixed.bottomRows(1).setConstant(1);
    const Matrix free = kernel(fixed);
    if (free.cols() == 0) break;
    Vector change = free.col(0).normalized();

    // Along one sign or the other an atom leaves or a constraint becomes tight; prefer that an atom leaves.
    const auto until_tight = [&](const Vector& direction) {
      const Vector use = effect(Eigen::all, atoms) * direction;
      std::pair<double, int> first = {kInfinity, -1};
      for (int i = 0; i < slack.size(); ++i) {
        if (std::find(tight.begin(), tight.end(), i) != tight.end() || use[i] <= 0) continue;
        if (slack[i] < use[i] * first.first) first = {slack[i] / use[i], i};
      }
      return first;
    };
    auto [to_zero, leaving] = first_zero(weights, change);
    auto [to_tight, tightened] = until_tight(change);
    if (to_tight < to_zero) {
      const Vector back = -change;
      const auto [back_zero, back_leaving] = first_zero(weights, back);
      const auto [back_tight, back_tightened] = until_tight(back);
      if (back_zero <= back_tight) {
        change = back;
        to_zero = back_zero, leaving = back_leaving, to_tight = back_tight, tightened = back_tightened;
      }
    }
    const double step = std::min(to_zero, to_tight);
    slack -= step * (effect(Eigen::all, atoms) * change);
    weights += step * change;
    if (to_zero <= to_tight) {
      weights[leaving] = 0;
    } else {
      tight.push_back(tightened);
    }
    std::vector<int> kept, kept_atoms;
    for (int i = 0; i < weights.size(); ++i) {
      if (weights[i] > kZeroWeight) {
        kept.push_back(i);
        kept_atoms.push_back(atoms[i]);
      }
    }
    weights = weights(kept).eval();
    atoms = kept_atoms;
  }

  Mixture sparse = mixture;
  sparse.keep(atoms);
  sparse.weights = weights / weights.sum();
  sparse.update_point();
  return sparse;
}

}  // namespace c2rl
