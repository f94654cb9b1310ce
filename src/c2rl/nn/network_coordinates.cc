// The same function in other coordinates of what goes in and comes out.
#include <stdexcept>

#include "c2rl/nn/network.h"

namespace c2rl {

template <typename Scalar>
void BasicNetwork<Scalar>::change_inputs(const Eigen::Ref<const Vector>& shift,
                                         const Eigen::Ref<const Vector>& scale) {
  if (shape_.indexed || shift.size() != shape_.inputs || scale.size() != shape_.inputs)
    throw std::invalid_argument("Network: a shift and a scale per feature are what changes inputs");
  for (const Layer& layer : layers_) {
    if (layer.source != kInput) continue;
    Eigen::Map<Matrix> weights = weights_in(parameters_, layer);
    auto biases = parameters_.segment(layer.biases, layer.outputs);
    for (int i = 0; i < layer.inputs; ++i) {
      biases += shift[i] * weights.col(i);
      weights.col(i) *= scale[i];
    }
  }
}

template <typename Scalar>
void BasicNetwork<Scalar>::scale_output(int head, const Eigen::Ref<const Vector>& factor) {
  const Layer& layer = layers_[outputs_.at(head)];
  if (factor.size() != layer.outputs) throw std::invalid_argument("Network: a factor per output");
  weights_in(parameters_, layer).array().colwise() *= factor.array();
  parameters_.segment(layer.biases, layer.outputs).array() *= factor.array();
}

using Floats = Eigen::Ref<const Eigen::VectorXf>;
using Doubles = Eigen::Ref<const Eigen::VectorXd>;
template void BasicNetwork<float>::change_inputs(const Floats&, const Floats&);
template void BasicNetwork<double>::change_inputs(const Doubles&, const Doubles&);
template void BasicNetwork<float>::scale_output(int, const Floats&);
template void BasicNetwork<double>::scale_output(int, const Doubles&);

}  // namespace c2rl
