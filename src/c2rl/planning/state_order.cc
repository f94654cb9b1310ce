#include "c2rl/planning/state_order.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "c2rl/mdp/fixed_point.h"

namespace c2rl {
namespace {

/// Orders components by the way out, one after the other.
class Arrangement {
 public:
  Arrangement(const TabularModel& model, const Components& parts)
      : model_(model), component_(model.states, -1), place_(model.states), distance_(model.states, -1) {
    for (int c = 0; c < parts.size(); ++c) {
      for (const int s : parts.of(c)) component_[s] = c;
    }
  }

  /// Puts the members in order, and finds their actions that lead out. Returns whether any does.
  bool arrange(std::span<std::int32_t> members, std::vector<std::int32_t>& outwards) {
    std::ranges::sort(members);
    if (std::ssize(members) == model_.states) return false;  // there is nothing else
    std::vector<std::int32_t> found = doors(members);
    if (found.empty()) return false;
    search(members, found);
    for (const int s : members) outwards[s] = outward(s);
    std::ranges::copy(found, members.begin());
    return true;
  }

 private:
  template <typename Visit>
  void for_each_next(int state, Visit visit) const {
    for (int e = model_.first_transition(state); e < model_.first_transition(state + 1); ++e) {
      if (model_.probability[e] > 0) visit(model_.next[e]);
    }
  }

  /// The states that can leave, of those where some can do so much more likely than elsewhere: a small
  /// chance of ending, everywhere, gives no direction.
  std::vector<std::int32_t> doors(std::span<const std::int32_t> members) {
    constexpr double kWide = 0.5;
    double widest = 0;
    for (const int s : members) widest = std::max(widest, leaving(s));
    std::vector<std::int32_t> found;
    if (widest == 0) return found;
    for (const int s : members) {
      if (leaving(s) < kWide * widest) continue;
      distance_[s] = 0;
      found.push_back(s);
    }
    return found;
  }

  /// The largest probability that an action leaves the component at once.
  double leaving(int state) const {
    double most = 0;
    for (int k = model_.choice_begin[state]; k < model_.choice_begin[state + 1]; ++k) {
      double sum = 0;
      for (int e = model_.transition_begin[k]; e < model_.transition_begin[k + 1]; ++e) {
        if (component_[model_.next[e]] != component_[state]) sum += model_.probability[e];
      }
      most = std::max(most, sum);
    }
    return most;
  }

  /// Breadth first against the transitions.
  void search(std::span<const std::int32_t> members, std::vector<std::int32_t>& found) {
    for (std::size_t i = 0; i < members.size(); ++i) place_[members[i]] = static_cast<std::int32_t>(i);
    const auto for_each_edge = [&](auto visit) {
      for (const int s : members) {
        for_each_next(s, [&](int next) {
          if (component_[next] == component_[s] && distance_[s] != 0) visit(s, place_[next]);
        });
      }
    };
    std::vector<std::int32_t> begin(members.size() + 1, 0);
    for_each_edge([&](int, int to) { ++begin[to + 1]; });
    for (std::size_t i = 0; i < members.size(); ++i) begin[i + 1] += begin[i];
    std::vector<std::int32_t> entry(begin.back()), fill(begin.begin(), begin.end() - 1);
    for_each_edge([&](int from, int to) { entry[fill[to]++] = from; });
    found.reserve(members.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      const int at = place_[found[i]];
      for (int e = begin[at]; e < begin[at + 1]; ++e) {
        if (distance_[entry[e]] >= 0) continue;
        distance_[entry[e]] = distance_[found[i]] + 1;
        found.push_back(entry[e]);
      }
    }
    // Transitions of probability 0 may be all that holds these to the others.
    for (const int s : members) {
      if (distance_[s] < 0) found.push_back(s);
    }
  }

  /// The action most likely to lead nearer.
  int outward(int state) const {
    int best = 0;
    double most = 0;
    for (int k = model_.choice_begin[state]; k < model_.choice_begin[state + 1]; ++k) {
      double nearer = 0;
      for (int e = model_.transition_begin[k]; e < model_.transition_begin[k + 1]; ++e) {
        const int next = model_.next[e];
        if (component_[next] != component_[state] || distance_[next] < distance_[state])
          nearer += model_.probability[e];
      }
      if (nearer <= most) continue;
      most = nearer;
      best = k - model_.choice_begin[state];
    }
    return best;
  }

