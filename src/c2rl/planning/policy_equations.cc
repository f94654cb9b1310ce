#include "c2rl/planning/policy_equations.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "c2rl/mdp/parallel.h"
#include "c2rl/mdp/relaxation_sweeps.h"

namespace c2rl {
namespace {

/// What a thread is given at least: rows that take some twenty microseconds.
constexpr int kSlices = 256;

/// Blocks of a sweep, at least and at most: with more, a sweep carries a little farther, and threads wait for each other more
/// often; so that each has work for some.
int blocks_of(int slices) {
  constexpr int kFewest = 16, kMost = 64, kThreads = 4;
  return std::clamp(slices / (kThreads * kSlices), kFewest, kMost);
}

/// Empty entries that rows side by side may have, as a part of all.
constexpr double kMostEmpty = 0.5;

/// The part of all states that must be in one component. Others cost no more than as many more states would.
constexpr double kMostly = 0.75;

/// Of the mean move of a sweep, what is left out from then on. What is common to all moves in sweep after sweep would come to
/// about half of its first move over (1 - discount): a sweep that goes block by block carries it twice as far as a step, and
/// farther by as much as states are solved for themselves.
constexpr double kLeaveOut = 0.5;

/// Of every state the entries of its longest choice.
std::vector<std::int32_t> longest_choices(const TabularModel& model) {
  std::vector<std::int32_t> longest(model.states, 0);
  for (int s = 0; s < model.states; ++s) {
    for (int k = model.choice_begin[s]; k < model.choice_begin[s + 1]; ++k)
      longest[s] = std::max(longest[s], model.transition_begin[k + 1] - model.transition_begin[k]);
  }
  return longest;
}

}  // namespace

Vector largest_by_row(const Matrix& numbers) {
  return with_systems(numbers.rows(), [&](auto rows) -> Vector {
    constexpr int kRows = rows() > 0 ? rows() : Eigen::Dynamic;
    Eigen::Matrix<double, kRows, 1> largest = Eigen::Matrix<double, kRows, 1>::Zero(numbers.rows());
    for (Eigen::Index k = 0; k < numbers.cols(); ++k)
      largest = largest.cwiseMax(numbers.col(k).template head<kRows>(numbers.rows()).cwiseAbs());
    return largest;
  });
}

Vector units_of(const Matrix& expected) {
  Vector unit = largest_by_row(expected);
  for (double& u : unit) u = u == 0 ? 1 : std::exp2(std::ilogb(u));
  return unit;
}

bool PolicyEquations::usable(const TabularModel& model, const StateOrder& order) {
  if (model.discount == 1 || order.ends()) return false;
  int largest = 0;
  for (int c = 0; c < order.components(); ++c)
    largest = std::max(largest, static_cast<int>(order.component(c).size()));
  if (largest < kMostly * model.states) return false;
  for (int s = 0; s < model.states; ++s) {
    if (model.is_terminal(s)) return false;  // which no episode comes to
  }
  const double mean = static_cast<double>(model.transitions()) / model.choices();
  return SlicedRows::padded(longest_choices(model)) * (1 - kMostEmpty) <=
         mean * (model.states + SlicedRows::kLanes);
}

PolicyEquations::PolicyEquations(const TabularModel& model, const Matrix& expected)
    : model_(model),
      expected_(expected),
      unit_(units_of(expected)),
      per_unit_(unit_.cwiseInverse()),
      action_(model.states, -1),
      measured_(Matrix::Zero(expected.rows(), model.states)),
      rows_(longest_choices(model), SlicedRows::Products::both),
      weight_(room(1), 1.0F),
      comes_back_(rows_.slices(), 0),
      slices_per_block_((rows_.slices() + blocks_of(rows_.slices()) - 1) / blocks_of(rows_.slices())) {
  for (int k = 0; k < model.choices(); ++k)
    branching_ = std::max(branching_, model.transition_begin[k + 1] - model.transition_begin[k]);
}

/// A state that comes back to itself is solved for itself.
void PolicyEquations::take(int state, int action) {
  if (action_[state] == action) return;
  action_[state] = action;
  const int k = model_.choice_begin[state] + action;
  const int first = model_.transition_begin[k], count = model_.transition_begin[k + 1] - first;
  for (Eigen::Index j = 0; j < measured_.rows(); ++j) measured_(j, state) = expected_(j, k) * per_unit_[j];
  double back = 0;
  for (int e = first; e < first + count; ++e) back += model_.next[e] == state ? model_.probability[e] : 0.0;
  const double weight = 1 / (1 - model_.discount * back);
  const float before = std::exchange(weight_[state], static_cast<float>(weight));
  if (before != weight_[state]) weights_changed_.store(true, std::memory_order_relaxed);
  if (back > 0) comes_back_[state / SlicedRows::kLanes] = 1;
  rows_.set(state, count, [&](int i) {
    const std::int32_t next = model_.next[first + i];
    const double exact = model_.discount * model_.probability[first + i];
    return SlicedRows::Entry{next, exact, next == state ? 0.0F : static_cast<float>(weight * exact)};
  });
}

void PolicyEquations::sweep(int systems, const float* b, float* x, float* left) {
  ++sweeps_;
  with_systems(systems, [&](auto known) { sweep_systems<known()>(systems, b, x, left); });
}

template <int kSystems>
void PolicyEquations::sweep_systems(int systems, const float* b, float* x, float* left) {
  const int count = kSystems > 0 ? kSystems : systems, numbers = SlicedRows::kLanes * count;
  block_.resize(std::max(block_.size(), static_cast<std::size_t>(slices_per_block_) * numbers));
  // What the numbers of a slice do, summed up by their place in it: always in the same order.
  moves_.assign(std::size_t{2} * numbers, 0.0F);
  float *const leaves = moves_.data(), *const sum = leaves + numbers;
  for (int i = 0; i < numbers; ++i) leaves[i] = left[i % count];
  if (weights_changed_.exchange(false))
    mean_weight_ = std::accumulate(weight_.begin(), weight_.begin() + model_.states, 0.0) / model_.states;
  const std::ptrdiff_t end = std::ptrdiff_t{model_.states} * count;
  for (int first = 0; first < rows_.slices(); first += slices_per_block_) {
    const int slices = std::min(slices_per_block_, rows_.slices() - first);
    for_ranges_parallel(slices, kSlices, [&](int begin, int last) {
      rows_.multiply<kSystems>(first + begin, first + last, count, x,
                               block_.data() + std::ptrdiff_t{begin} * numbers);
    });
    for (int slice = 0; slice < slices; ++slice) {
      const std::ptrdiff_t at = std::ptrdiff_t{first + slice} * numbers;
      float *const y = block_.data() + std::ptrdiff_t{slice} * numbers, *const to = x + at;
      for (int i = 0; i < numbers; ++i) y[i] += b[at + i] - leaves[i];
      if (comes_back_[first + slice]) weigh(first + slice, count, b + at, leaves, y);
      // What only fills the last slice stays at 0.
      if (at + numbers > end) std::fill(y + (end - at), y + numbers, 0.0F);
      for (int i = 0; i < numbers; ++i) {
        sum[i] += y[i] - to[i];
        to[i] = y[i];
      }
    }
  }
  for (int j = 0; j < count; ++j) {
    double all = 0;
    for (int i = j; i < numbers; i += count) all += static_cast<double>(sum[i]);
    left[j] += static_cast<float>(kLeaveOut * all / (model_.states * mean_weight_));
  }
}

/// Of a slice, with states in it that come back to themselves: what they cost counts more than once.
void PolicyEquations::weigh(int slice, int systems, const float* b, const float* left, float* y) const {
  const float* const weight = weight_.data() + std::ptrdiff_t{slice} * SlicedRows::kLanes;
  for (int i = 0; i < SlicedRows::kLanes * systems; ++i) y[i] += (weight[i / systems] - 1) * (b[i] - left[i]);
}

}  // namespace c2rl
