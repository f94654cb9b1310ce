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

template <typename Scalar>
void BasicNetwork<Scalar>::set_common(const Eigen::Ref<const Vector>& common) {
  if (common.size() != shape_.common)
    throw std::invalid_argument("Network: as many numbers are common as its shape has");
  common_ = common;
}

template <typename Scalar>
BasicNetwork<Scalar> BasicNetwork<Scalar>::without_common() const {
  NetworkShape shape = shape_;
  shape.common = 0;
  BasicNetwork plain(shape, 1);
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const Layer &from = layers_[i], &to = plain.layers_[i];
    plain.weights_in(plain.parameters_, to) = weights_in(parameters_, from);
    auto biases = plain.parameters_.segment(to.biases, to.outputs);
    biases = parameters_.segment(from.biases, from.outputs);
    if (from.common > 0) biases += common_weights(from).lazyProduct(common_);
  }
  return plain;
}

using Floats = Eigen::Ref<const Eigen::VectorXf>;
using Doubles = Eigen::Ref<const Eigen::VectorXd>;
template void BasicNetwork<float>::change_inputs(const Floats&, const Floats&);
template void BasicNetwork<double>::change_inputs(const Doubles&, const Doubles&);
template void BasicNetwork<float>::scale_output(int, const Floats&);
template void BasicNetwork<double>::scale_output(int, const Doubles&);
template void BasicNetwork<float>::set_common(const Floats&);
template void BasicNetwork<double>::set_common(const Doubles&);
template BasicNetwork<float> BasicNetwork<float>::without_common() const;
template BasicNetwork<double> BasicNetwork<double>::without_common() const;

}  // namespace c2rl
