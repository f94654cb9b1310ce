#pragma once

#include <cstdint>
#include <vector>

#include <Eigen/Core>

#include "c2rl/base/safetensors.h"
#include "c2rl/base/state_visitor.h"
#include "c2rl/mdp/world_shape.h"

namespace c2rl {

/// Steps that were taken, whatever for: what was seen, done and measured. They keep what each step came to as it
/// is, number by number, so that the same ones serve every direction. The latest are kept, as many as there is
/// room for; all memory is taken in the constructor.
struct Transitions {
  /// What was seen is a state or, where the shape has features, a column of them; what was done is the number of an
  /// action, or a column of controls.
  Transitions(const WorldShape& shape, int outcomes, std::int64_t room);

  std::vector<int> state, next_state, action;
  Eigen::MatrixXf features, next_features, controls;
  Eigen::MatrixXf outcome;               // what a step came to: a row per number that is counted
  std::vector<std::uint8_t> terminated;  // nothing comes after it

  int size() const { return size_; }
  int room() const { return static_cast<int>(terminated.size()); }
  /// Ever added, those that are gone, too.
  std::int64_t added() const { return added_; }
  int outcomes() const { return static_cast<int>(outcome.rows()); }
  bool has_features() const { return features.rows() > 0; }
  bool has_controls() const { return controls.rows() > 0; }

  /// One more, in the place of the oldest where there is no room; says where. Its parts are to be filled in.
  int add();
  /// Where the one is that was added as number `number`, from 0, while it is there.
  int place(std::int64_t number) const { return static_cast<int>(number % room()); }

  /// Those added from number `first` on that are still there, in their order.
  Safetensors since(std::int64_t first) const;
  /// Adds what `since` gave. UnfitState where that is of another shape, or holds what no step can have.
  void append(const Safetensors& content) { append(content, added_); }
  /// As those that were added from number `first` on.
  void append(const Safetensors& content, std::int64_t first);

 private:
  void visit(StateVisitor& columns);
  void copy(const Transitions& from, int place);

  WorldShape shape_;
  int size_ = 0;
  std::int64_t added_ = 0;
};

}  // namespace c2rl
