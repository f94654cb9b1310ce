#pragma once

#include "c2rl/environments/environment_kinds.h"
#include "c2rl/mdp/controls_testing.h"

namespace c2rl {

struct PlaneKindOptions {
  double radius = 2;
  Episode episode = {.discount = 0.9, .horizon = 6};

  void visit(OptionVisitor& visitor) {
    visitor.number("radius", radius, above(0), "an episode ends beyond it");
    episode.visit(visitor, /*must_be_cut=*/true);
  }
};

/// A kind as a program outside would add it; known from the first call on.
inline const EnvironmentKind& plane_kind() {
  static const EnvironmentKind& added = []() -> const EnvironmentKind& {
    const auto make = [](const Config& section) {
      const auto options = read_options<PlaneKindOptions>(section);
      return plane_world({options.radius, options.episode.discount, options.episode.horizon});
    };
    environment_kinds().add({{"plane", "move a point in the plane", list_options<PlaneKindOptions>()},
                             /*has_model=*/false,
                             make});
    return environment_kinds().find("plane");
  }();
  return added;
}

}  // namespace c2rl
