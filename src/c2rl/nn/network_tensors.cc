#include "c2rl/nn/network_tensors.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "c2rl/base/error.h"
#include "c2rl/base/text.h"
#include "c2rl/nn/network.h"

namespace c2rl {
namespace {

template <typename Scalar>
constexpr const char* kType = std::is_same_v<Scalar, float> ? "F32" : "F64";

const Tensor* find(std::span<const Tensor> tensors, const std::string& name) {
  const auto found = std::ranges::find(tensors, name, &Tensor::name);
  return found == tensors.end() ? nullptr : &*found;
}

[[noreturn]] void fail(const Tensor& tensor, const std::string& why) {
  throw InputError({.field = tensor.name}, why);
}

/// Of so many dimensions, each at least 1 and an int, and as many bytes as that takes.
void check_array(const Tensor& tensor, size_t dimensions) {
  if (tensor.type != kType<float> && tensor.type != kType<double>) {
    fail(tensor, fmt::format("has type '{}'; expected F32 or F64", tensor.type));
  }
  if (tensor.shape.size() != dimensions) {
    fail(tensor, fmt::format("has {} dimensions; expected {}", tensor.shape.size(), dimensions));
  }
  // Divided down instead of multiplied up, so that nothing can overflow.
  std::uint64_t entries =
      tensor.bytes.size() / (tensor.type == kType<float> ? sizeof(float) : sizeof(double));
  bool fits = tensor.bytes.size() % (tensor.type == kType<float> ? sizeof(float) : sizeof(double)) == 0;
  for (const std::int64_t extent : tensor.shape) {
    if (extent < 1 || extent > std::numeric_limits<int>::max()) {
      fail(tensor, fmt::format("has an extent of {}; expected at least 1 and an int", extent));
    }
    fits = fits && entries % static_cast<std::uint64_t>(extent) == 0;
    entries /= static_cast<std::uint64_t>(extent);
  }
  if (!fits || entries != 1) {
    fail(tensor, fmt::format("has {} bytes, not those of its shape [{}]", tensor.bytes.size(),
                             fmt::join(tensor.shape, ", ")));
  }
}

/// Anything but a finite number is an InputError.
template <typename Scalar>
Scalar entry(const Tensor& tensor, Eigen::Index i) {
  Scalar value;
  std::memcpy(&value, tensor.bytes.data() + i * static_cast<Eigen::Index>(sizeof(Scalar)), sizeof(Scalar));
  if (!std::isfinite(value)) fail(tensor, fmt::format("entry {} is {}; expected a finite number", i, value));
  return value;
}

template <typename Derived>
Tensor make_tensor(const std::string& name, const std::vector<std::int64_t>& shape,
                   const Eigen::DenseBase<Derived>& by_rows) {
  using Scalar = typename Derived::Scalar;
  Tensor tensor{.name = name, .type = kType<Scalar>, .shape = shape, .bytes = {}};
  const Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> entries = by_rows;
  tensor.bytes.resize(static_cast<size_t>(entries.size()) * sizeof(Scalar));
  std::memcpy(tensor.bytes.data(), entries.data(), tensor.bytes.size());
  return tensor;
}

}  // namespace

std::vector<LayerTensors> layer_tensors(std::span<const Tensor> tensors, const std::string& name) {
  const auto belongs = [&](const Tensor& tensor) { return tensor.name.starts_with(name + '.'); };
  const auto arrays = std::ranges::count_if(tensors, belongs);
  constexpr std::int64_t kMostArrays = std::int64_t{2} * kMostLayers;
  if (arrays > kMostArrays) {
    throw InputError({.field = name}, fmt::format("has {} arrays; expected at most {}", arrays, kMostArrays));
  }
  std::vector<LayerTensors> layers;
  for (const Tensor* weight; (weight = find(tensors, fmt::format("{}.{}.weight", name, layers.size())));) {
    const std::string bias_name = fmt::format("{}.{}.bias", name, layers.size());
    const Tensor* bias = find(tensors, bias_name);
    if (!bias) throw InputError({.field = bias_name}, "is missing");
    check_array(*weight, 2);
    check_array(*bias, 1);
    const LayerTensors layer{.weight = weight, .bias = bias};
    if (bias->shape[0] != weight->shape[0] || bias->type != weight->type) {
      fail(*bias, fmt::format("is {}[{}]; expected {}[{}] as its weight has rows", bias->type, bias->shape[0],
                              weight->type, weight->shape[0]));
    }
    if (!layers.empty() && layer.inputs() != layers.back().outputs()) {
      fail(*weight, fmt::format("reads {} values; the layer before it gives {}", layer.inputs(),
                                layers.back().outputs()));
    }
    layers.push_back(layer);
  }
  if (arrays != 2 * std::ssize(layers)) {
    throw InputError({.field = name}, fmt::format("has {} arrays; expected a weight and a bias for each of "
                                                  "its layers, of which {} are there",
                                                  arrays, layers.size()));
  }
  return layers;
}

template <typename Scalar>
std::vector<Tensor> BasicNetwork<Scalar>::tensors(const std::string& prefix) const {
  std::vector<Tensor> result;
  auto layer = layers_.begin();
  const auto add = [&](const std::string& name, size_t count) {
    for (size_t i = 0; i < count; ++i, ++layer) {
      const auto biases = parameters_.segment(layer->biases, layer->outputs);
      result.push_back(make_tensor(fmt::format("{}{}.{}.weight", prefix, name, i),
                                   {layer->outputs, layer->inputs}, weights_in(parameters_, *layer)));
      result.push_back(make_tensor(fmt::format("{}{}.{}.bias", prefix, name, i), {layer->outputs}, biases));
    }
  };
  add("trunk", shape_.trunk.size());
  for (const NetworkShape::Head& head : shape_.heads) add(head.name, head.hidden.size() + 1);
  return result;
}

template <typename Scalar>
void BasicNetwork<Scalar>::load(std::span<const Tensor> tensors, const std::string& prefix) {
  Vector loaded(parameters_.size());
  auto layer = layers_.begin();
  const auto take = [&](const std::string& name, size_t count) {
    const std::vector<LayerTensors> found = layer_tensors(tensors, prefix + name);
    if (found.size() != count) {
      throw InputError({.field = prefix + name},
                       fmt::format("has {} layers; expected {}", found.size(), count));
    }
    for (const LayerTensors& arrays : found) {
      const Tensor& weight = *arrays.weight;
      if (arrays.outputs() != layer->outputs || arrays.inputs() != layer->inputs) {
        fail(weight, fmt::format("is [{}, {}]; expected [{}, {}]", arrays.outputs(), arrays.inputs(),
                                 layer->outputs, layer->inputs));
      }
      if (weight.type != kType<Scalar>) {
        fail(weight, fmt::format("has type {}; expected {}", weight.type, kType<Scalar>));
      }
      Eigen::Map<Matrix> weights = weights_in(loaded, *layer);
      for (Eigen::Index i = 0; i < weights.rows(); ++i) {
        for (Eigen::Index j = 0; j < weights.cols(); ++j) {
          weights(i, j) = entry<Scalar>(weight, i * weights.cols() + j);
        }
      }
      for (Eigen::Index i = 0; i < weights.rows(); ++i) {
        loaded[layer->biases + i] = entry<Scalar>(*arrays.bias, i);
      }
      ++layer;
    }
  };
  take("trunk", shape_.trunk.size());
  for (const NetworkShape::Head& head : shape_.heads) take(head.name, head.hidden.size() + 1);
  parameters_ = loaded;
}

template std::vector<Tensor> BasicNetwork<float>::tensors(const std::string&) const;
template std::vector<Tensor> BasicNetwork<double>::tensors(const std::string&) const;
template void BasicNetwork<float>::load(std::span<const Tensor>, const std::string&);
template void BasicNetwork<double>::load(std::span<const Tensor>, const std::string&);

}  // namespace c2rl
