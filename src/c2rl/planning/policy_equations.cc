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

/// To what part of what was off a correction in single precision brings it; finer takes more sweeps than it is worth.
constexpr double kCorrects = 1e-6;

/// Of what is enough, what single precision is asked for, which knows it less exactly.
constexpr double kMargin = 0.3;

/// By how much a sweep brings what is off down, on a logarithmic scale: as long as nothing is known of that, and at least, or
/// other methods are better.
constexpr double kGuess = 1, kFast = 0.3;

/// Of the mean move of a sweep, what is left out from then on. What is common to all moves in sweep after sweep would come to
/// about half of its first move over (1 - discount): a sweep that goes block by block carries it twice as far as a step, and
/// farther by as much as states are solved for themselves.
constexpr double kLeaveOut = 0.5;

/// What equations may be off by where sweeps bring x no nearer, in times of what rounding should explain.
constexpr double kRounding = 16;

/// As the processor does it for many numbers at once; what is no number is passed over.
template <typename Real>
Real larger(Real a, Real b) {
  return a > b ? a : b;
}

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
  if (model.discount == 1 || order.ends() || order.components() != 1 || order.size() != model.states)
    return false;
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
  if (back > 0) comes_back_[state / SlicedRows::kLanes] = 1;
  if (std::exchange(weight_[state], static_cast<float>(weight)) != weight_[state]) mean_weight_.reset();
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
  if (!mean_weight_) {
    mean_weight_ = std::accumulate(weight_.begin(), weight_.begin() + model_.states, 0.0) / model_.states;
  }
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
    left[j] += static_cast<float>(kLeaveOut * all / (model_.states * *mean_weight_));
  }
}

/// Of a slice, with states in it that come back to themselves: what they cost counts more than once.
void PolicyEquations::weigh(int slice, int systems, const float* b, const float* left, float* y) const {
  const float* const weight = weight_.data() + std::ptrdiff_t{slice} * SlicedRows::kLanes;
  for (int i = 0; i < SlicedRows::kLanes * systems; ++i) y[i] += (weight[i / systems] - 1) * (b[i] - left[i]);
}

/// What x is off by.
struct PolicyEquations::Step {
  double residual = 0;  // the largest of it
  double size = 0;      // the largest number of x
  Vector sum;           // of it, over all states
};

template <int kSystems>
PolicyEquations::Step PolicyEquations::residuals(const Matrix& b, const Matrix& x, bool from_nothing) {
  constexpr int kLanes = SlicedRows::kLanes;
  const int systems = kSystems > 0 ? kSystems : static_cast<int>(x.rows());
  const int numbers = kLanes * systems, pieces = (rows_.slices() + kSlices - 1) / kSlices;
  ++sweeps_;
  std::vector<Step> found(pieces);
  for_each_parallel(pieces, [&](int piece) {
    constexpr int kFixed = 4 * SlicedRows::kLanes * (kSystems > 0 ? kSystems : 1);
    const double* const values = x.data();
    // By the place of a number in its slice, so that the processor does many at once.
    double fixed[kFixed] = {};
    std::vector<double> more(kSystems > 0 ? 0 : 4 * static_cast<std::size_t>(numbers), 0.0);
    double* const sum = kSystems > 0 ? fixed : more.data();
    double *const largest = sum + numbers, *const size = largest + numbers, *const total = size + numbers;
    for (int slice = piece * kSlices; slice < std::min(rows_.slices(), (piece + 1) * kSlices); ++slice) {
      const std::ptrdiff_t at = std::ptrdiff_t{slice} * numbers;
      const int count = static_cast<int>(std::min<std::ptrdiff_t>(numbers, b.size() - at));
      std::copy_n(b.data() + at, count, sum);
      if (!from_nothing) rows_.add_product<kSystems>(slice, systems, values, sum);
      for (int i = 0; i < count; ++i) {
        const double value = values[at + i], move = sum[i] - value;
        off_[at + i] = static_cast<float>(move);
        largest[i] = larger(std::abs(move), largest[i]);
        size[i] = larger(std::abs(value), size[i]);
        total[i] += move;
      }
    }
    Step& step = found[piece];
    step.sum = Vector::Zero(systems);
    for (int i = 0; i < numbers; ++i) {
      step.residual = std::max(step.residual, largest[i]);
      step.size = std::max(step.size, size[i]);
      step.sum[i % systems] += total[i];
    }
  });
  Step all{.sum = Vector::Zero(systems)};
  for (const Step& step : found) {
    all.residual = std::max(all.residual, step.residual);
    all.size = std::max(all.size, step.size);
    all.sum += step.sum;
  }
  // Where some move is no number, neither is their sum, and nothing is known.
  if (!all.sum.allFinite()) all.residual = kInfinity;
  return all;
}

