#include "c2rl/base/error.h"
#include "c2rl/environments/environment_kinds.h"
#include "c2rl/environments/named_measurements.h"

namespace c2rl {
namespace {

struct ExternalOptions {
  void visit(OptionVisitor& visitor) {
    visitor.described("measurements", "a list of texts", "", "what the program measures, in its order");
  }
};

}  // namespace

/// A world that another program knows, and is asked for whole episodes of. What is known here is what it
/// measures.
EnvironmentKind external_kind() {
  const auto make = [](const Config& section) {
    World world;
    world.measurements = named_measurements(section);
    world.environment = [](int) -> std::unique_ptr<Environment> {
      throw InputError({.field = "environment.kind"},
                       "is external: only the oracle's own program can act there");
    };
    return world;
  };
  EnvironmentKind kind{
      {"external", "a world that only the oracle's own program knows", list_options<ExternalOptions>()},
      /*has_model=*/false,
      make};
  kind.can_be_acted_in = false;
  return kind;
}

}  // namespace c2rl
