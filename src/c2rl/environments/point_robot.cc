#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>

#include "c2rl/environments/controls.h"
#include "c2rl/environments/environment_kinds.h"

namespace c2rl {
namespace {

// Lengths are in metres, times in seconds, angles in radians.
constexpr double kWall = 1.5;  // the arena reaches this far from its middle, both ways
constexpr double kGoalRadius = 0.3;
constexpr double kTimeStep = 0.1;
constexpr double kForce = 2;  // per mass
constexpr double kDrag = 2;   // per mass and speed
constexpr double kMostSpeed = kForce / kDrag;
constexpr double kTurn = 2;  // radians a second at most
constexpr double kMostHazardRadius = 0.5;
constexpr int kMostHazards = 64;
// What is kept free where things are placed: little more than half of the places at worst, so that few draws
// find one.
constexpr double kLeastWay = 1;  // from the start to the middle of the goal
constexpr double kStartRoom = 0.2;
constexpr double kGoalWall = kWall - kGoalRadius;  // the goal is within the arena as a whole
constexpr double kMostWay = std::numbers::sqrt2 * (kWall + kGoalWall);
// What is seen.
constexpr double kSight = 1.5;
constexpr int kSectors = 16;
constexpr double kSectorWidth = 2 * std::numbers::pi / kSectors;
constexpr int kOwnFeatures = 4;
constexpr double kWayScale = 2 * kWall;  // brings the way to the goal to a size of about 1

struct Place {
  double x = 0, y = 0;
};

double distance(const Place& a, const Place& b) {
  const double x = a.x - b.x, y = a.y - b.y;
  return std::sqrt(x * x + y * y);
}

Place draw_place(Rng& rng, double reach) {
  const double x = reach * (2 * rng.uniform() - 1);
  return {x, reach * (2 * rng.uniform() - 1)};
}

struct Robot {
  Place place;
  double heading = 0;  // from the x axis, to the left
  double speed = 0;    // along the heading
};

Robot drive(const Robot& robot, double force, double turn) {
  Robot next;
  next.heading = std::remainder(robot.heading + kTimeStep * kTurn * turn, 2 * std::numbers::pi);
  next.speed = robot.speed + kTimeStep * (kForce * force - kDrag * robot.speed);
  const double ahead_x = std::cos(next.heading), ahead_y = std::sin(next.heading);
  const double x = robot.place.x + kTimeStep * next.speed * ahead_x;
  const double y = robot.place.y + kTimeStep * next.speed * ahead_y;
  next.place = {std::clamp(x, -kWall, kWall), std::clamp(y, -kWall, kWall)};
  // A wall takes the motion into it; what is left moves along the wall, and of that the part ahead is speed.
  if (next.place.x != x || next.place.y != y) {
    const double moved_x = next.place.x - robot.place.x, moved_y = next.place.y - robot.place.y;
    next.speed = (moved_x * ahead_x + moved_y * ahead_y) / kTimeStep;
  }
  return next;
}

/// Where another place is as the robot sees it.
struct Sight {
  double way;
  double ahead, left;
};

/// What a robot sees from where it is.
class View {
 public:
  explicit View(const Robot& robot)
      : from_(robot.place), cosine_(std::cos(robot.heading)), sine_(std::sin(robot.heading)) {}

  Sight of(const Place& place) const {
    const double x = place.x - from_.x, y = place.y - from_.y;
    return {distance(from_, place), cosine_ * x + sine_ * y, cosine_ * y - sine_ * x};
  }

 private:
  Place from_;
  double cosine_, sine_;
};

struct PointRobotOptions {
  int hazards = 8;
  double hazard_radius = 0.2;
  std::int64_t layout = 0;
  double heading_spread = 1;
  Episode episode = {.horizon = 200};

  bool is_always_the_same() const { return layout != 0 && heading_spread == 0; }

  void visit(OptionVisitor& visitor) {
    visitor.integer("hazards", hazards, between(0, kMostHazards), "how many there are; they may overlap");
    visitor.number("hazard_radius", hazard_radius,
                   {.lowest = 0, .highest = kMostHazardRadius, .open_below = true}, "of each, in metres");
    visitor.integer("layout", layout, at_least(0),
                    "0: start, goal and hazards are placed anew in every episode; else always where the "
                    "stream of this number puts them, and only the heading at the start is drawn");
    visitor.number(
        "heading_spread", heading_spread, between(0, 1),
        "of a half turn, how far to either side of the x axis the robot may look at the start; with "
        "0, and a layout, nothing is left to chance");
    episode.visit(visitor, /*must_be_cut=*/true);
  }
};

class PointRobot final : public Environment {
 public:
  static constexpr int kMeasurements = 5, kFeatures = kOwnFeatures + kSectors, kControls = 2;

  PointRobot(int batch, const PointRobotOptions& options)
      : Environment(batch, kMeasurements, options.episode.horizon, kFeatures, kControls),
        options_(options),
        robots_(batch),
        goals_(batch),
        hazards_(static_cast<std::size_t>(batch) * options.hazards) {}

  int state_count() const override { return 0; }
  int action_count(int /*state*/) const override { return 0; }

