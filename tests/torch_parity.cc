// torch_parity FILE: writes the networks of the learners with one batch and one step of Adam on it, for
// torch_parity.py to do the same in PyTorch and compare.

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "c2rl/base/safetensors.h"
#include "c2rl/nn/adam.h"
#include "c2rl/nn/dueling.h"
#include "c2rl/nn/network.h"

namespace {

using namespace c2rl;

constexpr int kBatch = 54;
constexpr double kClip = 0.5;
const AdamOptions kAdam{.learning_rate = 7e-4, .epsilon = 1e-5};

/// A column per input becomes a row, as in PyTorch.
void add(Safetensors& file, const std::string& name, const Eigen::MatrixXf& columns) {
  Tensor tensor{.name = name, .type = "F32", .shape = {columns.cols(), columns.rows()}, .bytes = {}};
  tensor.bytes.resize(static_cast<size_t>(columns.size()) * sizeof(float));
  std::memcpy(tensor.bytes.data(), columns.data(), tensor.bytes.size());
  file.tensors.push_back(std::move(tensor));
}

void add(Safetensors& file, const std::vector<Tensor>& tensors) {
  file.tensors.insert(file.tensors.end(), tensors.begin(), tensors.end());
}

/// Everything of one network, under its name.
void add_case(Safetensors& file, const std::string& name, const NetworkShape& shape) {
  Rng rng = Rng(1).fork(name);
  Network network(shape, kBatch);
  network.initialize(Initialization::he, rng);
  for (float& x : network.parameters()) x += 0.1F * static_cast<float>(rng.normal());  // biases, too
  const auto normal = [&](Eigen::Index rows) {
    return Eigen::MatrixXf::NullaryExpr(rows, kBatch, [&] { return static_cast<float>(rng.normal()); })
        .eval();
  };

  for (const auto& [key, value] : metadata(shape, name + ".")) file.metadata[key] = value;
  add(file, network.tensors(name + ".before."));

  Eigen::MatrixXf input;
  if (shape.indexed) {
    std::vector<int> states(kBatch);
    for (int& state : states) state = static_cast<int>(rng.below(shape.inputs));
    network.forward(states);
    input = Eigen::MatrixXf::Zero(shape.inputs, kBatch);
    for (int i = 0; i < kBatch; ++i) input(states[i], i) = 1;
  } else {
    input = normal(shape.inputs);
    network.forward(input);
  }
  add(file, name + ".input", input);

  const bool dueling = shape.heads[1].name == "advantage";
  if (dueling) {
    Eigen::MatrixXf q(shape.heads[1].outputs, kBatch);
    dueling_values(network.output(0), network.output(1), q);
    add(file, name + ".output.q", q);
    const Eigen::MatrixXf q_gradient = normal(q.rows());
    add(file, name + ".output_gradient.q", q_gradient);
    dueling_gradient(q_gradient, network.output_gradient(0), network.output_gradient(1));
  }
  for (int h = 0; h < static_cast<int>(shape.heads.size()); ++h) {
    const std::string& head = shape.heads[h].name;
    if (!dueling) network.output_gradient(h) = normal(shape.heads[h].outputs);
    add(file, fmt::format("{}.output.{}", name, head), network.output(h));
    add(file, fmt::format("{}.output_gradient.{}", name, head), network.output_gradient(h));
  }
  network.backward();

  // A network whose parameters are the gradient names its parts.
  Network gradient(shape, 1);
  gradient.parameters() = network.gradient();
  add(file, gradient.tensors(name + ".gradient."));

  Adam adam(network.parameter_count(), kAdam);
  const float norm = clip_norm(network.gradient(), kClip);
  add(file, name + ".norm", Eigen::MatrixXf::Constant(1, 1, norm));
  adam.step(network.parameters(), network.gradient());
  add(file, network.tensors(name + ".after."));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: torch_parity FILE\n");
    return 2;
  }
  const NetworkShape actor_critic{
      .inputs = 54, .indexed = true, .trunk = {128}, .heads = {{"policy", {}, 4}, {"value", {}, 1}}};
  NetworkShape features = actor_critic;
  features.indexed = false;
  features.inputs = 300;
  features.trunk = {128, 64};
  features.activation = Activation::tanh;
  const NetworkShape dueling{
      .inputs = 54, .indexed = true, .heads = {{"value", {128, 128}, 1}, {"advantage", {128, 128}, 4}}};

  Safetensors file;
  file.metadata = {{"learning_rate", std::to_string(kAdam.learning_rate)},
                   {"epsilon", std::to_string(kAdam.epsilon)},
                   {"clip", std::to_string(kClip)}};
  add_case(file, "actor_critic", actor_critic);
  add_case(file, "actor_critic_of_features", features);
  add_case(file, "dueling", dueling);
  write_safetensors(argv[1], file);
}