  const TabularModel& model_;
  std::vector<std::int32_t> component_, place_;
  std::vector<std::int32_t> distance_;  // steps to a way out, at least; -1: not known
};

/// A large component that nothing leads out of, with no end in it; its states, in order. Found in a few passes over the model
/// where everything is near everything else, as in models without any order, which a search in depth takes many times as long
/// for. Else it gives up, and nothing is known.
std::optional<std::vector<std::int32_t>> closed_component(const TabularModel& model) {
  constexpr int kPasses = 8, kWalk = 64;
  // Of so many parts of all states, at the least: else little is gained.
  constexpr int kParts = 2;
  // Where episodes start may be outside; where they are soon probably is not.
  int inside = static_cast<int>(std::ranges::find_if(model.start, [](double p) { return p > 0; }) -
                                model.start.begin());
  for (int i = 0; i < kWalk; ++i) {
    if (model.is_terminal(inside)) return std::nullopt;
    inside = model.next[model.first_transition(inside)];
  }
  enum : std::uint8_t { kUnseen, kSeen, kFollowed, kReturns };
  std::vector<std::uint8_t> mark(model.states, kUnseen);
  const auto next_of = [&](int s) {
    return std::span(model.next)
        .subspan(model.first_transition(s), model.first_transition(s + 1) - model.first_transition(s));
  };
  // Each pass goes on from what it has found itself, until one finds nothing new, or there is nothing left to find.
  int found = 1;
  const auto search = [&](auto look) {
    bool is_new = true;
    for (int pass = 0; pass < kPasses && is_new; ++pass) {
      is_new = false;
      for (int s = 0; s < model.states && found < model.states; ++s) is_new |= look(s);
    }
    return !is_new || found == model.states;
  };
  mark[inside] = kSeen;
  const bool followed = search([&](int s) {
    if (mark[s] != kSeen) return false;
    mark[s] = kFollowed;
    bool is_new = false;
    for (const int next : next_of(s)) {
      if (mark[next] != kUnseen) continue;
      mark[next] = kSeen;
      ++found;
      is_new |= next < s;
    }
    return is_new;
  });
  if (!followed || found < model.states / kParts) return std::nullopt;
  std::ranges::replace(mark, kSeen, kFollowed);
  mark[inside] = kReturns;
  found = 1;
  const bool returned = search([&](int s) {
    if (mark[s] != kFollowed) return false;
    const auto next = next_of(s);
    if (std::ranges::none_of(next, [&](int n) { return mark[n] == kReturns; })) return false;
    mark[s] = kReturns;
    ++found;
    return true;
  });
  if (!returned || std::ranges::find(mark, kFollowed) != mark.end()) return std::nullopt;
  std::vector<std::int32_t> states;
  states.reserve(found);
  for (int s = 0; s < model.states; ++s) {
    if (mark[s] == kReturns) states.push_back(s);
  }
  return states;
}

/// Of the states that can be reached: first this one, that nothing leads out of, then those of what is ahead of it.
Components components_before(const TabularModel& model, std::vector<std::int32_t> closed,
                             std::span<const std::int32_t> starts) {
  constexpr std::int32_t kUnseen = -1, kClosed = -2;
  std::vector<std::int32_t> place(model.states, kUnseen), ahead, begin = {0}, column, roots;
  for (const int s : closed) place[s] = kClosed;
  const auto see = [&](int s) {
    if (place[s] != kUnseen) return;
    place[s] = static_cast<std::int32_t>(ahead.size());
    ahead.push_back(s);
  };
  std::ranges::for_each(starts, see);
  roots.resize(ahead.size());
  std::iota(roots.begin(), roots.end(), 0);
  for (std::size_t i = 0; i < ahead.size(); ++i) {
    for (int e = model.first_transition(ahead[i]); e < model.first_transition(ahead[i] + 1); ++e) {
      see(model.next[e]);
      if (place[model.next[e]] != kClosed) column.push_back(place[model.next[e]]);
    }
    begin.push_back(static_cast<std::int32_t>(column.size()));
  }
  const Components rest = components(begin, column, roots);
  const auto count = static_cast<std::int32_t>(closed.size());
  Components all{.begin = {0, count}, .members = std::move(closed)};
  for (int c = 0; c < rest.size(); ++c) {
    for (const int i : rest.of(c)) all.members.push_back(ahead[i]);
    all.begin.push_back(count + rest.begin[c + 1]);
  }
  return all;
}

}  // namespace

StateOrder::StateOrder(const TabularModel& model, const Pulse& listener)
    : outwards_(model.states, 0), most_actions_(model.max_actions()) {
  for (int k = 0; k < model.choices(); ++k) {
    branching_ = std::max(branching_, model.transition_begin[k + 1] - model.transition_begin[k]);
  }
  std::vector<std::int32_t> starts;
  for (int s = 0; s < model.states; ++s) {
    if (model.start[s] > 0) starts.push_back(s);
  }
  Components parts;
  if (auto closed = closed_component(model)) {
    parts = components_before(model, std::move(*closed), starts);
  } else {
    std::vector<std::int32_t> first(model.states + 1);
    for (int s = 0; s <= model.states; ++s) first[s] = model.first_transition(s);
    parts = c2rl::components(first, model.next, starts);
  }
  pulse(listener);
  if (parts.size() == 1 && !model.is_terminal(parts.members.front())) {
    has_exit_.push_back(false);
    states_ = std::move(parts.members);
    std::ranges::sort(states_);
    begin_.push_back(static_cast<std::int32_t>(states_.size()));
    return;
  }
  Arrangement arrangement(model, parts);
  states_.reserve(model.states);
  for (int c = 0; c < parts.size(); ++c) {
    for (const int s : parts.of(c)) {
      if (model.is_terminal(s)) {
        ends_ = true;
      } else {
        states_.push_back(s);
      }
    }
    const int members = static_cast<int>(states_.size()) - begin_.back();
    if (members == 0) continue;
    has_exit_.push_back(arrangement.arrange(std::span(states_).last(members), outwards_));
    begin_.push_back(static_cast<std::int32_t>(states_.size()));
    if (members > 1) pulse(listener);
  }
  // Where some read on and on anyway, there is little to be gained.
  constexpr std::ptrdiff_t kReadOn = 64;
  std::ptrdiff_t back = 0;
  for (std::size_t i = 1; i < states_.size(); ++i) back += states_[i] < states_[i - 1];
  if (back * kReadOn > std::ssize(states_)) copy_rows(model);
}

/// Half of what the model takes, with two measurements.
void StateOrder::copy_rows(const TabularModel& model) {
  std::size_t choices = 0, transitions = 0;
  for (const int s : states_) {
    choices += model.actions(s);
    transitions += model.first_transition(s + 1) - model.first_transition(s);
  }
  choice_begin_.reserve(states_.size() + 1);
  transition_begin_.reserve(choices + 1);
  next_.reserve(transitions);
  probability_.reserve(transitions);
  for (const int s : states_) {
    choice_begin_.push_back(static_cast<std::int32_t>(transition_begin_.size()));
    const int first = model.first_transition(s), last = model.first_transition(s + 1);
    for (int k = model.choice_begin[s]; k < model.choice_begin[s + 1]; ++k)
      transition_begin_.push_back(model.transition_begin[k] - first +
                                  static_cast<std::int32_t>(next_.size()));
    next_.insert(next_.end(), model.next.begin() + first, model.next.begin() + last);
    probability_.insert(probability_.end(), model.probability.begin() + first,
                        model.probability.begin() + last);
  }
  choice_begin_.push_back(static_cast<std::int32_t>(transition_begin_.size()));
  transition_begin_.push_back(static_cast<std::int32_t>(next_.size()));
}

StateOrder::Rows StateOrder::rows(const TabularModel& model) const {
  if (choice_begin_.empty())
    return {model.choice_begin.data(), model.transition_begin.data(), model.next.data(),
            model.probability.data(), false};
  return {choice_begin_.data(), transition_begin_.data(), next_.data(), probability_.data(), true};
}

}  // namespace c2rl
