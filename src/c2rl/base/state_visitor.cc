#include "c2rl/base/state_visitor.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include <fmt/format.h>

namespace c2rl {

void StateVisitor::value(const std::string& name, bool& value) {
  auto byte = static_cast<std::uint8_t>(value);
  this->value(name, byte);
  expect(byte <= 1, name);
  value = byte == 1;
}

void StateVisitor::value(const std::string& name, Rng& rng) {
  std::array<std::uint64_t, 4> state = rng.state();
  values(name, state);
  rng = Rng::from_state(state);
}

void StateVisitor::list(const std::string& name, Vector& list, std::size_t most) {
  if (restores()) list.resize(static_cast<Eigen::Index>(count(name, sizeof(double), most)));
  values(name, list);
}

void StateVisitor::content(const std::string& name, Safetensors& content) {
  const std::string prefix = name + "/";
  if (into_) {
    for (const auto& [key, text] : content.metadata) into_->metadata[prefix + key] = text;
    for (const Tensor& tensor : content.tensors) {
      into_->tensors.push_back(tensor);
      into_->tensors.back().name = prefix + tensor.name;
    }
    return;
  }
  content = {};
  for (const auto& [key, text] : from_->metadata) {
    if (key.starts_with(prefix)) content.metadata[key.substr(prefix.size())] = text;
  }
  for (const Tensor& tensor : from_->tensors) {
    if (!tensor.name.starts_with(prefix)) continue;
    content.tensors.push_back(tensor);
    content.tensors.back().name = tensor.name.substr(prefix.size());
  }
}

void StateVisitor::expect(bool fits, const std::string& name) const {
  if (restores() && !fits) throw UnfitState(fmt::format("its '{}' does not fit", name));
}

const Tensor& StateVisitor::saved(const std::string& name) const {
  const auto found = std::ranges::find(from_->tensors, name, &Tensor::name);
  if (found == from_->tensors.end()) throw UnfitState(fmt::format("it has no '{}'", name));
  return *found;
}

std::size_t StateVisitor::count(const std::string& name, std::size_t size, std::size_t most) const {
  const std::size_t bytes = saved(name).bytes.size();
  if (bytes % size != 0 || bytes / size > most) {
    throw UnfitState(
        fmt::format("its '{}' has {} bytes, expected at most {} times {}", name, bytes, most, size));
  }
  return bytes / size;
}

void StateVisitor::bytes(const std::string& name, std::span<std::byte> bytes) {
  if (into_) {
    into_->tensors.push_back({name, "U8", {std::ssize(bytes)}, {bytes.begin(), bytes.end()}});
    return;
  }
  const Tensor& tensor = saved(name);
  if (tensor.bytes.size() != bytes.size()) {
    throw UnfitState(
        fmt::format("its '{}' has {} bytes, expected {}", name, tensor.bytes.size(), bytes.size()));
  }
  std::ranges::copy(tensor.bytes, bytes.begin());
}

}  // namespace c2rl
