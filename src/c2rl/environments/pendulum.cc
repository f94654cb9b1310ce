#include <algorithm>
#include <cmath>
#include <numbers>

#include "c2rl/environments/controls.h"
#include "c2rl/environments/environment_kinds.h"

namespace c2rl {
namespace {

// The numbers of Gymnasium's Pendulum-v1, in SI units: a rod that turns about one of its ends.
constexpr double kGravity = 10;
constexpr double kMass = 1;
constexpr double kLength = 1;
constexpr double kMostTorque = 2;
constexpr double kMostSpeed = 8;
constexpr double kTimeStep = 0.05;
constexpr double kStartSpeed = 1;
// What a step costs per square of the angle, 1, of the speed and of the torque.
constexpr double kSpeedCost = 0.1;
constexpr double kTorqueCost = 0.001;
constexpr double kPi = std::numbers::pi;

struct Swing {
  double angle;  // from upright, within -pi and pi
  double speed;
};

Swing turn(const Swing& swing, double torque) {
  // The moment of inertia of the rod is m l^2 / 3, and its weight pulls at half of its length.
  const double acceleration =
      1.5 * kGravity / kLength * std::sin(swing.angle) + 3 / (kMass * kLength * kLength) * torque;
  const double speed = std::clamp(swing.speed + kTimeStep * acceleration, -kMostSpeed, kMostSpeed);
  return {std::remainder(swing.angle + kTimeStep * speed, 2 * kPi), speed};
}

double cost(double angle, double speed, double torque) {
  return angle * angle + kSpeedCost * speed * speed + kTorqueCost * torque * torque;
}

class Pendulum final : public Environment {
 public:
  Pendulum(int batch, int horizon, double upright)
      : Environment(batch, 3, horizon, /*features=*/3, /*controls=*/1), upright_(upright), swings_(batch) {}

  int state_count() const override { return 0; }
  int action_count(int /*state*/) const override { return 0; }

 private:
  void begin(int slot) override {
    const double angle = kPi * (2 * streams_[slot].uniform() - 1);
    swings_[slot] = {angle, kStartSpeed * (2 * streams_[slot].uniform() - 1)};
    show(slot);
  }

  void advance(const Actions& actions) override {
    for (int slot = 0; slot < batch(); ++slot) {
      if (ended(slot)) continue;
      const double torque = kMostTorque * clipped_control(actions, 0, slot);
      measurement_(0, slot) = cost(swings_[slot].angle, swings_[slot].speed, torque);
      measurement_(1, slot) = kTimeStep * torque * torque;
      swings_[slot] = turn(swings_[slot], torque);
      measurement_(2, slot) = std::abs(swings_[slot].angle) <= upright_ ? 1 : 0;
      show(slot);
    }
  }

  void show(int slot) {
    features_(0, slot) = static_cast<float>(std::cos(swings_[slot].angle));
    features_(1, slot) = static_cast<float>(std::sin(swings_[slot].angle));
    features_(2, slot) = static_cast<float>(swings_[slot].speed / kMostSpeed);
  }

  double upright_;
  std::vector<Swing> swings_;
};

struct PendulumOptions {
  double upright = 0.2;
  Episode episode = {.horizon = 200};

  void visit(OptionVisitor& visitor) {
    visitor.number("upright", upright, between(0, kPi),
                   "a step that ends no further than this from standing, in radians, counts as upright");
    episode.visit(visitor, /*must_be_cut=*/true);
  }
};

}  // namespace

/// A pendulum hangs from a motor that is too weak to lift it at once: it is to be swung up, and kept up.
/// Measures "cost", whose negative is the return of Gymnasium's Pendulum-v1, "energy" and "upright".
EnvironmentKind pendulum_kind() {
  const auto make = [](const Config& section) {
    const auto options = read_options<PendulumOptions>(section);
    World world;
    world.measurements = {"cost", "energy", "upright"};
    options.episode.apply_to(world);
    world.features = 3;
    world.controls = 1;
    const double most = options.episode.most_steps();
    world.ranges = {{0, most * cost(kPi, kMostSpeed, kMostTorque)},
                    {0, most * kTimeStep * kMostTorque * kMostTorque},
                    {0, most}};
    world.environment = [horizon = world.horizon, upright = options.upright](int batch) {
      return std::make_unique<Pendulum>(batch, horizon, upright);
    };
    return world;
  };
  return {{"pendulum", "swing a pendulum up and keep it there; one control, the torque",
           list_options<PendulumOptions>()},
          /*has_model=*/false,
          make};
}

}  // namespace c2rl
