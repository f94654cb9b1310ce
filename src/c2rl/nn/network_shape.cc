#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/base/text.h"
#include "c2rl/nn/network.h"
#include "c2rl/nn/network_tensors.h"

namespace c2rl {
namespace {

// Like kMostLayers far beyond any use here: they bound the memory of a batch whatever a file claims.
constexpr int kMostFeatures = 1 << 17;
constexpr std::int64_t kMostParameters = 1 << 28;

void check_layers(size_t layers) {
  if (layers > kMostLayers) {
    throw InputError({.field = "layers"}, fmt::format("are {}; expected at most {}", layers, kMostLayers));
  }
}

bool is_name(const std::string& name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

/// In the order of NetworkShape::indexed.
const std::vector<std::string>& input_names() {
  static const std::vector<std::string> kNames = {"features", "index"};
  return kNames;
}

constexpr char kHeadSeparator = ',';

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == kHeadSeparator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

}  // namespace

const EnumNames<Activation>& activation_names() {
  static const EnumNames<Activation> kNames("activation", {"relu", "tanh"});
  return kNames;
}

void NetworkShape::validate() const {
  const auto check = [](bool good, const std::string& field, auto found, const std::string& expected) {
    if (!good) throw InputError({.field = field}, fmt::format("is {}; expected {}", found, expected));
  };
  const auto check_size = [&](const std::string& field, int size, std::int64_t most) {
    check(size >= 1 && size <= most, field, size, fmt::format("a number from 1 to {}", most));
  };
  std::int64_t parameters = 0;
  // Behind a layer of `width` comes one of `size`.
  const auto add = [&](const std::string& field, int width, int size) {
    check_size(field, size, kWidestLayer);
    parameters += (std::int64_t{width} + 1) * size;
    return size;
  };

  check_size("inputs", inputs, indexed ? kMostParameters : kMostFeatures);
  check(common >= 0 && common <= kMostFeatures, "common", common,
        fmt::format("a number from 0 to {}", kMostFeatures));
  check(!heads.empty(), "heads", "empty", "at least one");
  size_t layers = trunk.size();
  for (const Head& head : heads) layers += head.hidden.size() + 1;
  check_layers(layers);

  int shared = inputs;
  for (const int width : trunk) shared = add("trunk", shared, width);
  for (size_t i = 0; i < heads.size(); ++i) {
    const Head& head = heads[i];
    check(is_name(head.name) && head.name != "trunk", "heads", fmt::format("'{}'", head.name),
          "a name of lower-case letters, digits and _, and not 'trunk'");
    for (size_t j = 0; j < i; ++j) check(heads[j].name != head.name, "heads", head.name, "different names");
    int last = shared;
    for (const int width : head.hidden) last = add(head.name, last, width);
    add(head.name, last, head.outputs);
  }
  check(parameters <= kMostParameters, "parameters", parameters, fmt::format("at most {}", kMostParameters));
}

std::map<std::string, std::string> metadata(const NetworkShape& shape, const std::string& prefix) {
  std::vector<std::string> heads;
  heads.reserve(shape.heads.size());
  for (const NetworkShape::Head& head : shape.heads) heads.push_back(head.name);
  return {{prefix + "activation", activation_names().of(shape.activation)},
          {prefix + "input", input_names()[shape.indexed ? 1 : 0]},
          {prefix + "heads", join(heads, std::string(1, kHeadSeparator))}};
}

NetworkShape shape_from(const std::map<std::string, std::string>& metadata, std::span<const Tensor> tensors,
                        const std::string& prefix) {
  const auto text = [&](const std::string& name) {
    const auto found = metadata.find(prefix + name);
    if (found == metadata.end()) throw InputError({.field = prefix + name}, "is missing from the metadata");
    return found->second;
  };
  const auto choice = [&](const std::string& name, const std::vector<std::string>& known) {
    const std::string found = text(name);
    const auto at = std::ranges::find(known, found);
    if (at == known.end()) {
      throw InputError({.field = prefix + name}, unknown_name_message(name, found, known));
    }
    return static_cast<int>(at - known.begin());
  };
  NetworkShape shape;
  shape.activation = static_cast<Activation>(choice("activation", activation_names().all()));
  shape.indexed = choice("input", input_names()) == 1;
  const std::vector<std::string> heads = split(text("heads"));
  check_layers(heads.size());  // before any of them is looked for

  int shared = 0;  // what the heads read
  const std::vector<LayerTensors> trunk = layer_tensors(tensors, prefix + "trunk");
  for (const LayerTensors& layer : trunk) shape.trunk.push_back(shared = layer.outputs());
  if (!trunk.empty()) shape.inputs = trunk.front().inputs();
  for (const std::string& name : heads) {
    const std::vector<LayerTensors> layers = layer_tensors(tensors, prefix + name);
    if (layers.empty())
      throw InputError({.field = prefix + "heads"}, fmt::format("'{}' has no arrays", name));
    if (shared == 0) shape.inputs = shared = layers.front().inputs();
    if (layers.front().inputs() != shared) {
      throw InputError({.field = prefix + name},
                       fmt::format("reads {} values; expected {}", layers.front().inputs(), shared));
    }
    NetworkShape::Head head{.name = name, .hidden = {}, .outputs = layers.back().outputs()};
    for (size_t i = 0; i + 1 < layers.size(); ++i) head.hidden.push_back(layers[i].outputs());
    shape.heads.push_back(std::move(head));
  }
  shape.validate();
  return shape;
}

}  // namespace c2rl
