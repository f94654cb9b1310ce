#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "c2rl/base/safetensors.h"
#include "c2rl/base/vector.h"
#include "c2rl/mdp/world_shape.h"

namespace c2rl {

/// Recorded episodes: what was seen, done and measured, step by step. Transitions keep the whole measurement
/// vector, so that one dataset serves every direction, and the probability the behaviour gave to what it did,
/// so that other policies can be judged by it.
///
/// The transitions of an episode lie behind each other, each beginning where the one before led. Actions are
/// numbered.
struct Dataset : WorldShape {
  std::vector<int> state, next_state;             // where states are indexed, else empty
  Eigen::MatrixXf observation, next_observation;  // features x transitions where features are observed
  std::vector<int> action;
  std::vector<double> probability;  // with which the behaviour took that action there, above 0
  Matrix measurement;               // m x transitions
  /// How an episode's last transition ended it: it was over, or it was cut and would have gone on. Neither:
  /// the collection ended there, and nothing is known of the rest.
  std::vector<std::uint8_t> terminated, truncated;
  /// The first transition of each episode, and size() behind the last. An episode without transitions was
  /// over where it began.
  std::vector<int> episode_begin = {0};

  int size() const { return static_cast<int>(action.size()); }
  int episodes() const { return static_cast<int>(episode_begin.size()) - 1; }
  int length(int episode) const { return episode_begin[episode + 1] - episode_begin[episode]; }
  /// Nothing of the episode is missing: it terminated, or reached the horizon, or without one went on until
  /// discounting left nothing.
  bool is_complete(int episode) const;
};

/// Throws an InputError that says what was found, where, and what was expected, unless everything said above
/// holds: lengths, ranges, finite numbers, episodes that hang together and end where they say, and that none
/// goes beyond the horizon.
void validate(const Dataset& dataset);

/// The episodes with these numbers, in this order.
Dataset select_episodes(const Dataset& dataset, std::span<const int> episodes);

/// The numbers of a dataset's episodes: those that policies are learned from, and those that judge them.
struct EpisodeSplit {
  std::vector<int> learning;
  std::vector<int> judging;
};
/// Leaves `judging_part`, below 1, of the episodes to judge by. Datasets are recorded by one behaviour after
/// another, so both parts are spread evenly over the file, and so is every run of consecutive entries of
/// `judging`. Which part an episode falls into depends on nothing that happened in it.
EpisodeSplit split_episodes(int episodes, double judging_part);

/// One safetensors file (docs/datasets.md). The dataset is validated first, and the file is whole or not
/// there.
void write_dataset(const std::string& path, const Dataset& dataset);
Safetensors to_safetensors(const Dataset& dataset);

/// Whatever the file holds, this gives a valid dataset, as it was written, or an InputError that names the
/// file and says what is wrong.
Dataset read_dataset(const std::string& path);
/// The same for what was read from a file.
Dataset dataset_from(const Safetensors& content, const std::string& file);

}  // namespace c2rl
