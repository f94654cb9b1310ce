#include "c2rl/mdp/environments.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace c2rl {
namespace {

/// Finitely many states are given by a model, others by what happens there.
struct Entry {
  EnvironmentKind kind;
  TabularModel (*make_model)(const Config& section);
  World (*make_world)(const Config& section) = nullptr;
};

const std::vector<Entry>& registry() {
  static const std::vector<Entry> entries = {
      {{"grid", "a grid world drawn as text, with amounts measured per cell entered"}, make_grid},
      {{"deep-sea-treasure", "a submarine trades treasure against time; maps convex and concave"},
       make_deep_sea_treasure},
      {{"mars-rover", "an 8x8 grid with craters and a slipping rover; crash and reward"}, make_mars_rover},
      {{"rock-paper-scissors", "win with each action often enough against a uniform opponent"},
       make_rock_paper_scissors},
      {{"worst-case", "one state whose only solution mixes m + 1 policies"}, make_worst_case},
      {{"garnet", "a random model of given size"}, make_garnet},
      {{"file", "an explicit model in Storm's DRN format"}, make_from_file},
      {{"cart-pole", "balance a pole on a cart without leaving the middle; continuous observations"},
       nullptr,
       make_cart_pole},
  };
  return entries;
}

}  // namespace

const std::vector<EnvironmentKind>& environment_kinds() {
  static const std::vector<EnvironmentKind> kinds = [] {
    std::vector<EnvironmentKind> all;
    for (const Entry& entry : registry()) all.push_back(entry.kind);
    return all;
  }();
  return kinds;
}

World make_world(const Config& section) {
  std::vector<std::string> names;
  for (const EnvironmentKind& kind : environment_kinds()) names.push_back(kind.name);
  const std::string name = section.choice("kind", names);
  const auto entry = std::find_if(registry().begin(), registry().end(),
                                  [&](const Entry& candidate) { return candidate.kind.name == name; });
  if (entry->make_world) {
    World world = entry->make_world(section);
    section.reject_unknown_keys();
    return world;
  }
  auto model = std::make_shared<TabularModel>(entry->make_model(section));
  section.reject_unknown_keys();  // a misspelt key explains more than what its absence does to the model
  try {
    validate(*model);
  } catch (const InputError& error) {
    section.fail("kind", error.what());
  }
  return make_world(std::move(model));
}

Episode read_episode(const Config& section, const Episode& defaults) {
  Episode episode;
  episode.discount = section.number("discount", defaults.discount);
  section.expect(episode.discount > 0 && episode.discount <= 1, "discount", "a number in (0, 1]");
  episode.horizon = read_count(section, "horizon", defaults.horizon, 0, std::numeric_limits<int>::max());
  return episode;
}

void read_episode(const Config& section, const Episode& defaults, TabularModel& model) {
  const Episode episode = read_episode(section, defaults);
  model.discount = episode.discount;
  model.horizon = episode.horizon;
}

int read_count(const Config& section, const std::string& key, int fallback, int lowest, int highest) {
  const std::int64_t value = section.integer(key, fallback);
  section.expect(value >= lowest && value <= highest, key,
                 fmt::format("a whole number from {} to {}", lowest, highest));
  return static_cast<int>(value);
}

}  // namespace c2rl
