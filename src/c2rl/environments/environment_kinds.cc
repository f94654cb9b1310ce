#include "c2rl/environments/environment_kinds.h"

#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>

#include "c2rl/environments/declared_ranges.h"

namespace c2rl {

// Each in a file of its own.
EnvironmentKind grid_kind(), deep_sea_treasure_kind(), mars_rover_kind(), rock_paper_scissors_kind(),
    worst_case_kind(), garnet_kind(), file_kind(), cart_pole_kind(), pendulum_kind(), mountain_car_kind(),
    point_robot_kind(), external_kind(), python_environment_kind();

Kinds<EnvironmentKind>& environment_kinds() {
  static Kinds<EnvironmentKind> kinds(
      "environment", {grid_kind(), deep_sea_treasure_kind(), mars_rover_kind(), rock_paper_scissors_kind(),
                      worst_case_kind(), garnet_kind(), file_kind(), cart_pole_kind(), pendulum_kind(),
                      mountain_car_kind(), point_robot_kind(), external_kind(), python_environment_kind()});
  return kinds;
}

std::vector<std::string> trait_words(const EnvironmentKind& kind) {
  if (!kind.can_be_acted_in) return {"only a program of its own can act in it"};
  return {kind.has_model ? "a model: exact planning is possible" : "can only be acted in"};
}

World make_world(const Config& section) {
  const EnvironmentKind& kind = environment_kinds().named_in(section);
  const DeclaredRanges ranges(section);
  try {
    World world = kind.make(section);
    section.reject_unknown_keys();
    if (kind.has_model != (world.model || world.part))
      throw std::logic_error("environment kind '" + kind.name + "' says otherwise whether it has a model");
    ranges.apply_to(world);
    return world;
  } catch (const InputError& error) {
    if (!error.place().file.empty()) throw;
    section.fail("kind", error);
  }
}

World make_world(const Config& section, TabularModel model) {
  section.reject_unknown_keys();  // a misspelt key explains more than what its absence does to the model
  try {
    validate(model);
  } catch (const InputError& error) {
    // What is wrong with `model.horizon` is wrong with the key of that name.
    const std::string& field = error.place().field;
    throw InputError({.field = field.substr(field.find('.') + 1)}, error.message());
  }
  return make_world(std::make_shared<const TabularModel>(std::move(model)));
}

void Episode::visit(OptionVisitor& visitor, bool must_be_cut) {
  const Range discounts{.lowest = 0, .highest = 1, .open_below = true};
  visitor.number("discount", discount, discounts,
                 "each step counts this many times as much as the one before");
  visitor.integer("horizon", horizon, between(must_be_cut ? 1 : 0, std::numeric_limits<int>::max()),
                  must_be_cut ? "steps after which an episode is cut, as nothing else need end it"
                              : "steps after which an episode is cut; 0: never");
}

double Episode::most_steps() const {
  if (horizon == 0) return discount < 1 ? 1 / (1 - discount) : kInfinity;
  return discount < 1 ? -std::expm1(horizon * std::log(discount)) / (1 - discount) : horizon;
}

void Episode::apply_to(TabularModel& model) const {
  model.discount = discount;
  model.horizon = horizon;
}

void Episode::apply_to(World& world) const {
  world.discount = discount;
  world.horizon = world.episode_limit = horizon;
}

}  // namespace c2rl
