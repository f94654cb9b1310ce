#include <limits>

#include "c2rl/base/error.h"
#include "c2rl/environments/environment_kinds.h"
#include "c2rl/environments/named_measurements.h"

namespace c2rl {
namespace {

constexpr double kMostNumbers = 1e6;

struct PythonOptions {
  std::string object;
  int states = 0, features = 0, actions = 0, controls = 0;
  Episode episode;

  void visit(OptionVisitor& visitor) {
    visitor.described("measurements", "a list of texts", "", "what is measured there, in its order");
    visitor.text("object", object, "what it is, in the program's words");
    visitor.integer("states", states, between(0, std::numeric_limits<int>::max()),
                    "what is seen is a number below this; 0: features");
    visitor.integer("features", features, between(0, kMostNumbers), "real numbers that are seen; 0: a state");
    visitor.integer("actions", actions, between(0, kMostNumbers),
                    "what is done is a number below this; 0: controls");
    visitor.integer("controls", controls, between(0, kMostNumbers),
                    "real numbers, from -1 to 1, that are done; 0: an action");
    episode.visit(visitor);
  }
};

}  // namespace

/// An environment of a Python program, which brings what acts in it (Provided::environment). What is known here is its
/// shape, so that everyone can read of runs in it.
EnvironmentKind python_environment_kind() {
  const auto make = [](const Config& section) {
    World world;
    world.measurements = named_measurements(section);
    const auto options = read_options<PythonOptions>(section);
    section.expect((options.states > 0) != (options.features > 0), "states", "states or features");
    section.expect((options.actions > 0) != (options.controls > 0), "actions", "actions or controls");
    world.states = options.states;
    world.features = options.features;
    world.actions = options.actions;
    world.controls = options.controls;
    options.episode.apply_to(world);
    world.environment = [](int) -> std::unique_ptr<Environment> {
      throw InputError({.field = "environment.kind"},
                       "is python: only the program that has the environment can act in it");
    };
    return world;
  };
  EnvironmentKind kind{
      {"python", "an environment of a Python program, for the oracles here", list_options<PythonOptions>()},
      /*has_model=*/false,
      make};
  kind.can_be_acted_in = false;
  return kind;
}

}  // namespace c2rl
