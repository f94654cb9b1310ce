#pragma once

#include <cstdint>
#include <exception>
#include <span>
#include <vector>

#include "c2rl/base/ranks.h"
#include "c2rl/base/vector.h"
#include "c2rl/mdp/model_part.h"
#include "c2rl/mdp/progress.h"
#include "c2rl/planning/halo.h"

namespace c2rl {

/// Exact planning over a model whose states are parted among ranks, each of which has its own and no more. For models
/// without a horizon.
///
/// Sweeps compute all values from those of the sweep before (Jacobi), so that they do not depend on where the parts begin:
/// the bounds are the same, bit for bit, on any number of ranks and threads. What they rest on: let d be what a Bellman
/// sweep adds to V, at least and at most, of any state. Then the optimum from the start is V there, and d times a number of
/// steps that some policy takes, discounted; and how many these can be is known. The same holds for what a policy
/// measures, of the sweep of that policy.
class PartitionedPlanner {
 public:
  /// An InputError, on all ranks, where the parts do not make up a model that this can plan on. Made by all ranks together,
  /// like the calls; keeps a reference to them.
  PartitionedPlanner(ModelPart part, Ranks& ranks);

  struct Answer {
    std::vector<std::int32_t> actions;  // of this rank's states
    Vector measurement;                 // J
    double error = 0;                   // of each entry, at most
    double lower_bound = 0;             // no policy has less along the direction
    int sweeps = 0;                     // over all choices
    int policy_sweeps = 0;              // over those of one policy
  };

  /// Until the value of the answer is proven to be within `gap` times the size of values of the least one along the
  /// direction, or as near as rounding lets it. What `progress` throws, on the first rank, ends it there, and on all
  /// others by PlanningStopped.
  Answer minimise(const Vector& direction, double gap, const Progress& progress = {});

  std::int64_t states() const { return part_.states_in_all; }
  int dim() const { return part_.dim(); }
  /// The actions of all states, on the first rank; nothing on others.
  std::vector<std::int32_t> gather(const std::vector<std::int32_t>& actions) const;
  /// The most and the least steps of an episode, discounted, that any policy may expect.
  double most_steps() const { return most_steps_; }
  double least_steps() const { return least_steps_; }

 private:
  /// What a sweep adds to the values of states, at least and at most, and how large these are.
  struct Change {
    double least = kInfinity, most = -kInfinity, size = 0;
    void note(double before, double after);
    void merge(const Change& more);
  };
  struct Bracket {
    double lower = 0, upper = 0;
    double width() const { return upper - lower; }
  };

  /// What a policy does, packed: a sweep of it goes through no more than that.
  struct PolicyRows {
    std::vector<std::int32_t> begin;  // of each state's transitions; none where it is terminal
    std::vector<std::int32_t> next;
    std::vector<double> probability;
    std::vector<double> amount;  // of each state, `width` of them
  };

  void find_steps();
  void pack(const double* amount, int width, const std::vector<std::int32_t>& actions);
  Change improve(const std::vector<double>& cost, std::vector<std::int32_t>& actions);
  template <int kWidth>
  void follow(std::span<Change> changes);
  void follow(std::span<Change> changes);
  void measure(double price, double goal, Answer& answer, const Progress& progress);
  void begin(int width);
  void agree_on(std::span<Change> changes, const Progress& progress, double part) const;
  Bracket bracket(double at_start, const Change& change, double rounding) const;
  double at_start(int width, int i) const;
  double rounding(double scale, double size) const;

  ModelPart part_;
  Ranks& ranks_;
  std::vector<std::int64_t> begin_;  // of the ranks' states
  Halo halo_;
  int branching_ = 0;                // the most transitions of a choice, of any rank
  std::vector<std::int32_t> start_;  // states that episodes start in
  double most_steps_ = 0, least_steps_ = 0;
  std::vector<double> values_, updated_;  // of places in the halo
  PolicyRows rows_;
};

/// Thrown on ranks whose first has been asked to stop.
struct PlanningStopped : std::exception {};

}  // namespace c2rl
