#include "c2rl/planning/refinement.h"

#include <algorithm>
#include <cmath>

#include "c2rl/mdp/parallel.h"
#include "c2rl/mdp/relaxation_sweeps.h"

namespace c2rl {
namespace {

/// Slices that a thread is given at least.
constexpr int kSlices = 256;

/// To what part of what was off a correction in single precision brings it; finer takes more sweeps than it is worth.
constexpr double kCorrects = 1e-6;

/// Of what is enough, what single precision is asked for, which knows it less exactly.
constexpr double kMargin = 0.3;

/// By how much a sweep brings what is off down, on a logarithmic scale: as long as nothing is known of that, and at least, or
/// other methods are better.
constexpr double kGuess = 1, kFast = 0.3;

/// What equations may be off by where sweeps bring x no nearer, in times of what rounding should explain.
constexpr double kStalled = 16;

/// What all that was done may have been off by in rounding, in the same times: from there on x begins anew. Where it began far too
/// large, what equations are off by knows no more of the small numbers that solve them.
constexpr double kSpoilt = 64;

/// As the processor does it for many numbers at once; what is no number is passed over.
template <typename Real>
Real larger(Real a, Real b) {
  return a > b ? a : b;
}

}  // namespace

/// What was seen of some slices.
struct Refinement::Step {
  double off = 0, size = 0,
         added = 0;  // the largest of what equations are off by, of x, and of what was added to it
  Vector sum;        // of what equations are off by
};

Refinement::Refinement(PolicyEquations& equations, const Matrix& b) : equations_(equations), b_(b) {}

/// Roundings of an equation whose numbers add up to this, where none is larger.
double Refinement::rounding_of(double size) const {
  return kEpsilon * (equations_.branching() + 3) * size;
}

void Refinement::make_room() {
  swept_.b.resize(equations_.room(systems()), 0.0F);
  swept_.x.resize(swept_.b.size(), 0.0F);
  swept_.left.resize(static_cast<std::size_t>(systems()));
}

Refinement::Swept& Refinement::swept() {
  make_room();
  return swept_;
}

void Refinement::add_swept() {
  Vector common(systems());
  for (int j = 0; j < systems(); ++j)
    common[j] = static_cast<double>(swept_.left[j]) / (1 - equations_.discount());
  add(swept_.x, common);
}

void Refinement::add(std::span<const float> beyond, const Vector& common) {
  if (!begun_) {
    make_room();
    x_.resize(b_.rows(), b_.cols());
    off_.resize(b_.rows(), b_.cols());
    most_at_once_ = b_.lpNorm<Eigen::Infinity>();
    rounding_ = 0;
  }
  with_systems(systems(), [&](auto known) { add_systems<known()>(beyond.data(), common); });
}

/// Adds to x; of what is nothing, nothing.
template <int kSystems>
void Refinement::add_systems(const float* beyond, const Vector& common) {
  const int slices = equations_.rows().slices(), pieces = (slices + kSlices - 1) / kSlices;
  std::vector<Step> found(pieces);
  for_each_parallel(pieces, [&](int piece) {
    found[piece] =
        add_to_slices<kSystems>(piece * kSlices, std::min(slices, (piece + 1) * kSlices), beyond, common);
  });
  equations_.count_sweep();
  const double off_before = begun_ ? largest_off_ : most_at_once_;
  double added = 0;
  largest_off_ = largest_ = 0;
  sum_ = Vector::Zero(systems());
  for (const Step& step : found) {
    largest_off_ = std::max(largest_off_, step.off);
    largest_ = std::max(largest_, step.size);
    added = std::max(added, step.added);
    sum_ += step.sum;
  }
  // Where some number is none, neither is their sum, and nothing is known.
  if (!sum_.allFinite()) largest_off_ = kInfinity;
  // What is added up: what was off, what lies ahead of that and that itself. Adding it to x, unless that is 0, rounds, too.
  rounding_ += rounding_of(off_before + 2 * added) + (begun_ ? 2 * kEpsilon * largest_ : 0.0);
  begun_ = true;
}

template <int kSystems>
auto Refinement::add_to_slices(int first_slice, int last_slice, const float* beyond, const Vector& common)
    -> Step {
  const int systems = kSystems > 0 ? kSystems : this->systems(), numbers = SlicedRows::kLanes * systems;
  // By the place of a number in its slice, so that the processor does many at once.
  constexpr int kArrays = 6, kFixed = kArrays * SlicedRows::kLanes * (kSystems > 0 ? kSystems : 1);
  double fixed[kFixed] = {};
  std::vector<double> more(kSystems > 0 ? 0 : kArrays * static_cast<std::size_t>(numbers), 0.0);
  double* const off = kSystems > 0 ? fixed : more.data();
  double *const most_off = off + numbers, *const most = most_off + numbers,
                *const most_added = most + numbers;
  double *const total = most_added + numbers, *const shift = total + numbers;
  for (int i = 0; i < numbers; ++i) shift[i] = common[i % systems];
  const double* const before = begun_ ? off_.data() : b_.data();
  for (int slice = first_slice; slice < last_slice; ++slice) {
    const std::ptrdiff_t at = std::ptrdiff_t{slice} * numbers;
    const int count = static_cast<int>(std::min<std::ptrdiff_t>(numbers, x_.size() - at));
    double *const x = x_.data() + at, *const left = off_.data() + at;
    std::copy_n(before + at, count, off);
    if (!begun_) std::fill_n(x, count, 0.0);
    if (beyond) {
      equations_.rows().add_product<kSystems>(slice, systems, beyond, common.data(), off);
      for (int i = 0; i < count; ++i) {
        const double more_of_x = static_cast<double>(beyond[at + i]) + shift[i];
        x[i] += more_of_x;
        off[i] -= more_of_x;
        most_added[i] = larger(std::abs(more_of_x), most_added[i]);
      }
    }
    for (int i = 0; i < count; ++i) {
      left[i] = off[i];
      swept_.b[at + i] = static_cast<float>(off[i]);
      most_off[i] = larger(std::abs(off[i]), most_off[i]);
      most[i] = larger(std::abs(x[i]), most[i]);
      total[i] += off[i];
    }
  }
  Step step{.sum = Vector::Zero(systems)};
  for (int i = 0; i < numbers; ++i) {
    step.off = std::max(step.off, most_off[i]);
    step.size = std::max(step.size, most[i]);
    step.added = std::max(step.added, most_added[i]);
    step.sum[i % systems] += total[i];
  }
  return step;
}

/// The first guess at what is missing of x: what equations are off by, but for what all of them are. Returns the largest of it.
float Refinement::guess() {
  return with_systems(systems(), [&](auto known) {
    const int systems = known() > 0 ? known() : this->systems(), numbers = SlicedRows::kLanes * systems;
    std::vector<float> both(2 * static_cast<std::size_t>(numbers), 0.0F);
    float *const leaves = both.data(), *const largest = leaves + numbers;
    for (int j = 0; j < systems; ++j)
      swept_.left[j] = static_cast<float>(sum_[j] / static_cast<double>(b_.cols()));
    for (int i = 0; i < numbers; ++i) leaves[i] = swept_.left[i % systems];
    for (std::ptrdiff_t at = 0; at < b_.size(); at += numbers) {
      const int count = static_cast<int>(std::min<std::ptrdiff_t>(numbers, b_.size() - at));
      for (int i = 0; i < count; ++i) {
        const float first = swept_.b[at + i] - leaves[i];
        swept_.x[at + i] = first;
        largest[i] = larger(std::abs(first), largest[i]);
      }
    }
    return *std::max_element(largest, largest + numbers);
  });
}

void Refinement::sweep(int sweeps, const Pulse& listener) {
  for (int i = 0; i < sweeps; ++i) {
    pulse(listener);
    equations_.sweep(systems(), swept_.b.data(), swept_.x.data(), swept_.left.data());
  }
  add_swept();
}

void Refinement::correct(int sweeps, const Pulse& listener) {
  if (!begun_) add({}, Vector::Zero(systems()));
  guess();
  sweep(sweeps, listener);
}

/// Corrections are found by sweeps that nobody watches: as many as should do, by what those before have done.
std::optional<double> Refinement::finish(const Pulse& listener) {
  if (!begun_) add({}, Vector::Zero(systems()));
  double last = 0;
  bool anew = false;
  for (int unwatched = 0;;) {
    pulse(listener);
    if (!std::isfinite(largest_off_)) return std::nullopt;
    // What is added up in an equation: b, what lies ahead, which is no more than the largest x, and -x.
    const double size = most_at_once_ + 2 * largest_;
    const double enough = kEpsilon * (equations_.branching() + 2) * size, bound = largest_off_ + rounding_;
    if (rounding_ > kSpoilt * enough && !anew) {
      restart();
      add({}, Vector::Zero(systems()));
      anew = true;
      unwatched = 0;
      continue;
    }
    if (largest_off_ <= enough) return bound;
    const auto unit = static_cast<double>(guess());
    const double decay = unwatched == 0 ? kGuess : std::log(last / unit) / unwatched;
    if (!(decay > kFast)) return largest_off_ <= kStalled * enough ? std::optional(bound) : std::nullopt;
    const double to_go = std::min(std::log(unit / (kMargin * enough)), -std::log(kCorrects));
    unwatched = std::max(1, static_cast<int>(std::ceil(to_go / decay)));
    last = unit;
    sweep(unwatched, listener);
  }
}

void Refinement::take(int state, int action) {
  if (equations_.action(state) == action) return;
  equations_.take(state, action);
  if (!begun_) return;
  const Vector before = off_.col(state);
  off_.col(state) = b_.col(state) - x_.col(state);
  equations_.for_each_entry(state,
                            [&](int next, double factor) { off_.col(state) += factor * x_.col(next); });
  for (int j = 0; j < systems(); ++j)
    swept_.b[static_cast<std::size_t>(state) * systems() + j] = static_cast<float>(off_(j, state));
  sum_ += off_.col(state) - before;
  largest_off_ = std::max(largest_off_, off_.col(state).lpNorm<Eigen::Infinity>());
  most_at_once_ = std::max(most_at_once_, b_.col(state).lpNorm<Eigen::Infinity>());
  rounding_ = std::max(rounding_, rounding_of(most_at_once_ + 2 * largest_));
}

}  // namespace c2rl
