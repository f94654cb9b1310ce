#pragma once

#include <Eigen/Core>

namespace c2rl {

// A dueling network has a head for the value of a state and one for the advantages of its actions (Wang et
// al. 2016). Here a column is a state; `value` has one row, `advantage` and `q` one per action. The arguments
// are matrices, maps or blocks of Eigen.

/// q = value + advantage - mean(advantage): the mean is taken off since a constant could be moved between the
/// heads otherwise.
template <typename Value, typename Advantage, typename Q>
void dueling_values(const Value& value, const Advantage& advantage, Q&& q) {
  for (Eigen::Index s = 0; s < advantage.cols(); ++s) {
    q.col(s).array() = advantage.col(s).array() + (value(0, s) - advantage.col(s).mean());
  }
}

/// From d loss / d q those by value and by advantage, which have nothing in the direction of a constant.
template <typename Q, typename Value, typename Advantage>
void dueling_gradient(const Q& q_gradient, Value&& value_gradient, Advantage&& advantage_gradient) {
  for (Eigen::Index s = 0; s < q_gradient.cols(); ++s) {
    value_gradient(0, s) = q_gradient.col(s).sum();
    advantage_gradient.col(s).array() = q_gradient.col(s).array() - q_gradient.col(s).mean();
  }
}

}  // namespace c2rl
