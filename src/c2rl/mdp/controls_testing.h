#pragma once

#include <array>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "c2rl/base/error.h"
#include "c2rl/mdp/policy.h"
#include "c2rl/mdp/world.h"

namespace c2rl {

struct PlaneOptions {
  double radius = 2;
  double discount = 0.9;
  int horizon = 6;
};

/// A point in the plane. An action is the two numbers that it moves by, which are also what is measured; it
/// sees where it is, begins anywhere in the square from -1 to 1, and ends beyond a radius.
class Plane final : public Environment {
 public:
  Plane(int batch, const PlaneOptions& options)
      : Environment(batch, 2, options.horizon, /*features=*/2, /*controls=*/2), radius_(options.radius) {}

  int state_count() const override { return 0; }
  int action_count(int /*state*/) const override { return 0; }

 private:
  void begin(int slot) override {
    for (float& entry : features_.col(slot)) entry = static_cast<float>(2 * streams_[slot].uniform() - 1);
  }
  void advance(const Actions& actions) override {
    for (int slot = 0; slot < batch(); ++slot) {
      if (ended(slot)) continue;
      measurement_.col(slot) = actions.values().col(slot).cast<double>();
      features_.col(slot) += actions.values().col(slot);
      terminated_[slot] = features_.col(slot).norm() > radius_ ? 1 : 0;
    }
  }

  double radius_;
};

inline World plane_world(const PlaneOptions& options = {}) {
  World world;
  world.measurements = {"right", "up"};
  world.discount = options.discount;
  world.horizon = world.episode_limit = options.horizon;
  world.features = world.controls = 2;
  world.environment = [options](int batch) { return std::make_unique<Plane>(batch, options); };
  return world;
}

/// Moves by drift + gain * position, and normal noise of size `spread` on each number.
class NormalPolicy final : public Policy {
 public:
  NormalPolicy(const Vector& drift, double gain, double spread)
      : settings_{drift[0], drift[1], gain, spread} {}
  static PolicyPtr load(const Safetensors& content) {
    double settings[4];
    if (content.tensors.size() != 1 || content.tensors[0].bytes.size() != sizeof settings)
      throw InputError({.field = "policy"}, "expected four numbers");
    std::memcpy(settings, content.tensors[0].bytes.data(), sizeof settings);
    return std::make_shared<NormalPolicy>(Vector{{settings[0], settings[1]}}, settings[2], settings[3]);
  }

  std::string kind() const override { return "normal"; }
  bool is_stationary() const override { return true; }
  void action_probabilities(const Observations& /*observations*/, int /*step*/,
                            Eigen::Ref<Matrix> /*probabilities*/) const override {
    throw std::logic_error("actions that are real numbers have no probabilities");
  }
  void act(const Observations& observations, int /*step*/, std::span<Rng* const> streams,
           ActionBatch& actions) const override {
    const auto& [right, up, gain, spread] = settings_;
    for (int i = 0; i < observations.size(); ++i) {
      const Vector position = observations.values().col(i).cast<double>();
      const Vector noise = streams[i]->normal_vector(2);
      actions.values.col(i) = (Vector{{right, up}} + gain * position + spread * noise).cast<float>();
    }
  }
  void check_fits(const World& world) const override {
    if (world.features != 2 || world.controls != 2)
      throw InputError({.field = "policy"}, "expected two features and two controls");
  }
  std::vector<Tensor> arrays() const override {
    const auto bytes = std::as_bytes(std::span(settings_));
    return {{"settings", "F64", {std::ssize(settings_)}, {bytes.begin(), bytes.end()}}};
  }

 private:
  std::array<double, 4> settings_;
};

}  // namespace c2rl
