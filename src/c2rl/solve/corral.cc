#include "c2rl/solve/corral.h"

namespace c2rl {

void Corral::reset(int id, const Vector& atom) {
  hull_.clear();
  Vector combination;
  hull_.insert(atom, combination);
  ids_ = {id};
  weights_ = Vector::Ones(1);
}

void Corral::insert(int id, const Vector& atom) {
  double weight = 0;
  Vector combination;
  while (!hull_.insert(atom, combination)) {
    // atom = sum combination_i atom_i: shift weight from the others onto it until one of them has none left.
    int leaving = -1;
    double shift = kInfinity;
    for (int i = 0; i < size(); ++i) {
      if (combination[i] > 0 && weights_[i] < shift * combination[i]) {
        shift = weights_[i] / combination[i];
        leaving = i;
      }
    }
    weights_ -= shift * combination;
    weight += shift;
    remove(leaving);
    weights_ = weights_.cwiseMax(0.0);
    if (size() == 0) weight = 1;
  }
  ids_.push_back(id);
  weights_.conservativeResize(size());
  weights_[size() - 1] = weight;
  weights_ /= weights_.sum();
}

double Corral::reach(const Vector& alpha, int& leaving) const {
  double theta = 1;
  leaving = -1;
  for (int i = 0; i < size(); ++i) {
    if (alpha[i] > kZeroWeight) continue;
    const double fall = weights_[i] - alpha[i];
    const double part = fall > 0 ? weights_[i] / fall : 0.0;
    if (part <= theta) {
      theta = part;
      leaving = i;
    }
  }
  return theta;
}

void Corral::move_towards(const Vector& alpha) {
  int leaving = -1;
  const double theta = reach(alpha, leaving);
  weights_ += theta * (alpha - weights_);
  if (leaving >= 0) weights_[leaving] = 0;
  for (int i = size() - 1; i >= 0; --i) {
    if (weights_[i] <= kZeroWeight && size() > 1) remove(i);
  }
  weights_ /= weights_.sum();
}

Mixture Corral::mixture() const {
  std::vector<int> kept;
  for (int i = 0; i < size(); ++i) {
    if (weights_[i] > kZeroWeight) kept.push_back(i);
  }
  Mixture mixture{.ids = ids_, .atoms = hull_.atoms(), .weights = weights_};
  mixture.keep(kept);
  mixture.weights /= weights_(kept).sum();
  mixture.update_point();
  return mixture;
}

void Corral::remove(int index) {
  hull_.remove(index);
  ids_.erase(ids_.begin() + index);
  const Eigen::Index behind = weights_.size() - index - 1;
  weights_.segment(index, behind) = weights_.tail(behind).eval();
  weights_.conservativeResize(weights_.size() - 1);
}

}  // namespace c2rl
