#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "c2rl/base/kinds.h"
#include "c2rl/mdp/model.h"
#include "c2rl/mdp/world.h"

namespace c2rl {

/// What a world looks like whose states are the cells of a grid, row after row, and whose actions 0 to 3 are up, down,
/// left and right.
struct WorldMap {
  int columns = 0;
  std::vector<std::string> marks;  // by state: what stands in its cell; empty: nothing to speak of
};

/// A kind of environment that [environment] can name.
struct EnvironmentKind : KindInfo {
  bool has_model = true;  // finitely many states with known probabilities; else it can only be acted in
  /// What is wrong with the section is an InputError; one that does not say in which file is put at the key
  /// that it names.
  std::function<World(const Config& section)> make;
  bool can_be_acted_in = true;  // by us; else only by an oracle that brings this world
  /// The map of the world that a section describes, which is valid; empty for kinds that have none.
  std::function<WorldMap(const Config& section)> map = {};
};
Kinds<EnvironmentKind>& environment_kinds();

/// The measurement that many kinds can add: 1 when an episode arrives at its goal, so that its mean is how
/// often.
inline constexpr const char* kReached = "reached";

/// What the traits of a kind mean, for listings.
std::vector<std::string> trait_words(const EnvironmentKind& kind);

/// The world that an [environment] section describes, by its `kind`, with what its table `range` declares of
/// the totals of episodes (name = [lowest, highest]). An unknown kind suggests the nearest one; bad values
/// are InputErrors that name file, line and field, and so are keys that the kind does not know.
World make_world(const Config& section);

/// The world of a model that was made from a section: when all keys of the section are known, and the model
/// is valid.
World make_world(const Config& section, TabularModel model);

/// A kind that has a model, from its options, a struct with `visit` (see OptionVisitor), what makes a model of
/// them and, where there is one, a map. Options with a `partition` have world_in_parts(), for when that is asked for.
template <typename Options>
EnvironmentKind model_kind(std::string name, std::string summary,
                           TabularModel (*make)(const Options& options),
                           WorldMap (*map)(const Options& options) = nullptr) {
  EnvironmentKind kind{{std::move(name), std::move(summary), list_options<Options>()},
                       /*has_model=*/true,
                       [make](const Config& section) {
                         const auto options = read_options<Options>(section);
                         if constexpr (requires { options.world_in_parts(); }) {
                           if (options.partition.partitioned) return options.world_in_parts();
                         }
                         return make_world(section, make(options));
                       }};
  if (map) kind.map = [map](const Config& section) { return map(read_options<Options>(section)); };
  return kind;
}

/// The option of kinds whose model can be had in parts: a maker of `part` for make_world in mdp/world.h.
struct Partition {
  bool partitioned = false;

  void visit(OptionVisitor& visitor) {
    visitor.flag("partitioned", partitioned,
                 "every rank has its part of the model and none the whole; only oracle.kind = "
                 "\"partitioned-planning\" can use it");
  }
};

/// How long episodes are: options that many kinds share.
struct Episode {
  double discount = 1.0;
  int horizon = 0;  // 0: episodes are never cut

  /// With `must_be_cut`, where nothing else ends them, there is no horizon of 0.
  void visit(OptionVisitor& visitor, bool must_be_cut = false);
  void apply_to(TabularModel& model) const;
  /// The same for a world that can only be acted in; there is a horizon.
  void apply_to(World& world) const;
  /// What the longest episode's steps count for, discounted.
  double most_steps() const;
};

}  // namespace c2rl
