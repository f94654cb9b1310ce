#pragma once

#include <vector>

#include "c2rl/base/state_visitor.h"
#include "c2rl/mdp/environment.h"

namespace c2rl {

/// What episodes of a training came to along a direction. They cost nothing, and tell when it is worth trying the
/// policy on fresh ones: the actor explores in them, and has changed on the way.
class TrainingEpisodes {
 public:
  TrainingEpisodes(int slots, const Vector& direction, double discount);

  /// An episode begins in a slot.
  void begin(int slot);
  /// What a step of it measured.
  void add(int slot, const Eigen::Ref<const Vector>& measurement);
  /// It has come to its end, ...
  void end(int slot) { end_with(sum_[slot]); }
  /// ... or an episode has whose sum somebody else has kept.
  void end_with(double sum) { last_[finished_++ % kFew] = sum; }

  /// Since the last `forget`, the last few of them.
  bool enough() const { return finished_ >= kFew; }
  double mean() const;
  double spread() const;
  void forget() { finished_ = 0; }

  void visit(StateVisitor& state);

 private:
  static constexpr int kFew = 16;

  Vector direction_;
  double discount_;
  std::vector<double> sum_, weight_;  // by slot: so far; of what is measured next
  std::vector<double> last_ = std::vector<double>(kFew, 0.0);
  std::int64_t finished_ = 0;
};

}  // namespace c2rl
