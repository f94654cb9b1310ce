#include <array>
#include <cmath>
#include <numbers>

#include "c2rl/mdp/environments.h"

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

  void advance(std::span<const int> actions) override {
    for (int slot = 0; slot < batch(); ++slot) {
      if (ended(slot)) continue;
      carts_[slot] = push(carts_[slot], actions[slot] == 0 ? -kForce : kForce);
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

}  // namespace

/// A cart on a track is pushed left or right at each step, and the episode ends when its pole falls or the
/// track does. Measures "steps", which are to be many, and "away", the steps that end further than `middle`
/// from where the cart began.
///   middle = 0.2
///   discount = 1.0, horizon = 200
World make_cart_pole(const Config& section) {
  constexpr int kDefaultHorizon = 200;
  const Episode episode = read_episode(section, {.horizon = kDefaultHorizon});
  section.expect(episode.horizon > 0, "horizon", "a whole number above 0: a pole may be balanced forever");
  const double middle = section.number("middle", 0.2);
  section.expect(middle >= 0 && middle <= kTrackEnd, "middle", "a number from 0 to 2.4");
  World world;
  world.measurements = {"steps", "away"};
  world.discount = episode.discount;
  world.horizon = episode.horizon;
  world.episode_limit = episode.horizon;
  world.features = 4;
  world.actions = 2;
  world.environment = [=](int batch) { return std::make_unique<CartPole>(batch, episode.horizon, middle); };
  return world;
}

}  // namespace c2rl
