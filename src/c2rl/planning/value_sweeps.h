#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "c2rl/mdp/model.h"
#include "c2rl/mdp/progress.h"
#include "c2rl/planning/scalar_problem.h"
#include "c2rl/planning/sliced_rows.h"

namespace c2rl {

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

  /// A few 10 kB of model each: one block's sweep stays in the cache.
  static constexpr int kBlockStates = 1024;

  int blocks() const { return static_cast<int>(begin_.size()) - 1; }
  bool leads_to_any(int block, const std::vector<std::uint8_t>& marked) const;
  bool single_successors() const { return single_successors_; }
  /// Some state ends an episode; else all have as many steps.
  bool ends() const { return ends_; }
  int most_choices() const { return most_choices_; }
  /// The most transitions of a choice.
  int branching() const { return branching_; }
  /// What choices lead to, those of sixteen states side by side: first actions, then second ones, and so on, up to the most
  /// choices of a state. Not where states end, or have so different choices that these rows would be mostly empty.
  const std::optional<SlicedRows>& side_by_side() const { return side_by_side_; }
  /// How far the probabilities of a choice come to something else than 1, at most; where these rows are.
  double off_one() const { return off_one_; }

 private:
  void lay_side_by_side(const TabularModel& model);

  std::vector<std::int32_t> begin_ = {0}, next_;
  bool single_successors_ = true, ends_ = false;
  int most_choices_ = 0;  // of a state
  int branching_ = 0;
  std::optional<SlicedRows> side_by_side_;
  double off_one_ = 0;
};

/// Bellman sweeps from the end backwards: after k of them every state's outlook and action are those with k
/// steps to go. A block of states is skipped while nothing its choices lead to has changed in the sweep
/// before: the same inputs give the same outlook, to the bit. When no block has changed, no later sweep can
/// change anything. Blocks write nothing but their own states, so results are bit-identical on any number of
/// threads. Where sixteen states are swept side by side, choices that cannot become the best again within the model's
/// horizon are no longer looked at, once that goes for most (side_by_side_sweeps.cc).
class ValueSweeps {
 public:
  /// Keeps references to all three.
  ValueSweeps(const TabularModel& model, const BlockGraph& graph, const ScalarProblem& problem);

  /// Sweeps until nothing changes, at most `limit` times; in all no more often than the model's horizon. Returns whether it ended because nothing changes.
  bool run(int limit, const Progress& progress = {});

  int sweeps() const { return sweeps_; }
  /// Its second part is 0 where nothing depends on it.
  Outlook outlook(int state) const {
    return {now_[std::ptrdiff_t{width_} * state], width_ == 2 ? now_[2 * std::ptrdiff_t{state} + 1] : 0.0};
  }
  bool has_second() const { return width_ == 2; }
  /// The best action of every state; 0 in terminal ones.
  std::span<const std::int32_t> actions() const { return std::span(actions_).first(model_.states); }
  /// States of which only one choice is still looked at.
  int settled() const;
  /// All changes of a block's actions on the way, in the order of steps to go.
  const std::vector<std::vector<ActionChange>>& changes() const { return changes_; }
  /// The largest absolute value that any state had after any sweep.
  double largest_value() const;

 private:
  bool sweep();
  bool sweep_block(int block);
  template <int kWidth, int kEntries>
  bool sweep_block(int block);
  void lay_side_by_side();
  bool sweep_block_by_value(int block);
  bool sweep_settled_block(int block);
  bool note_moves(int block);
  double look(int state, double* options) const;
  double drift() const;
  bool is_ahead(int state, double lead) const;
  bool can_settle(double drift) const;
  void settle();
  void follow_settled(int state);

  const TabularModel& model_;
  const BlockGraph& graph_;
  const ScalarProblem& problem_;
  int sweeps_ = 0;
  const int width_;                 // parts of an outlook that anything depends on: 2, or its value alone
  std::vector<double> now_, then_;  // outlooks of all states; side by side of as many as make up sixteens
  std::vector<double>
      cost_;  // of choices side by side; infinite where there are none. Empty: it goes state by state
  std::vector<std::int32_t> actions_;
  std::vector<std::uint8_t> changed_, changing_;  // per block: in the last sweep, in this one
  std::vector<std::vector<ActionChange>> changes_;
  std::vector<double> largest_;  // per block

  /// Between which numbers something is.
  struct Between {
    double low = 0, high = 0;
  };
  /// One choice of each state, and the states of every block that may still want another.
  struct Settled {
    SlicedRows rows;
    std::vector<double> cost;
    std::vector<std::vector<std::int32_t>> open;
  };
  std::vector<Between> moves_;  // per block, side by side: by how much values went up in the last sweep
  double settle_below_ = 0;     // this drift, it is tried to settle again
  std::optional<Settled> settled_;
};

}  // namespace c2rl
