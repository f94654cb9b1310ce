#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "c2rl/base/random.h"
#include "c2rl/base/safetensors.h"
#include "c2rl/base/vector.h"
#include "c2rl/mdp/signals.h"
#include "c2rl/mdp/world_shape.h"

namespace c2rl {

struct World;

/// Room for the actions of a batch of episodes, so that drawing them allocates nothing.
struct ActionBatch {
  ActionBatch(const WorldShape& shape, int size);

  std::vector<int> indices;  // where actions are numbered
  Eigen::MatrixXf values;    // a column per episode where they are real numbers
  Matrix probabilities;      // a column per episode: what numbered actions are drawn with

  Actions view() const { return values.rows() > 0 ? Actions(values) : Actions(indices); }
};

/// How to act: a distribution over actions for every state and time step. Immutable once built, so it may be
/// shared between threads and mixtures.
class Policy {
 public:
  virtual ~Policy() = default;
  Policy(const Policy&) = delete;
  Policy& operator=(const Policy&) = delete;

  /// The name of the format `arrays` has.
  virtual std::string kind() const = 0;

  /// Whether the distributions are the same at every step.
  virtual bool is_stationary() const = 0;

  /// Whether there is nothing to draw: one action has all the probability wherever and whenever. False where
  /// that is not known.
  virtual bool is_deterministic() const { return false; }

  /// Column i of `probabilities` becomes the distribution over the actions where observation i is seen at
  /// `step` (from 0), zero below the last action. The caller sizes it: a column per observation, at least as
  /// many rows as any of these states has actions. None of the states is terminal.
  virtual void action_probabilities(const Observations& observations, int step,
                                    Eigen::Ref<Matrix> probabilities) const = 0;

  /// Draws an action for each observation, for number i from *streams[i], into the first entries of
  /// `actions`. By default actions are numbered and drawn with their probabilities, by one uniform number
  /// each; a policy whose actions are real numbers draws them here, and has no action_probabilities.
  virtual void act(const Observations& observations, int step, std::span<Rng* const> streams,
                   ActionBatch& actions) const;

  /// An InputError where it is not made for this world: a policy from a file is asked this before anything
  /// else.
  virtual void check_fits(const World& world) const = 0;

  /// Everything the policy is made of; the loader of its `kind` rebuilds it from them.
  virtual std::vector<Tensor> arrays() const = 0;
  /// What the loader needs beside the arrays.
  virtual std::map<std::string, std::string> metadata() const { return {}; }
  /// Of the arrays, those that it has in common with other policies, by their names: where many policies are kept,
  /// these are stored once.
  virtual std::vector<std::string> shared() const { return {}; }

 protected:
  Policy() = default;
};

using PolicyPtr = std::shared_ptr<const Policy>;

}  // namespace c2rl