void PolicyEquations::make_room(const Matrix& x) {
  off_.resize(room(static_cast<int>(x.rows())));
  correction_.resize(off_.size());
  left_.resize(x.rows());
  std::fill(off_.begin() + x.size(), off_.end(), 0.0F);
  std::fill(correction_.begin() + x.size(), correction_.end(), 0.0F);
}

/// The first guess at what is missing of x: what equations are off by, but for what all of them are. Returns the largest of it.
template <int kSystems>
float PolicyEquations::begin_correction(const Step& step) {
  constexpr int kLanes = SlicedRows::kLanes;
  const int systems = kSystems > 0 ? kSystems : static_cast<int>(left_.size()), numbers = kLanes * systems;
  std::vector<float> both(2 * static_cast<std::size_t>(numbers), 0.0F);
  float *const leaves = both.data(), *const largest = leaves + numbers;
  for (int j = 0; j < systems; ++j) left_[j] = static_cast<float>(step.sum[j] / model_.states);
  for (int i = 0; i < numbers; ++i) leaves[i] = left_[i % systems];
  const std::ptrdiff_t end = std::ptrdiff_t{systems} * model_.states;
  for (std::ptrdiff_t at = 0; at < end; at += numbers) {
    const int count = static_cast<int>(std::min<std::ptrdiff_t>(numbers, end - at));
    for (int i = 0; i < count; ++i) {
      const float first = off_[at + i] - leaves[i];
      correction_[at + i] = first;
      largest[i] = larger(std::abs(first), largest[i]);
    }
  }
  return *std::max_element(largest, largest + numbers);
}

template <int kSystems>
void PolicyEquations::finish_correction(Matrix& x, int sweeps, const Pulse& listener) {
  const int systems = kSystems > 0 ? kSystems : static_cast<int>(left_.size());
  for (int i = 0; i < sweeps; ++i) {
    pulse(listener);
    sweep(systems, off_.data(), correction_.data(), left_.data());
  }
  Vector common(systems);
  for (int j = 0; j < systems; ++j) common[j] = static_cast<double>(left_[j]) / (1 - model_.discount);
  double* const to = x.data();
  for (std::ptrdiff_t i = 0; i < x.size(); i += systems) {
    for (int j = 0; j < systems; ++j) to[i + j] += static_cast<double>(correction_[i + j]) + common[j];
  }
}

/// Corrections are found by sweeps that nobody watches: as many as should do, by what those before have done.
template <int kSystems>
std::optional<double> PolicyEquations::solve_systems(const Matrix& b, Matrix& x, const Pulse& listener) {
  double last = 0;
  const double most_at_once = b.lpNorm<Eigen::Infinity>();
  bool from_nothing = x.isZero(0);
  for (int unwatched = 0;; from_nothing = false) {
    pulse(listener);
    const Step step = residuals<kSystems>(b, x, from_nothing);
    if (!std::isfinite(step.residual)) return std::nullopt;
    // What is added up: b, what lies ahead, which is no more than the largest x, and -x.
    const double size = most_at_once + 2 * step.size;
    const double enough = kEpsilon * (branching_ + 2) * size;
    const double bound = step.residual + kEpsilon * (branching_ + 3) * size;
    if (step.residual <= enough) return bound;
    const auto unit = static_cast<double>(begin_correction<kSystems>(step));
    const double decay = unwatched == 0 ? kGuess : std::log(last / unit) / unwatched;
    if (!(decay > kFast)) return step.residual <= kRounding * enough ? std::optional(bound) : std::nullopt;
    const double to_go = std::min(std::log(unit / (kMargin * enough)), -std::log(kCorrects));
    unwatched = std::max(1, static_cast<int>(std::ceil(to_go / decay)));
    last = unit;
    finish_correction<kSystems>(x, unwatched, listener);
  }
}

std::optional<double> PolicyEquations::solve(const Matrix& b, Matrix& x, const Pulse& listener) {
  make_room(x);
  return with_systems(x.rows(), [&](auto systems) { return solve_systems<systems()>(b, x, listener); });
}

void PolicyEquations::correct(const Matrix& b, Matrix& x, int sweeps, const Pulse& listener) {
  make_room(x);
  with_systems(x.rows(), [&](auto systems) {
    begin_correction<systems()>(residuals<systems()>(b, x, /*from_nothing=*/false));
    finish_correction<systems()>(x, sweeps, listener);
  });
}

}  // namespace c2rl
