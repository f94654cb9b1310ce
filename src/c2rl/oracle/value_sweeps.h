#pragma once

#include <cstdint>
#include <vector>

#include "c2rl/base/random.h"
#include "c2rl/base/vector.h"
#include "c2rl/mdp/model.h"
#include "c2rl/oracle/ties.h"

namespace c2rl {

/// What lies ahead of a state with some number of steps to go, under an optimal policy.
struct Outlook {
  double value = 0;   // expected sum of costs
  double second = 0;  // what decides between equal values: expected steps, or minus these, or nothing

  bool operator==(const Outlook&) const = default;
};

/// Scalar costs of a direction, and the order between equally good choices.
struct ScalarProblem {
  std::vector<double> cost;               // expected cost of every choice
  double cost_scale = 0;                  // the largest of them, absolutely
  double step_cost = 0;                   // what a step adds to the second objective: 1, -1 or 0
  std::vector<std::uint32_t> preference;  // of every choice, smallest first; empty: in order

  ScalarProblem(const TabularModel& model, const Vector& direction, Ties ties, const Rng& rng);

  /// How far apart values of about this size may be and still be equal.
  double tolerance(double value) const { return kTieTolerance * (std::abs(value) + cost_scale); }
};

/// Where the optimal action of a state changes: with fewer than `steps_to_go` it was `action_below`.
struct ActionChange {
  std::int32_t steps_to_go;
  std::int32_t state;
  std::int32_t action_below;
};

/// The states in blocks, and which blocks each block's choices can lead to, its own always among them.
class BlockGraph {
 public:
  explicit BlockGraph(const TabularModel& model);

  static constexpr int kBlockStates =
      1024;  // a few 10 kB of model each: one block's sweep stays in the cache

  int blocks() const { return static_cast<int>(begin_.size()) - 1; }
  bool leads_to_any(int block, const std::vector<std::uint8_t>& marked) const;
  bool single_successors() const { return single_successors_; }

 private:
  std::vector<std::int32_t> begin_ = {0}, next_;
  bool single_successors_ = true;
};

/// Bellman sweeps from the end backwards: after k of them every state's outlook and action are those with k
/// steps to go. A block of states is skipped while nothing its choices lead to has changed in the sweep
/// before: the same inputs give the same outlook, to the bit. When no block has changed, no later sweep can
/// change anything. Blocks write nothing but their own states, so results are bit-identical on any number of
/// threads.
class ValueSweeps {
 public:
  /// Keeps references to all three.
  ValueSweeps(const TabularModel& model, const BlockGraph& graph, const ScalarProblem& problem);

  /// Sweeps until nothing changes, at most `limit` times. Returns whether it ended because nothing changes.
  bool run(int limit);

  int sweeps() const { return sweeps_; }
  const std::vector<Outlook>& outlook() const { return now_; }
  /// The best action of every state; 0 in terminal ones.
  const std::vector<std::int32_t>& actions() const { return actions_; }
  /// All changes of a block's actions on the way, in the order of steps to go.
  const std::vector<std::vector<ActionChange>>& changes() const { return changes_; }
  /// The largest absolute value that any state had after any sweep.
  double largest_value() const;

 private:
  bool sweep();
  template <bool kSingle>
  bool sweep_block(int block);
  /// The place in `options` of the best one.
  int best(const std::vector<Outlook>& options, int count, double least, int first_choice) const;

  const TabularModel& model_;
  const BlockGraph& graph_;
  const ScalarProblem& problem_;
  int sweeps_ = 0;
  std::vector<Outlook> now_, then_;
  std::vector<std::int32_t> actions_;
  std::vector<std::uint8_t> changed_, changing_;  // per block: in the last sweep, in this one
  std::vector<std::vector<ActionChange>> changes_;
  std::vector<double> largest_;  // per block
};

}  // namespace c2rl
