#include "c2rl/nn/network.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/nn/add_product.h"

namespace c2rl {
namespace {

/// Of all layers for all inputs together: 2 GiB, as each has a derivative, too.
constexpr double kMostValues = 1 << 28;

template <typename Matrix>
void activate(Activation activation, Eigen::Map<Matrix> values) {
  switch (activation) {
    case Activation::relu:
      values = values.cwiseMax(0);
      return;
    case Activation::tanh:
      values.array() = values.array().tanh();
      return;
  }
}

/// From d loss / d values to d loss / d (what the activation was given), which the values themselves tell.
template <typename Matrix>
void differentiate(Activation activation, Eigen::Map<Matrix> values, Eigen::Map<Matrix> deltas) {
  using Scalar = typename Matrix::Scalar;
  const Scalar* value = values.data();
  Scalar* delta = deltas.data();
  switch (activation) {
    case Activation::relu:
      for (Eigen::Index i = 0; i < deltas.size(); ++i) delta[i] = value[i] > 0 ? delta[i] : Scalar(0);
      return;
    case Activation::tanh:
      deltas.array() *= 1 - values.array().square();
      return;
  }
}

}  // namespace

template <typename Scalar>
BasicNetwork<Scalar>::BasicNetwork(NetworkShape shape, int capacity)
    : shape_(std::move(shape)), capacity_(capacity) {
  shape_.validate();
  if (capacity < 1)
    throw std::invalid_argument(fmt::format("Network: capacity is {}, not positive", capacity));

  double values = 0;
  for (const int width : shape_.trunk) values += width;
  for (const NetworkShape::Head& head : shape_.heads)
    values += std::accumulate(head.hidden.begin(), head.hidden.end(), double{1} * head.outputs);
  values *= capacity;
  if (values > kMostValues) {
    throw InputError(
        {.field = "network"},
        fmt::format("found {} inputs together and {:.0f} values of its layers for them, expected at most "
                    "{:.0f}: fewer inputs, or narrower layers",
                    capacity, values, kMostValues));
  }

  int trunk = kInput;
  for (const int width : shape_.trunk) trunk = add_layer(trunk, width, /*hidden=*/true);
  for (const NetworkShape::Head& head : shape_.heads) {
    int last = trunk;
    for (const int width : head.hidden) last = add_layer(last, width, /*hidden=*/true);
    outputs_.push_back(add_layer(last, head.outputs, /*hidden=*/false));
  }
  const Layer& last = layers_.back();
  parameters_ = Vector::Zero(last.biases + Eigen::Index{last.outputs} * (1 + last.common));
  gradient_ = Vector::Zero(parameters_.size());
  common_ = Vector::Zero(shape_.common);
  int widest = 0;
  for (const Layer& layer : layers_) widest = std::max(widest, layer.common > 0 ? layer.outputs : 0);
  sums_ = Vector::Zero(widest);
  if (shape_.indexed) {
    states_.resize(capacity);
  } else {
    features_.resize(shape_.inputs, capacity);
    input_deltas_.resize(shape_.inputs, capacity);
  }
}

template <typename Scalar>
int BasicNetwork<Scalar>::add_layer(int source, int outputs, bool hidden) {
  Layer layer;
  layer.source = source;
  layer.inputs = source == kInput ? shape_.inputs : layers_[source].outputs;
  layer.outputs = outputs;
  layer.hidden = hidden;
  layer.weights = 0;
  if (!layers_.empty()) {
    const Layer& before = layers_.back();
    layer.weights = before.biases + Eigen::Index{before.outputs} * (1 + before.common);
  }
  layer.biases = layer.weights + Eigen::Index{layer.inputs} * outputs;
  layer.common = source == kInput ? shape_.common : 0;
  layer.values = Matrix::Zero(outputs, capacity_);
  layer.deltas = Matrix::Zero(outputs, capacity_);
  layers_.push_back(std::move(layer));
  return static_cast<int>(layers_.size()) - 1;
}

template <typename Scalar>
void BasicNetwork<Scalar>::forward(std::span<const int> states) {
  if (!shape_.indexed) throw std::invalid_argument("Network: states for a network that reads features");
  if (states.size() > states_.size()) {
    throw std::invalid_argument(fmt::format("Network: {} inputs, capacity {}", states.size(), capacity_));
  }
  for (const int state : states) {
    if (state < 0 || state >= shape_.inputs) {
      throw std::invalid_argument(fmt::format("Network: state {} of {}", state, shape_.inputs));
    }
  }
  batch_ = static_cast<int>(states.size());
  std::ranges::copy(states, states_.begin());
  for (Layer& layer : layers_) forward_layer(layer);
}

template <typename Scalar>
void BasicNetwork<Scalar>::forward(const Eigen::Ref<const Matrix>& features) {
  if (shape_.indexed) throw std::invalid_argument("Network: features for a network that reads states");
  if (features.rows() != shape_.inputs || features.cols() > capacity_) {
    throw std::invalid_argument(fmt::format("Network: {} inputs of {} features, expected at most {} of {}",
                                            features.cols(), features.rows(), capacity_, shape_.inputs));
  }
  batch_ = static_cast<int>(features.cols());
  features_.leftCols(batch_) = features;
  for (Layer& layer : layers_) forward_layer(layer);
}

template <typename Scalar>
void BasicNetwork<Scalar>::forward_layer(Layer& layer) {
  const Eigen::Map<const Matrix> weights = weights_in(std::as_const(parameters_), layer);
  const Scalar* added = parameters_.data() + layer.biases;
  if (layer.common > 0) {
    sums_.head(layer.outputs) =
        Eigen::Map<const Vector>(added, layer.outputs) + common_weights(layer).lazyProduct(common_);
    added = sums_.data();
  }
  const Eigen::Map<const Vector> biases(added, layer.outputs);
  Eigen::Map<Matrix> sums = values(layer);
  if (reads_indices(layer)) {
    for (int i = 0; i < batch_; ++i) sums.col(i) = weights.col(states_[i]) + biases;
  } else {
    sums.colwise() = biases;
    add_product(sums, weights, inputs_of(layer));
  }
  if (layer.hidden) activate(shape_.activation, sums);
}

template <typename Scalar>
void BasicNetwork<Scalar>::backward() {
  gradient_.setZero();
  for (Layer& layer : layers_) {
    if (layer.hidden) deltas(layer).setZero();
  }
  for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) backward_layer(*layer);
}

