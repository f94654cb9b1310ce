#include <array>
#include <cmath>
#include <numbers>

#include "c2rl/environments/environment_kinds.h"

namespace c2rl {
namespace {

// The cart and pole of Barto, Sutton and Anderson (1983), in SI units.
constexpr double kGravity = 9.8;
constexpr double kCartMass = 1.0;
constexpr double kPoleMass = 0.1;
constexpr double kTotalMass = kCartMass + kPoleMass;
constexpr double kHalfLength = 0.5;
constexpr double kForce = 10.0;
constexpr double kTimeStep = 0.02;
constexpr double kMostAngle = 12 * std::numbers::pi / 180;
constexpr double kTrackEnd = 2.4;
constexpr double kStartSpread = 0.05;
/// What brings each feature to a size of about 1.
constexpr std::array<double, 4> kFeatureScale = {1 / kTrackEnd, 0.5, 1 / kMostAngle, 0.5};

/// Position, velocity, angle, angular velocity.
using CartState = std::array<double, 4>;

CartState push(const CartState& state, double force) {
  const auto [position, velocity, angle, spin] = state;
  const double sine = std::sin(angle), cosine = std::cos(angle);
  const double thrust = (force + kPoleMass * kHalfLength * spin * spin * sine) / kTotalMass;
  const double spin_rate = (kGravity * sine - cosine * thrust) /
                           (kHalfLength * (4.0 / 3.0 - kPoleMass * cosine * cosine / kTotalMass));
  const double acceleration = thrust - kPoleMass * kHalfLength * spin_rate * cosine / kTotalMass;
  return {position + kTimeStep * velocity, velocity + kTimeStep * acceleration, angle + kTimeStep * spin,
          spin + kTimeStep * spin_rate};
}

class CartPole : public Environment {
 public:
  CartPole(int batch, int horizon, double middle)
      : Environment(batch, 2, horizon, 4), middle_(middle), carts_(batch) {}

  int state_count() const override { return 0; }
  int action_count(int /*state*/) const override { return 2; }

 private:
  void begin(int slot) override {
    for (double& entry : carts_[slot]) entry = kStartSpread * (2 * streams_[slot].uniform() - 1);
    show(slot);
  }

  void advance(const Actions& actions) override {
    for (int slot = 0; slot < batch(); ++slot) {
      if (ended(slot)) continue;
      carts_[slot] = push(carts_[slot], actions.indices()[slot] == 0 ? -kForce : kForce);
      const double away = std::abs(carts_[slot][0]);
      measurement_(0, slot) = 1;
      measurement_(1, slot) = away > middle_ ? 1 : 0;
      terminated_[slot] = away > kTrackEnd || std::abs(carts_[slot][2]) > kMostAngle ? 1 : 0;
      show(slot);
    }
  }

  void show(int slot) {
    for (int k = 0; k < 4; ++k) features_(k, slot) = static_cast<float>(kFeatureScale[k] * carts_[slot][k]);
  }

  double middle_;
  std::vector<CartState> carts_;
};

struct CartPoleOptions {
  double middle = 0.2;
  Episode episode = {.horizon = 200};

  void visit(OptionVisitor& visitor) {
    visitor.number("middle", middle, between(0, kTrackEnd),
                   "a step that ends further than this from the middle of the track counts as away");
    episode.visit(visitor, /*must_be_cut=*/true);
  }
};

}  // namespace

/// A cart on a track is pushed left or right at each step, and the episode ends when its pole falls or the
/// track does. Measures "steps", which are to be many, and "away".
EnvironmentKind cart_pole_kind() {
  const auto make = [](const Config& section) {
    const auto options = read_options<CartPoleOptions>(section);
    World world;
    world.measurements = {"steps", "away"};
    options.episode.apply_to(world);
    world.features = 4;
    world.actions = 2;
    const double most = options.episode.most_steps();
    world.ranges = {{1, most}, {0, most}};
    world.environment = [horizon = world.horizon, middle = options.middle](int batch) {
      return std::make_unique<CartPole>(batch, horizon, middle);
    };
    return world;
  };
  return {{"cart-pole", "balance a pole on a cart without leaving the middle; continuous observations",
           list_options<CartPoleOptions>()},
          /*has_model=*/false,
          make};
}

}  // namespace c2rl
