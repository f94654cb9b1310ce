#include <algorithm>
#include <cmath>
#include <numbers>

#include "c2rl/base/decompositions.h"
#include "c2rl/nn/network.h"

namespace c2rl {
namespace {

Matrix normal_matrix(Eigen::Index rows, Eigen::Index cols, Rng& rng) {
  return Matrix::NullaryExpr(rows, cols, [&](Eigen::Index, Eigen::Index) { return rng.normal(); });
}

/// Orthonormal columns where there are not more than rows, else orthonormal rows; uniformly distributed.
Matrix orthogonal_matrix(Eigen::Index rows, Eigen::Index cols, Rng& rng) {
  if (rows < cols) return orthogonal_matrix(cols, rows, rng).transpose();
  return orthonormal_factor(normal_matrix(rows, cols, rng));  // being unique, it is uniform
}

double hidden_gain(Activation activation) {
  switch (activation) {
    case Activation::relu:
      return std::numbers::sqrt2;
    case Activation::tanh:
      return 5.0 / 3;
  }
  return 1;
}

}  // namespace

template <typename Scalar>
void BasicNetwork<Scalar>::initialize(Initialization initialization, const Rng& rng, double output_gain) {
  parameters_.setZero();
  for (size_t i = 0; i < layers_.size(); ++i) {
    const Layer& layer = layers_[i];
    const double gain = layer.hidden ? hidden_gain(shape_.activation) : output_gain;
    Rng stream = rng.fork("layer", i);
    c2rl::Matrix weights;
    switch (initialization) {
      case Initialization::orthogonal:
        weights = gain * orthogonal_matrix(layer.outputs, layer.inputs, stream);
        // Columns have length 1, or sqrt(outputs / inputs) where they cannot all be orthogonal.
        if (reads_indices(layer)) weights *= std::sqrt(std::max(layer.outputs, layer.inputs));
        break;
      case Initialization::he:
        weights = gain * normal_matrix(layer.outputs, layer.inputs, stream);
        if (!reads_indices(layer)) weights /= std::sqrt(layer.inputs);
        break;
    }
    weights_in(parameters_, layer) = weights.cast<Scalar>();
    // What is common has length 1 where it is a direction: it reaches the next layer as strongly as the inputs do.
    if (layer.common > 0) {
      Rng beside = stream.fork("common");
      const c2rl::Matrix common = gain * normal_matrix(layer.outputs, layer.common, beside);
      parameters_.segment(layer.biases + layer.outputs, common.size()) = common.reshaped().cast<Scalar>();
    }
  }
}

template void BasicNetwork<float>::initialize(Initialization, const Rng&, double);
template void BasicNetwork<double>::initialize(Initialization, const Rng&, double);

}  // namespace c2rl