template <typename Scalar>
void BasicNetwork<Scalar>::backward_to_inputs() {
  if (shape_.indexed) throw std::invalid_argument("Network: no gradient by states, which are numbers");
  backward();
  Eigen::Map<Matrix> sum(input_deltas_.data(), shape_.inputs, batch_);
  sum.setZero();
  for (Layer& layer : layers_) {
    if (layer.source != kInput) continue;
    const Eigen::Map<Matrix> delta = deltas(layer);
    add_product(sum, weights_in(std::as_const(parameters_), layer).transpose(), delta);
  }
}

template <typename Scalar>
void BasicNetwork<Scalar>::backward_layer(Layer& layer) {
  const Eigen::Map<Matrix> delta = deltas(layer);
  if (layer.hidden) differentiate(shape_.activation, values(layer), delta);

  auto bias_gradient = gradient_.segment(layer.biases, layer.outputs);
  for (int i = 0; i < batch_; ++i) bias_gradient += delta.col(i);
  for (int k = 0; k < layer.common; ++k)
    gradient_.segment(layer.biases + Eigen::Index{layer.outputs} * (1 + k), layer.outputs) =
        common_[k] * bias_gradient;

  Eigen::Map<Matrix> weight_gradient = weights_in(gradient_, layer);
  if (reads_indices(layer)) {
    for (int i = 0; i < batch_; ++i) weight_gradient.col(states_[i]) += delta.col(i);
  } else {
    add_product(weight_gradient, delta, inputs_of(layer).transpose());
  }
  if (layer.source != kInput) {
    Eigen::Map<Matrix> source_deltas = deltas(layers_[layer.source]);
    add_product(source_deltas, weights_in(std::as_const(parameters_), layer).transpose(), delta);
  }
}

template <typename Scalar>
auto BasicNetwork<Scalar>::inputs_of(const Layer& layer) const -> Eigen::Map<const Matrix> {
  const Matrix& inputs = layer.source == kInput ? features_ : layers_[layer.source].values;
  return {inputs.data(), layer.inputs, batch_};
}

template <typename Scalar>
auto BasicNetwork<Scalar>::output(int head) const -> Eigen::Map<const Matrix> {
  const Layer& layer = layers_[outputs_.at(head)];
  return {layer.values.data(), layer.outputs, batch_};
}

template <typename Scalar>
auto BasicNetwork<Scalar>::output_gradient(int head) -> Eigen::Map<Matrix> {
  return deltas(layers_[outputs_.at(head)]);
}

template class BasicNetwork<float>;
template class BasicNetwork<double>;

}  // namespace c2rl
