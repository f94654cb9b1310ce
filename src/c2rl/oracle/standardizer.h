#pragma once

#include <Eigen/Core>

#include "c2rl/base/state_visitor.h"
#include "c2rl/base/vector.h"
#include "c2rl/nn/network.h"

namespace c2rl {

/// Brings what a network sees to mean 0 and spread 1, as far as it has been seen. Whenever that changes, so do
/// the network's first layers, so that it stays the same function of the features themselves: what was learnt is
/// kept, and a policy is saved as a network that reads them as they are.
class Standardizer {
 public:
  explicit Standardizer(int features);

  /// Takes note of what is seen; without effect until `renew`.
  void add(const Eigen::Ref<const Eigen::VectorXf>& features);
  void renew(Network& network);
  /// Makes of the network, which reads standardized features, one that reads them as they are.
  void undo(Network& network) const;

  /// Columns of features as the network is to read them.
  template <typename In, typename Out>
  void apply(const In& in, Out&& out) const {
    out = ((in.colwise() - shift_).array().colwise() * inverse_.array()).matrix();
  }

  void visit(StateVisitor& state);

 private:
  double count_ = 0;
  Vector mean_, squares_;  // squares_: the sum of squared distances from the mean
  Eigen::VectorXf shift_, scale_, inverse_;
  Eigen::VectorXf step_shift_, step_scale_;  // room for `renew`
};

}  // namespace c2rl
