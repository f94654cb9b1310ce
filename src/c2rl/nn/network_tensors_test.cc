#include "c2rl/nn/network_tensors.h"

#include <cstring>
#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "c2rl/base/error.h"
#include "c2rl/nn/network.h"

namespace c2rl {
namespace {

const NetworkShape kShape{
    .inputs = 6, .indexed = true, .trunk = {5, 7}, .heads = {{"value", {}, 1}, {"policy", {3}, 4}}};

template <typename Scalar>
BasicNetwork<Scalar> random_network(const NetworkShape& shape) {
  BasicNetwork<Scalar> network(shape, 2);
  Rng rng(1);
  for (Scalar& x : network.parameters()) x = static_cast<Scalar>(rng.normal());
  return network;
}

template <typename Scalar>
void expect_round_trip(const NetworkShape& shape) {
  const BasicNetwork<Scalar> network = random_network<Scalar>(shape);
  // As from a file, with another network in it.
  Safetensors content{.metadata = metadata(shape, "online."), .tensors = network.tensors("online.")};
  const BasicNetwork<Scalar> other({.inputs = 2, .heads = {{"value"}}}, 1);
  content.metadata.merge(metadata(other.shape()));
  for (Tensor& tensor : other.tensors()) content.tensors.push_back(std::move(tensor));

  EXPECT_EQ(shape_from(content.metadata, content.tensors), other.shape());
  ASSERT_EQ(shape_from(content.metadata, content.tensors, "online."), shape);
  BasicNetwork<Scalar> loaded(shape, 2);
  loaded.load(content.tensors, "online.");
  EXPECT_EQ(loaded.parameters(), network.parameters());
}

TEST(NetworkTensors, RoundTripToTheBit) {
  expect_round_trip<float>(kShape);
  expect_round_trip<double>(kShape);
  NetworkShape features = kShape;
  features.indexed = false;
  features.activation = Activation::tanh;
  features.trunk.clear();
  expect_round_trip<float>(features);
}

TEST(NetworkTensors, AreLaidOutAsPyTorchDoes) {
  const Network network = random_network<float>({.inputs = 3, .trunk = {2}, .heads = {{"value"}}});
  const std::vector<Tensor> tensors = network.tensors("net.");
  ASSERT_EQ(tensors.size(), 4u);
  EXPECT_EQ(tensors[0].name, "net.trunk.0.weight");
  EXPECT_EQ(tensors[1].name, "net.trunk.0.bias");
  EXPECT_EQ(tensors[2].name, "net.value.0.weight");
  EXPECT_EQ(tensors[3].name, "net.value.0.bias");
  EXPECT_EQ(tensors[0].type, "F32");
  EXPECT_EQ(tensors[0].shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(tensors[1].shape, (std::vector<std::int64_t>{2}));
  float weights[2][3];
  ASSERT_EQ(tensors[0].bytes.size(), sizeof(weights));
  std::memcpy(weights, tensors[0].bytes.data(), sizeof(weights));
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 3; ++j) EXPECT_EQ(weights[i][j], network.parameters()[2 * j + i]);
  }
}

/// What is said of a file after this was done to it: by shape_from or, where that accepts it, by load.
std::string complaint(const std::function<void(Safetensors&)>& damage) {
  const Network network = random_network<float>(kShape);
  Safetensors content{.metadata = metadata(kShape), .tensors = network.tensors()};
  damage(content);
  try {
    shape_from(content.metadata, content.tensors);
  } catch (const InputError& error) {
    return error.what();
  }
  Network loaded = random_network<float>(kShape);
  try {
    loaded.load(content.tensors);
  } catch (const InputError& error) {
    EXPECT_EQ(loaded.parameters(), network.parameters());
    return error.what();
  }
  return "nothing";
}

Tensor& tensor(Safetensors& content, const std::string& name) {
  return *std::ranges::find(content.tensors, name, &Tensor::name);
}

void set_entry(Tensor& tensor, int i, float value) {
  std::memcpy(tensor.bytes.data() + i * sizeof(float), &value, sizeof(float));
}

TEST(NetworkTensors, WhatDoesNotFitIsSaid) {
  EXPECT_EQ(complaint([](Safetensors&) {}), "nothing");
  EXPECT_EQ(complaint([](Safetensors& c) { c.metadata["activation"] = "rleu"; }),
            "activation: unknown activation 'rleu'; did you mean 'relu'?");
  EXPECT_EQ(complaint([](Safetensors& c) { c.metadata.erase("input"); }),
            "input: is missing from the metadata");
  EXPECT_EQ(complaint([](Safetensors& c) { c.metadata["heads"] = "value,police"; }),
            "heads: 'police' has no arrays");
  EXPECT_EQ(complaint([](Safetensors& c) { c.metadata["heads"] = ""; }), "heads: '' has no arrays");
  EXPECT_EQ(complaint([](Safetensors& c) { c.metadata["heads"] = "value,value"; }),
            "heads: is value; expected different names");
  EXPECT_EQ(complaint([](Safetensors& c) { c.metadata["heads"] = std::string(1'000'000, ','); }),
            "layers: are 1000001; expected at most 64");
  EXPECT_EQ(complaint([](Safetensors& c) { tensor(c, "trunk.1.bias").name = "trunk.1.b"; }),
            "trunk.1.bias: is missing");
  EXPECT_EQ(
      complaint([](Safetensors& c) { tensor(c, "policy.0.weight").name = "other"; }),
      "policy: has 3 arrays; expected a weight and a bias for each of its layers, of which 0 are there");
  EXPECT_EQ(complaint([](Safetensors& c) { c.tensors.push_back(tensor(c, "value.0.bias")); }),
            "value: has 3 arrays; expected a weight and a bias for each of its layers, of which 1 are there");
  EXPECT_EQ(complaint([](Safetensors& c) { tensor(c, "value.0.weight").type = "I32"; }),
            "value.0.weight: has type 'I32'; expected F32 or F64");
  EXPECT_EQ(complaint([](Safetensors& c) { tensor(c, "value.0.weight").type = "F64"; }),
            "value.0.weight: has 28 bytes, not those of its shape [1, 7]");
  EXPECT_EQ(complaint([](Safetensors& c) { tensor(c, "value.0.weight").shape = {7}; }),
            "value.0.weight: has 1 dimensions; expected 2");
  EXPECT_EQ(complaint([](Safetensors& c) { tensor(c, "trunk.0.bias").shape = {0}; }),
            "trunk.0.bias: has an extent of 0; expected at least 1 and an int");
  EXPECT_EQ(complaint([](Safetensors& c) {
              tensor(c, "trunk.0.weight").shape = {1LL << 62, 4};
            }),
            "trunk.0.weight: has an extent of 4611686018427387904; expected at least 1 and an int");
  EXPECT_EQ(complaint([](Safetensors& c) {
              tensor(c, "trunk.0.weight").shape = {1 << 30, 1 << 30};
            }),
            "trunk.0.weight: has 120 bytes, not those of its shape [1073741824, 1073741824]");
  EXPECT_EQ(complaint([](Safetensors& c) {
              tensor(c, "trunk.0.weight").shape = {6, 5};
            }),
            "trunk.0.bias: is F32[5]; expected F32[6] as its weight has rows");
  EXPECT_EQ(complaint([](Safetensors& c) {
              std::swap(tensor(c, "trunk.0.weight").shape, tensor(c, "trunk.0.bias").shape);
            }),
            "trunk.0.weight: has 1 dimensions; expected 2");
  EXPECT_EQ(complaint([](Safetensors& c) {
              Tensor& weight = tensor(c, "policy.1.weight");
              weight.shape = {4, 2};
              weight.bytes.resize(32);
            }),
            "policy.1.weight: reads 2 values; the layer before it gives 3");
  EXPECT_EQ(complaint([](Safetensors& c) {
              Tensor& weight = tensor(c, "value.0.weight");
              weight.shape = {1, 6};
              weight.bytes.resize(24);
            }),
            "value: reads 6 values; expected 7");
  EXPECT_EQ(complaint([](Safetensors& c) { tensor(c, "policy.0.weight").bytes.resize(3); }),
            "policy.0.weight: has 3 bytes, not those of its shape [3, 7]");
  EXPECT_EQ(complaint([](Safetensors& c) {
              set_entry(tensor(c, "policy.0.weight"), 20, std::numeric_limits<float>::quiet_NaN());
            }),
            "policy.0.weight: entry 20 is nan; expected a finite number");
  EXPECT_EQ(complaint([](Safetensors& c) {
              set_entry(tensor(c, "policy.1.bias"), 0, std::numeric_limits<float>::infinity());
            }),
            "policy.1.bias: entry 0 is inf; expected a finite number");
}

TEST(NetworkTensors, AnotherNetworkIsNotLoaded) {
  const auto load = [](const NetworkShape& shape) -> std::string {
    Network network(kShape, 1);
    try {
      network.load(random_network<float>(shape).tensors());
    } catch (const InputError& error) {
      EXPECT_TRUE(network.parameters().isZero(0));
      return error.what();
    }
    return "loaded";
  };
  NetworkShape shape = kShape;
  shape.activation = Activation::tanh;  // not among the parameters
  EXPECT_EQ(load(shape), "loaded");
  shape.trunk = {5, 7, 7};
  EXPECT_EQ(load(shape), "trunk: has 3 layers; expected 2");
  shape.trunk = {4, 7};
  EXPECT_EQ(load(shape), "trunk.0.weight: is [4, 6]; expected [5, 6]");
  Network single(kShape, 1);
  EXPECT_THROW(single.load(random_network<double>(kShape).tensors()), InputError);
  EXPECT_THROW(single.load({}), InputError);
}

// A file of a thousand layers, or one whose layers would take the memory of the machine for a batch.
TEST(NetworkTensors, AbsurdSizesAreRefused) {
  const auto zeros = [](const std::string& name, const std::vector<std::int64_t>& shape) {
    std::int64_t size = sizeof(float);
    for (const std::int64_t extent : shape) size *= extent;
    return Tensor{.name = name, .type = "F32", .shape = shape, .bytes = std::vector<std::byte>(size)};
  };
  const std::map<std::string, std::string> one_head = metadata({.inputs = 1, .heads = {{"value"}}});
  std::vector<Tensor> deep;
  for (int i = 0; i < 1000; ++i) {
    deep.push_back(zeros("value." + std::to_string(i) + ".weight", {1, 1}));
    deep.push_back(zeros("value." + std::to_string(i) + ".bias", {1}));
  }
  EXPECT_THROW(shape_from(one_head, deep), InputError);
  const std::vector<Tensor> wide = {zeros("value.0.weight", {1 << 20, 1}), zeros("value.0.bias", {1 << 20}),
                                    zeros("value.1.weight", {1, 1 << 20}), zeros("value.1.bias", {1})};
  EXPECT_THROW(shape_from(one_head, wide), InputError);
}

}  // namespace
}  // namespace c2rl
