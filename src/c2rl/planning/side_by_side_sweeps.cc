#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "c2rl/mdp/parallel.h"
#include "c2rl/planning/value_sweeps.h"

// Sweeps of sixteen states side by side, and what makes most of them short. What a choice is worth more than another of the
// same state changes from one sweep to the next by no more than the spread, over all states, of what values went up by; and
// that spread does not grow. So where two choices are farther apart than this spread times the sweeps that are left, the
// worse of them is not the best again, and where that goes for all but one, only that one has to be followed.

namespace c2rl {
namespace {

constexpr int kLanes = SlicedRows::kLanes;

/// Numbers of eight states.
constexpr int kAtOnce = 8;
using Reals [[gnu::vector_size(kAtOnce * sizeof(double))]] = double;
using Wholes [[gnu::vector_size(kAtOnce * sizeof(std::int64_t))]] = std::int64_t;

/// The same, wherever they lie. By reference: how a function hands over so many at once depends on the processor.
using Stored [[gnu::vector_size(kAtOnce * sizeof(double)), gnu::aligned(sizeof(double)), gnu::may_alias]] =
    double;

const Stored& eight(const double* from) {
  return *reinterpret_cast<const Stored*>(from);
}

Stored& eight(double* from) {
  return *reinterpret_cast<Stored*>(from);
}

/// Room for what the choices of sixteen states are worth.
double* scratch_for(int choices) {
  static thread_local std::vector<double> scratch;
  const std::size_t room = std::size_t{kLanes} * choices;
  if (scratch.size() < room) scratch.resize(room);
  return scratch.data();
}

}  // namespace

void ValueSweeps::lay_side_by_side() {
  const int choices = graph_.most_choices();
  cost_.assign(std::size_t{kLanes} * graph_.side_by_side()->slices(), kInfinity);
  for (int s = 0; s < model_.states; ++s) {
    for (int a = 0; a < model_.actions(s); ++a)
      cost_[std::size_t{kLanes} * ((s / kLanes) * choices + a) + s % kLanes] =
          problem_.cost[model_.choice_begin[s] + a];
  }
  // Where there are not sixteen states, those that are missing stay as they are: nothing costs anything there.
  const int places = (model_.states + kLanes - 1) / kLanes * kLanes;
  now_.resize(places);
  then_.resize(places);
  actions_.resize(places);
  for (int s = model_.states; s < places; ++s)
    cost_[std::size_t{kLanes} * (s / kLanes) * choices + s % kLanes] = 0;
  settle_below_ = kInfinity;
}

/// By the same rule as ScalarProblem::decide_by_value(): the first of the choices that are equal to the best.
bool ValueSweeps::sweep_block_by_value(int block) {
  const int choices = graph_.most_choices();
  double* const options = scratch_for(choices);
  const int last = std::min(model_.states, (block + 1) * BlockGraph::kBlockStates);
  for (int from = block * BlockGraph::kBlockStates; from < last; from += kLanes) {
    const int slice = from / kLanes * choices;
    graph_.side_by_side()->multiply(slice, slice + choices, now_.data(), options);
    const double* const cost = cost_.data() + std::ptrdiff_t{slice} * kLanes;
    for (int part = 0; part < kLanes; part += kAtOnce) {
      Reals least = Reals{} + kInfinity;
      for (std::ptrdiff_t a = 0; a < choices; ++a) {
        double* const ahead = options + a * kLanes + part;
        const Reals option = eight(cost + a * kLanes + part) + problem_.discount * eight(ahead);
        eight(ahead) = option;
        least = option < least ? option : least;
      }
      const Reals equal = least + kTieTolerance * ((least < 0 ? -least : least) + problem_.cost_scale);
      Wholes action = {};
      for (std::ptrdiff_t a = choices - 1; a >= 0; --a)
        action = eight(options + a * kLanes + part) <= equal ? Wholes{} + a : action;
      const int first = from + part;
      eight(then_.data() + first) = least;
      std::int64_t best[kAtOnce];
      std::memcpy(best, &action, sizeof(action));
      for (int i = 0; i < kAtOnce; ++i) {
        std::int32_t& taken = actions_[first + i];
        if (best[i] == taken) continue;
        if (sweeps_ > 1) changes_[block].push_back({sweeps_, first + i, taken});
        taken = static_cast<std::int32_t>(best[i]);
      }
    }
  }
  return note_moves(block);
}

/// What the sweep has made of the values of a block. Whether any of them has changed.
bool ValueSweeps::note_moves(int block) {
  const int begin = block * BlockGraph::kBlockStates,
            last = std::min(model_.states, begin + BlockGraph::kBlockStates);
  Reals largest = {}, low = Reals{} + kInfinity, high = -low;
  const auto note = [&](const Stored& before, const Stored& after) {
    const Reals move = after - before, size = after < 0 ? -after : after;
    low = move < low ? move : low;
    high = move > high ? move : high;
    largest = size > largest ? size : largest;
  };
  int s = begin;
  for (; s + kAtOnce <= last; s += kAtOnce) note(eight(now_.data() + s), eight(then_.data() + s));
  for (; s < last; ++s) note(Reals{} + now_[s], Reals{} + then_[s]);
  Between& moves = moves_[block];
  moves = {kInfinity, -kInfinity};
  for (int i = 0; i < kAtOnce; ++i) {
    largest_[block] = std::max(largest_[block], largest[i]);
    moves.low = std::min(moves.low, low[i]);
    moves.high = std::max(moves.high, high[i]);
  }
  return moves.low != 0 || moves.high != 0;
}

/// What the choices of a state are worth, and the least of that.
double ValueSweeps::look(int state, double* options) const {
  double least = kInfinity;
  for (int k = model_.choice_begin[state]; k < model_.choice_begin[state + 1]; ++k, ++options) {
    double ahead = 0;
    for (int e = model_.transition_begin[k]; e < model_.transition_begin[k + 1]; ++e)
      ahead += model_.probability[e] * now_[model_.next[e]];
    *options = problem_.cost[k] + problem_.discount * ahead;
    least = std::min(least, *options);
  }
  return least;
}

/// How far the difference of two choices of a state can still go, with all rounding and what probabilities are off.
double ValueSweeps::drift() const {
  Between moves{kInfinity, -kInfinity};
  for (const Between& of_block : moves_) {
    moves.low = std::min(moves.low, of_block.low);
    moves.high = std::max(moves.high, of_block.high);
  }
  const int left = model_.horizon - sweeps_;
  const double off = graph_.off_one() + kEpsilon * (graph_.branching() + 1);
  const double growth = std::exp(left * off);
  const double step = growth * std::max(std::abs(moves.low), std::abs(moves.high));
  const double largest = largest_value() + left * step;
  const double rounding = kEpsilon * (graph_.branching() + 3) * largest;
  const double more_each = 2 * off * step + 4 * rounding;  // that the spread grows by in a sweep
  return growth * left * (moves.high - moves.low + more_each * (left + 1)) + 4 * rounding +
         2 * problem_.tolerance(largest);
}

/// Whether a state's action is better than all others by more than `lead`.
bool ValueSweeps::is_ahead(int state, double lead) const {
  double* const options = scratch_for(graph_.most_choices());
  look(state, options);
  const int action = actions_[state];
  bool ahead = true;
  for (int a = 0; a < model_.actions(state); ++a) ahead &= a == action || options[a] > options[action] + lead;
  return ahead;
}

/// Whether it is worth looking for choices that are out.
bool ValueSweeps::can_settle(double drift) const {
  constexpr double kOfSpread = 0.1;
  constexpr int kWorthIt = 4;  // sweeps left
  if (model_.horizon - sweeps_ < kWorthIt) return false;
  if (settle_below_ < kInfinity) return drift < settle_below_;
  const auto [low, high] = std::ranges::minmax_element(std::span(now_).first(model_.states));
  return drift < kOfSpread * (*high - *low);
}

void ValueSweeps::settle() {
  constexpr double kMost = 0.75, kBetweenTries = 0.25;
  const double drift = this->drift();
  if (!can_settle(drift)) return;
  settle_below_ = kBetweenTries * drift;
  if (settled_) {
    for_each_parallel(graph_.blocks(), [&](int block) {
      std::erase_if(settled_->open[block], [&](int s) {
        const bool ahead = is_ahead(s, drift);
        if (ahead) follow_settled(s);
        return ahead;
      });
    });
    return;
  }
  std::vector<std::vector<std::int32_t>> open(graph_.blocks());
  for_each_parallel(graph_.blocks(), [&](int block) {
    const int last = std::min(model_.states, (block + 1) * BlockGraph::kBlockStates);
    for (int s = block * BlockGraph::kBlockStates; s < last; ++s) {
      if (!is_ahead(s, drift)) open[block].push_back(s);
    }
  });
  std::size_t undecided = 0;
  for (const auto& of_block : open) undecided += of_block.size();
  if (static_cast<double>(undecided) > (1 - kMost) * model_.states) return;

  std::vector<std::int32_t> lengths(now_.size(), 0);
  for (int s = 0; s < model_.states; ++s) {
    for (int k = model_.choice_begin[s]; k < model_.choice_begin[s + 1]; ++k)
      lengths[s] = std::max(lengths[s], model_.transition_begin[k + 1] - model_.transition_begin[k]);
  }
  settled_.emplace(Settled{SlicedRows(lengths, SlicedRows::Products::exact),
                           std::vector<double>(now_.size(), 0.0), std::move(open)});
  for_ranges_parallel(model_.states, BlockGraph::kBlockStates, [&](int begin, int end) {
    for (int s = begin; s < end; ++s) follow_settled(s);
  });
}

int ValueSweeps::settled() const {
  if (!settled_) return 0;
  int count = model_.states;
  for (const auto& of_block : settled_->open) count -= static_cast<int>(of_block.size());
  return count;
}

void ValueSweeps::follow_settled(int state) {
  const int k = model_.choice_begin[state] + actions_[state], first = model_.transition_begin[k];
  settled_->cost[state] = problem_.cost[k];
  settled_->rows.set(state, model_.transition_begin[k + 1] - first, [&](int i) {
    return SlicedRows::Entry{model_.next[first + i], model_.probability[first + i]};
  });
}

bool ValueSweeps::sweep_settled_block(int block) {
  const int begin = block * BlockGraph::kBlockStates,
            last = std::min(model_.states, begin + BlockGraph::kBlockStates);
  double ahead[kLanes];
  for (int from = begin; from < last; from += kLanes) {
    settled_->rows.multiply(from / kLanes, from / kLanes + 1, now_.data(), ahead);
    for (int part = 0; part < kLanes; part += kAtOnce)
      eight(then_.data() + from + part) =
          eight(settled_->cost.data() + from + part) + problem_.discount * eight(ahead + part);
  }
  double* const options = scratch_for(graph_.most_choices());
  for (const int s : settled_->open[block]) {
    then_[s] = look(s, options);
    const int action =
        problem_.decide_by_value(options, then_[s], model_.actions(s), model_.choice_begin[s]).action;
    if (action == actions_[s]) continue;
    changes_[block].push_back({sweeps_, s, actions_[s]});
    actions_[s] = action;
  }
  return note_moves(block);
}

}  // namespace c2rl
