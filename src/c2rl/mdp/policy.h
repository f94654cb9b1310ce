#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "c2rl/base/safetensors.h"
#include "c2rl/base/vector.h"
#include "c2rl/mdp/observations.h"

namespace c2rl {

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

  /// Column i of `probabilities` becomes the distribution over the actions where observation i is seen at
  /// `step` (from 0), zero below the last action. The caller sizes it: a column per observation, at least as
  /// many rows as any of these states has actions. None of the states is terminal.
  virtual void action_probabilities(const Observations& observations, int step,
                                    Eigen::Ref<Matrix> probabilities) const = 0;

  /// Everything the policy is made of; the loader of its `kind` rebuilds it from them.
  virtual std::vector<Tensor> arrays() const = 0;
  /// What the loader needs beside the arrays.
  virtual std::map<std::string, std::string> metadata() const { return {}; }

 protected:
  Policy() = default;
};

using PolicyPtr = std::shared_ptr<const Policy>;

}  // namespace c2rl
