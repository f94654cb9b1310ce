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
/// Multiplications that another thread is asked for: some 3 microseconds of them where it has a branch to itself, of which
/// nothing but what goes in and comes out moves from core to core; pieces of a batch read all weights, and sum up what
/// others have computed.
constexpr double kLeastOfABranch = 1e5, kLeastOfAPiece = 1e6;

/// Heads that share no layer.
int branches_of(const NetworkShape& shape) {
  return shape.trunk.empty() ? static_cast<int>(shape.heads.size()) : 1;
}

template <typename Values>
void activate(Activation activation, Values&& values) {
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
template <typename Values, typename Deltas>
void differentiate(Activation activation, const Values& values, Deltas&& deltas) {
  using Scalar = typename Values::Scalar;
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
  layer.sums.resize(layer.common > 0 ? outputs : 0);
  multiplications_ += std::int64_t{outputs} * (reads_indices(layer) ? 1 : layer.inputs);
  layer.values = Matrix::Zero(outputs, capacity_);
  layer.deltas = Matrix::Zero(outputs, capacity_);
  layers_.push_back(std::move(layer));
  return static_cast<int>(layers_.size()) - 1;
}

template <typename Scalar>
void BasicNetwork<Scalar>::forward(std::span<const int> states, Team& team) {
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
  forward(team);
}

template <typename Scalar>
void BasicNetwork<Scalar>::forward(const Eigen::Ref<const Matrix>& features, Team& team) {
  if (shape_.indexed) throw std::invalid_argument("Network: features for a network that reads states");
  if (features.rows() != shape_.inputs || features.cols() > capacity_) {
    throw std::invalid_argument(fmt::format("Network: {} inputs of {} features, expected at most {} of {}",
                                            features.cols(), features.rows(), capacity_, shape_.inputs));
  }
  batch_ = static_cast<int>(features.cols());
  features_.leftCols(batch_) = features;
  forward(team);
}

template <typename Scalar>
int BasicNetwork<Scalar>::most_parts(const NetworkShape& shape, int inputs) {
  return branches_of(shape) * std::max(1, inputs / kColumnsTogether);
}

template <typename Scalar>
auto BasicNetwork<Scalar>::cut_for(const Team& team) const -> Cut {
  const auto multiplications = static_cast<double>(batch_) * static_cast<double>(multiplications_);
  const int branches = branches_of(shape_);
  if (team.threads() == 1 || branches > Team::kMost || multiplications < branches * kLeastOfABranch)
    return {1, 1};
  const int threads = team.threads() / branches;
  const auto columns = batch_ / kColumnsTogether;
  const double pieces = std::min({static_cast<double>(threads), static_cast<double>(columns),
                                  multiplications / branches / kLeastOfAPiece});
  return {branches, std::max(1, static_cast<int>(pieces))};
}

template <typename Scalar>
auto BasicNetwork<Scalar>::part(Cut cut, int index) -> Part {
  const int branch = index / cut.pieces, piece = index % cut.pieces;
  const int begin = branch == 0 ? 0 : outputs_[branch - 1] + 1;
  const int end = cut.branches == 1 ? static_cast<int>(layers_.size()) : outputs_[branch] + 1;
  return {.layers = std::span(layers_).subspan(begin, end - begin),
          .inputs = {piece_begin(batch_, piece, cut.pieces), piece_begin(batch_, piece + 1, cut.pieces)},
          .piece = piece};
}

/// Through all layers: what is computed of an input depends on no other.
template <typename Scalar>
void BasicNetwork<Scalar>::forward(Team& team) {
  for (Layer& layer : layers_) {
    if (layer.common > 0)
      layer.sums =
          parameters_.segment(layer.biases, layer.outputs) + common_weights(layer).lazyProduct(common_);
  }
  const Cut cut = cut_for(team);
  team.for_each(cut.parts(), [&](int index) {
    const Part own = part(cut, index);
    for (Layer& layer : own.layers) forward_layer(layer, own.inputs);
  });
}

template <typename Scalar>
void BasicNetwork<Scalar>::forward_layer(Layer& layer, Columns inputs) {
  const Eigen::Map<const Matrix> weights = weights_in(std::as_const(parameters_), layer);
  const Scalar* added = layer.common > 0 ? layer.sums.data() : parameters_.data() + layer.biases;
  const Eigen::Map<const Vector> biases(added, layer.outputs);
  Eigen::Map<Matrix> sums(layer.values.col(inputs.begin).data(), layer.outputs, inputs.count());
  if (reads_indices(layer)) {
    for (int i = inputs.begin; i < inputs.end; ++i) layer.values.col(i) = weights.col(states_[i]) + biases;
  } else {
    sums.colwise() = biases;
    add_product(layer.values, weights, inputs_of(layer), inputs.begin, inputs.end);
  }
  if (layer.hidden) activate(shape_.activation, sums);
}

template <typename Scalar>
void BasicNetwork<Scalar>::backward(Team& team) {
  backward(team, /*by_parameters=*/true);
}

template <typename Scalar>
void BasicNetwork<Scalar>::backward(Team& team, bool by_parameters) {
  const Cut cut = cut_for(team);
  team.for_each(cut.parts(), [&](int index) {
    const Part own = part(cut, index);
    for (Layer& layer : own.layers) {
      if (layer.hidden) layer.deltas.middleCols(own.inputs.begin, own.inputs.count()).setZero();
    }
    for (auto layer = own.layers.rbegin(); layer != own.layers.rend(); ++layer) {
      backward_layer(*layer, own.inputs);
      if (by_parameters && cut.pieces == 1) sum_gradient(*layer, 0, 1);
    }
  });
  if (!by_parameters || cut.pieces == 1) return;
  // These are sums over the batch: they wait for all pieces, and are cut by what the weights read.
  team.for_each(cut.parts(), [&](int index) {
    const Part own = part(cut, index);
    for (Layer& layer : own.layers) sum_gradient(layer, own.piece, cut.pieces);
  });
}

template <typename Scalar>
void BasicNetwork<Scalar>::backward_to_inputs(Team& team) {
  if (shape_.indexed) throw std::invalid_argument("Network: no gradient by states, which are numbers");
  backward(team, /*by_parameters=*/false);
  Eigen::Map<Matrix> sum(input_deltas_.data(), shape_.inputs, batch_);
  sum.setZero();
  for (Layer& layer : layers_) {
    if (layer.source == kInput)
      add_product(sum, weights_in(std::as_const(parameters_), layer).transpose(), deltas(layer), 0, batch_);
  }
}

/// From d loss / d values of a layer to the same of the one that it reads.
template <typename Scalar>
void BasicNetwork<Scalar>::backward_layer(Layer& layer, Columns inputs) {
  if (layer.hidden)
    differentiate(shape_.activation, layer.values.middleCols(inputs.begin, inputs.count()),
                  layer.deltas.middleCols(inputs.begin, inputs.count()));
  if (layer.source == kInput) return;
  add_product(layers_[layer.source].deltas, weights_in(std::as_const(parameters_), layer).transpose(),
              deltas(layer), inputs.begin, inputs.end);
}

/// Piece `piece` of `of` of the gradient by a layer's parameters.
template <typename Scalar>
void BasicNetwork<Scalar>::sum_gradient(Layer& layer, int piece, int of) {
  const Eigen::Map<Matrix> delta = deltas(layer);
  if (piece == 0) {
    auto bias_gradient = gradient_.segment(layer.biases, layer.outputs);
    bias_gradient.setZero();
    for (int i = 0; i < batch_; ++i) bias_gradient += delta.col(i);
    for (int k = 0; k < layer.common; ++k)
      gradient_.segment(layer.biases + Eigen::Index{layer.outputs} * (1 + k), layer.outputs) =
          common_[k] * bias_gradient;
  }
  Eigen::Map<Matrix> weight_gradient = weights_in(gradient_, layer);
  if (reads_indices(layer)) {
    // Any column may be that of any input: pieces are rows.
    const int begin = piece_begin(layer.outputs, piece, of), end = piece_begin(layer.outputs, piece + 1, of);
    auto rows = weight_gradient.middleRows(begin, end - begin);
    rows.setZero();
    for (int i = 0; i < batch_; ++i) rows.col(states_[i]) += delta.col(i).segment(begin, end - begin);
    return;
  }
  const Columns columns{piece_begin(layer.inputs, piece, of), piece_begin(layer.inputs, piece + 1, of)};
  weight_gradient.middleCols(columns.begin, columns.count()).setZero();
  add_product(weight_gradient, delta, inputs_of(layer).transpose(), columns.begin, columns.end);
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
