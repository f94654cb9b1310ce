#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "c2rl/base/random.h"
#include "c2rl/base/vector.h"
#include "c2rl/mdp/model.h"
#include "c2rl/mdp/signals.h"

namespace c2rl {

/// Something to act in: many episodes that step together, each in a slot of the batch.
///
///   environment.reset(slot, rng.fork("episode", i));
///   while (!environment.ended(slot)) environment.step(actions);
///
/// All randomness of an episode comes from the stream it was begun with, so episode i goes the same way in
/// any slot of a batch of any size. A slot is ended until its first reset. Nothing is allocated after
/// construction.
class Environment {
 public:
  virtual ~Environment() = default;
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  int batch() const { return static_cast<int>(states_.size()); }
  /// Measurements of a step.
  int dim() const { return static_cast<int>(measurement_.rows()); }
  /// What is observed is the index of a state, below this; 0 where it is features instead.
  virtual int state_count() const = 0;
  int feature_count() const { return static_cast<int>(features_.rows()); }
  /// Where actions are numbered, those of a state are 0 .. action_count(state) - 1. Where features are
  /// observed, all states are state 0 here and in states().
  virtual int action_count(int state) const = 0;
  /// Where that is not 0, an action is this many real numbers instead, and action_count means nothing.
  int control_count() const { return controls_; }

  /// Begins an episode in a slot, whatever was there.
  void reset(int slot, const Rng& stream);
  /// The same in several slots, episode i from streams[i]: sooner where others step some of them.
  void reset(std::span<const int> slots, std::span<const Rng> streams);
  /// Begins an episode in every slot: in slot i, the one that draws from rng.fork("episode", first + i).
  void reset(const Rng& rng, std::uint64_t first = 0);

  /// Takes an action in every slot that goes on; what `actions` says for an ended one is ignored.
  void step(const Actions& actions);

  /// The states the slots are in; of an ended episode, the last one.
  std::span<const int> states() const { return states_; }
  /// What is seen there, a column per slot, where features are observed.
  const Eigen::MatrixXf& features() const { return features_; }
  /// What all slots see.
  Observations observations() const {
    return feature_count() > 0 ? Observations(features_) : Observations(states_);
  }
  /// Steps taken since the reset.
  std::span<const int> steps() const { return steps_; }
  /// What the last step measured, a column per slot; zero where none was taken.
  const Matrix& measurement() const { return measurement_; }
  /// The episode is over: no further step would measure anything.
  bool terminated(int slot) const { return terminated_[slot] != 0; }
  /// The episode was cut at the horizon and would have gone on; never together with `terminated`.
  bool truncated(int slot) const { return truncated_[slot] != 0; }
  bool ended(int slot) const { return terminated(slot) || truncated(slot); }

 protected:
  /// Episodes are cut after `horizon` steps; 0: never.
  Environment(int batch, int dim, int horizon, int features = 0, int controls = 0);

  std::vector<int> states_;
  Eigen::MatrixXf features_;
  std::vector<Rng> streams_;
  Matrix measurement_;
  std::vector<std::uint8_t> terminated_;
  std::vector<std::uint8_t> truncated_;  // by the horizon, unless there is none here, and who derives knows

 private:
  /// Sets the slot's entry of states_, or of features_, and of terminated_.
  virtual void begin(int slot) = 0;
  /// The same for several slots.
  virtual void begin_all(std::span<const int> slots);
  /// Moves every slot that has not ended: sets its entries of states_ (or features_), terminated_ and
  /// measurement_. The actions are valid.
  virtual void advance(const Actions& actions) = 0;
  /// A defect of the caller's, unless there is an action for every slot that goes on.
  void check(const Actions& actions) const;
  void prepare(int slot, const Rng& stream);

  int horizon_;
  int controls_;
  std::vector<int> steps_;
};

/// Samples a model, up to its horizon; without one, an episode that never terminates goes on.
std::unique_ptr<Environment> make_tabular_environment(std::shared_ptr<const TabularModel> model, int batch);

}  // namespace c2rl
