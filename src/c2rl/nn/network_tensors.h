#pragma once

#include <span>
#include <string>
#include <vector>

#include "c2rl/base/safetensors.h"

namespace c2rl {

/// Of a whole network: far beyond any use here.
inline constexpr int kMostLayers = 64;

/// The arrays of a dense layer: a weight [outputs, inputs] and a bias [outputs], of one type, with as many
/// bytes as they claim.
struct LayerTensors {
  const Tensor* weight;
  const Tensor* bias;

  int inputs() const { return static_cast<int>(weight->shape[1]); }
  int outputs() const { return static_cast<int>(weight->shape[0]); }
};

/// "<name>.0.weight", "<name>.0.bias", "<name>.1.weight", ... among the tensors. An InputError where they are
/// no such arrays, where each does not read what the one before gives, or where others are called
/// "<name>.<something>".
std::vector<LayerTensors> layer_tensors(std::span<const Tensor> tensors, const std::string& name);

}  // namespace c2rl