 private:
  std::span<Place> hazards(int slot) {
    return std::span(hazards_).subspan(static_cast<std::size_t>(slot) * options_.hazards, options_.hazards);
  }

  void begin(int slot) override {
    if (options_.layout == 0) {
      lay_out(slot, streams_[slot]);
    } else {
      Rng same(static_cast<std::uint64_t>(options_.layout));
      lay_out(slot, same);
    }
    robots_[slot].heading = options_.heading_spread * std::numbers::pi * (2 * streams_[slot].uniform() - 1);
    show(slot);
  }

  void lay_out(int slot, Rng& rng) {
    const Place start = draw_place(rng, kWall);
    robots_[slot] = {.place = start};
    do goals_[slot] = draw_place(rng, kGoalWall);
    while (distance(goals_[slot], start) < kLeastWay);
    const double radius = options_.hazard_radius;
    for (Place& hazard : hazards(slot)) {
      do hazard = draw_place(rng, kWall);
      while (distance(hazard, start) < radius + kStartRoom ||
             distance(hazard, goals_[slot]) < radius + kGoalRadius);
    }
  }

  void advance(const Actions& actions) override {
    for (int slot = 0; slot < batch(); ++slot) {
      if (ended(slot)) continue;
      const double force = clipped_control(actions, 0, slot), turn = clipped_control(actions, 1, slot);
      const double way_before = distance(robots_[slot].place, goals_[slot]);
      robots_[slot] = drive(robots_[slot], force, turn);
      const double way = distance(robots_[slot].place, goals_[slot]);
      const bool arrived = way <= kGoalRadius;
      measurement_(0, slot) = 1;
      measurement_(1, slot) = arrived ? 1 : 0;
      measurement_(2, slot) = is_in_hazard(slot) ? 1 : 0;
      measurement_(3, slot) = kTimeStep * (force * force + turn * turn);
      measurement_(4, slot) = way_before - way;
      terminated_[slot] = arrived ? 1 : 0;
      show(slot);
    }
  }

  bool is_in_hazard(int slot) {
    return std::ranges::any_of(hazards(slot), [&](const Place& hazard) {
      return distance(hazard, robots_[slot].place) <= options_.hazard_radius;
    });
  }

  void show(int slot) {
    const View view(robots_[slot]);
    const Sight goal = view.of(goals_[slot]);
    auto seen = features_.col(slot);
    seen[0] = static_cast<float>(robots_[slot].speed / kMostSpeed);
    seen[1] = static_cast<float>(goal.way > 0 ? goal.left / goal.way : 0);
    seen[2] = static_cast<float>(goal.way > 0 ? goal.ahead / goal.way : 1);
    seen[3] = static_cast<float>(goal.way / kWayScale);
    seen.tail(kSectors).setZero();
    for (const Place& hazard : hazards(slot)) show_hazard(slot, view.of(hazard));
  }

  /// A sector shows the nearest hazard by its middle: 1 at the robot, 0 out of sight. Hazards beside a sector
  /// fade within the width of another one, so that what is seen does not jump when the robot turns.
  void show_hazard(int slot, const Sight& hazard) {
    const double closeness = 1 - hazard.way / kSight;
    if (closeness <= 0) return;
    const double direction = std::atan2(hazard.left, hazard.ahead) / kSectorWidth;  // sector 0 is ahead
    const int nearest = static_cast<int>(std::lround(direction));
    for (int sector = nearest - 1; sector <= nearest + 1; ++sector) {
      const double part = std::clamp(1.5 - std::abs(direction - sector), 0.0, 1.0);
      float& seen = features_(kOwnFeatures + (sector + kSectors) % kSectors, slot);
      seen = std::max(seen, static_cast<float>(part * closeness));
    }
  }

  PointRobotOptions options_;
  std::vector<Robot> robots_;
  std::vector<Place> goals_;
  std::vector<Place> hazards_;  // those of each slot together
};

}  // namespace

/// A robot with a heading, in a square arena with walls, is to drive to a goal past hazards, in the manner of
/// Safety-Gymnasium's PointGoal. Measures "steps", "reached", "hazard", "energy" and "progress".
EnvironmentKind point_robot_kind() {
  const auto make = [](const Config& section) {
    const auto options = read_options<PointRobotOptions>(section);
    World world;
    world.measurements = {"steps", kReached, "hazard", "energy", "progress"};
    options.episode.apply_to(world);
    world.features = PointRobot::kFeatures;
    world.controls = PointRobot::kControls;
    world.has_goal = true;
    world.deterministic = options.is_always_the_same();
    const double most = options.episode.most_steps();
    // Progress sums up to the first way less the last one; a discount makes that a mean of ways.
    world.ranges = {
        {1, most}, {0, 1}, {0, most}, {0, 2 * kTimeStep * most}, {kLeastWay - kMostWay, kMostWay}};
    world.environment = [options](int batch) { return std::make_unique<PointRobot>(batch, options); };
    return world;
  };
  return {{"point-robot", "drive to a goal past hazards; two controls, forwards and turning",
           list_options<PointRobotOptions>()},
          /*has_model=*/false,
          make};
}

}  // namespace c2rl
