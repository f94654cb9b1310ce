#include <algorithm>
#include <cmath>

#include "c2rl/environments/controls.h"
#include "c2rl/environments/environment_kinds.h"

namespace c2rl {
namespace {

// The numbers of Gymnasium's MountainCarContinuous-v0, in units of its own: a step is the unit of time.
constexpr double kPower = 0.0015;
constexpr double kGravity = 0.0025;
constexpr double kLeftWall = -1.2;
constexpr double kRightWall = 0.6;
constexpr double kGoal = 0.45;
constexpr double kMostSpeed = 0.07;
constexpr double kStartLeft = -0.6;
constexpr double kStartRight = -0.4;
constexpr double kEnergyPerStep = 0.1;  // at full force
constexpr double kMiddle = (kLeftWall + kRightWall) / 2;
constexpr double kHalfWidth = (kRightWall - kLeftWall) / 2;

struct Car {
  double position;
  double velocity;
};

/// The valley is a wave, lowest at -pi/6, whose slope at a position is proportional to cos(3 position).
Car drive(const Car& car, double force) {
  const double pull = kPower * force - kGravity * std::cos(3 * car.position);
  const double velocity = std::clamp(car.velocity + pull, -kMostSpeed, kMostSpeed);
  const double position = std::clamp(car.position + velocity, kLeftWall, kRightWall);
  // The left wall stops a car; the right one is beyond the goal.
  return {position, position == kLeftWall ? std::max(velocity, 0.0) : velocity};
}

bool is_at_goal(const Car& car) {
  return car.position >= kGoal && car.velocity >= 0;
}

class MountainCar final : public Environment {
 public:
  MountainCar(int batch, int horizon)
      : Environment(batch, 3, horizon, /*features=*/2, /*controls=*/1), cars_(batch) {}

  int state_count() const override { return 0; }
  int action_count(int /*state*/) const override { return 0; }

 private:
  void begin(int slot) override {
    cars_[slot] = {kStartLeft + (kStartRight - kStartLeft) * streams_[slot].uniform(), 0};
    show(slot);
  }

  void advance(const Actions& actions) override {
    for (int slot = 0; slot < batch(); ++slot) {
      if (ended(slot)) continue;
      const double force = clipped_control(actions, 0, slot);
      cars_[slot] = drive(cars_[slot], force);
      const bool arrived = is_at_goal(cars_[slot]);
      measurement_(0, slot) = 1;
      measurement_(1, slot) = arrived ? 1 : 0;
      measurement_(2, slot) = kEnergyPerStep * force * force;
      terminated_[slot] = arrived ? 1 : 0;
      show(slot);
    }
  }

  void show(int slot) {
    features_(0, slot) = static_cast<float>((cars_[slot].position - kMiddle) / kHalfWidth);
    features_(1, slot) = static_cast<float>(cars_[slot].velocity / kMostSpeed);
  }

  std::vector<Car> cars_;
};

struct MountainCarOptions {
  Episode episode = {.horizon = 999};

  void visit(OptionVisitor& visitor) { episode.visit(visitor, /*must_be_cut=*/true); }
};

}  // namespace

/// A car in a valley is too weak to drive straight up to its goal: it has to go back and forth first. Measures
/// "steps", "reached" and "energy"; 100 reached - energy is the return of Gymnasium's
/// MountainCarContinuous-v0.
EnvironmentKind mountain_car_kind() {
  const auto make = [](const Config& section) {
    const auto options = read_options<MountainCarOptions>(section);
    World world;
    world.measurements = {"steps", kReached, "energy"};
    options.episode.apply_to(world);
    world.features = 2;
    world.controls = 1;
    world.has_goal = true;
    const double most = options.episode.most_steps();
    world.ranges = {{1, most}, {0, 1}, {0, kEnergyPerStep * most}};
    world.environment = [horizon = world.horizon](int batch) {
      return std::make_unique<MountainCar>(batch, horizon);
    };
    return world;
  };
  return {{"mountain-car", "drive a weak car out of a valley by swinging; one control, the force",
           list_options<MountainCarOptions>()},
          /*has_model=*/false,
          make};
}

}  // namespace c2rl
