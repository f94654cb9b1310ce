#include "c2rl/offline/dataset.h"

#include <cmath>
#include <set>

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/mdp/sampling.h"

namespace c2rl {
namespace {

/// More than any table over the actions could hold; above it a number was misread.
constexpr int kMostActions = 1 << 20;

[[noreturn]] void fail(const std::string& field, const std::string& message) {
  throw InputError({.field = field}, message);
}

void check_header(const Dataset& dataset) {
  if (dataset.measurements.empty()) fail("measurements", "found none, expected at least one name");
  std::set<std::string> names;
  for (const std::string& name : dataset.measurements) {
    if (name.empty()) fail("measurements", "found an empty name");
    if (!names.insert(name).second) fail("measurements", fmt::format("found '{}' twice", name));
  }
  if (!(dataset.discount > 0 && dataset.discount <= 1))
    fail("discount", fmt::format("found {}, expected a number above 0, at most 1", dataset.discount));
  if (dataset.horizon < 0) fail("horizon", fmt::format("found {}, expected 0 or more", dataset.horizon));
  if (dataset.states < 0 || dataset.features < 0 || (dataset.states > 0) == (dataset.features > 0)) {
    fail("states", fmt::format("found {} states and {} features, expected some of one and none of the other",
                               dataset.states, dataset.features));
  }
  if (dataset.controls != 0)
    fail("controls",
         fmt::format("found {}, expected 0: the actions of a dataset are numbered", dataset.controls));
  if (dataset.actions < 1 || dataset.actions > kMostActions)
    fail("actions", fmt::format("found {}, expected 1 to {}", dataset.actions, kMostActions));
}

void check_lengths(const Dataset& dataset) {
  const Eigen::Index n = dataset.size();
  if (n == 0) fail("action", "found no transitions, expected at least one");
  const auto length = [n](const char* field, Eigen::Index found, Eigen::Index expected) {
    if (found != expected)
      fail(field, fmt::format("found {} entries for {} transitions, expected {}", found, n, expected));
  };
  const Eigen::Index indexed = dataset.states > 0 ? n : 0;
  length("state", std::ssize(dataset.state), indexed);
  length("next_state", std::ssize(dataset.next_state), indexed);
  for (const auto& [field, matrix] : {std::pair{"observation", &dataset.observation},
                                      std::pair{"next_observation", &dataset.next_observation}}) {
    length(field, matrix->size(), dataset.features * n);
    if (dataset.features > 0 && matrix->rows() != dataset.features)
      fail(field, fmt::format("found {} rows, expected {}", matrix->rows(), dataset.features));
  }
  length("probability", std::ssize(dataset.probability), n);
  length("measurement", dataset.measurement.size(), dataset.dim() * n);
  if (dataset.measurement.rows() != dataset.dim())
    fail("measurement", fmt::format("found {} rows, expected {}", dataset.measurement.rows(), dataset.dim()));
  length("terminated", std::ssize(dataset.terminated), n);
  length("truncated", std::ssize(dataset.truncated), n);
}

void check_transition(const Dataset& dataset, int i) {
  const auto index = [i](const char* field, int found, int below) {
    if (found < 0 || found >= below)
      fail(field, fmt::format("transition {}: found {}, expected 0 to {}", i, found, below - 1));
  };
  const auto finite = [i](const char* field, const auto& values) {
    if (!values.allFinite())
      fail(field, fmt::format("transition {}: found a value that is not a finite number", i));
  };
  if (dataset.states > 0) {
    index("state", dataset.state[i], dataset.states);
    index("next_state", dataset.next_state[i], dataset.states);
  } else {
    finite("observation", dataset.observation.col(i));
    finite("next_observation", dataset.next_observation.col(i));
  }
  index("action", dataset.action[i], dataset.actions);
  if (const double p = dataset.probability[i]; !(p > 0 && p <= 1))
    fail("probability", fmt::format("transition {}: found {}, expected a number above 0, at most 1", i, p));
  finite("measurement", dataset.measurement.col(i));
  index("terminated", dataset.terminated[i], 2);
  index("truncated", dataset.truncated[i], 2);
  if (dataset.terminated[i] && dataset.truncated[i])
    fail("truncated", fmt::format("transition {} is both terminated and truncated", i));
}

/// Transition i leads to where i + 1 begins.
bool follows(const Dataset& dataset, int i) {
  return dataset.states > 0 ? dataset.next_state[i] == dataset.state[i + 1]
                            : dataset.next_observation.col(i) == dataset.observation.col(i + 1);
}

void check_episodes(const Dataset& dataset) {
  const std::vector<int>& begin = dataset.episode_begin;
  if (begin.size() < 2 || begin.front() != 0 || begin.back() != dataset.size()) {
    fail("episode_begin",
         fmt::format("found {} entries from {} to {}, expected at least 2 from 0 to {}", begin.size(),
                     begin.empty() ? 0 : begin.front(), begin.empty() ? 0 : begin.back(), dataset.size()));
  }
  for (int e = 0; e < dataset.episodes(); ++e) {
    if (begin[e] > begin[e + 1])
      fail("episode_begin", fmt::format("episode {}: found {} after {}", e, begin[e + 1], begin[e]));
  }
  for (int e = 0; e < dataset.episodes(); ++e) {
    for (int i = begin[e]; i + 1 < begin[e + 1]; ++i) {
      if (dataset.terminated[i] || dataset.truncated[i])
        fail("terminated", fmt::format("episode {} goes on after transition {}, which ends it", e, i));
      if (!follows(dataset, i))
        fail("state", fmt::format("episode {}: transition {} does not begin where {} led", e, i + 1, i));
    }
    if (dataset.horizon > 0 && dataset.length(e) > dataset.horizon) {
      fail("episode_begin", fmt::format("episode {}: found {} steps, expected at most the horizon, {}", e,
                                        dataset.length(e), dataset.horizon));
    }
  }
}

}  // namespace

bool Dataset::is_complete(int episode) const {
  const int steps = length(episode);
  if (steps == 0 || terminated[episode_begin[episode + 1] - 1]) return true;
  if (horizon > 0) return steps == horizon;
  // The limit is a whole number of steps, found by dividing logarithms.
  constexpr double kRounding = 1e-9;
  return discount < 1 && steps * std::log(discount) <= std::log(kDiscountedTail) * (1 - kRounding);
}

void validate(const Dataset& dataset) {
  check_header(dataset);
  check_lengths(dataset);
  for (int i = 0; i < dataset.size(); ++i) check_transition(dataset, i);
  check_episodes(dataset);
}

}  // namespace c2rl
