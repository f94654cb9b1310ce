#include "c2rl/offline/empirical_chain.h"

#include <algorithm>

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/mdp/tabular_policy.h"

namespace c2rl {
namespace {

using Decision = PolicyDecisions::Decision;

/// Row s: the probabilities of going from s to each visited state, discounted.
SparseRows discounted_rows(const EmpiricalModel& model, std::span<const Decision> decisions) {
  SparseRows rows;
  rows.begin.assign(model.states() + 1, 0);
  for (const Decision& d : decisions) {
    for (int j = model.first_outcome(d.pair); j < model.first_outcome(d.pair + 1); ++j) {
      if (model.next(j) >= model.states()) continue;
      rows.column.push_back(model.next(j));
      rows.value.push_back(model.discount() * d.probability * model.probability(j));
    }
    rows.begin[d.state + 1] = static_cast<int>(rows.column.size());
  }
  for (int s = 0; s < model.states(); ++s) rows.begin[s + 1] = std::max(rows.begin[s], rows.begin[s + 1]);
  return rows;
}

/// Marks everything that leads to something marked.
void mark_leading(const SparseRows& backwards, std::vector<bool>& marked) {
  std::vector<int> open;
  for (int s = 0; s < backwards.size(); ++s) {
    if (marked[s]) open.push_back(s);
  }
  while (!open.empty()) {
    const int s = open.back();
    open.pop_back();
    for (int e = backwards.begin[s]; e < backwards.begin[s + 1]; ++e) {
      const int from = backwards.column[e];
      if (marked[from]) continue;
      marked[from] = true;
      open.push_back(from);
    }
  }
}

/// The states from which, undiscounted, the policy may come to where it never ends.
std::vector<bool> endless_states(const EmpiricalModel& model, std::span<const Decision> decisions,
                                 const SparseRows& rows) {
  std::vector<bool> endless(model.states(), false);
  if (model.discount() < 1) return endless;
  std::vector<bool> ends(model.states(), false);
  for (const Decision& d : decisions) {
    if (model.count(d.pair) == 0) ends[d.state] = true;
    for (int j = model.first_outcome(d.pair); j < model.first_outcome(d.pair + 1); ++j) {
      if (model.next(j) >= model.states()) ends[d.state] = true;
    }
  }
  const SparseRows backwards = rows.transposed();
  mark_leading(backwards, ends);
  for (int s = 0; s < model.states(); ++s) endless[s] = !ends[s];
  mark_leading(backwards, endless);
  return endless;
}

/// The rows of all but these states, which none of the others leads to.
SparseRows without(const SparseRows& rows, const std::vector<bool>& left_out) {
  SparseRows result;
  for (int s = 0; s < rows.size(); ++s) {
    for (int e = rows.begin[s]; e < rows.begin[s + 1] && !left_out[s]; ++e) {
      result.column.push_back(rows.column[e]);
      result.value.push_back(rows.value[e]);
    }
    result.begin.push_back(static_cast<int>(result.column.size()));
  }
  return result;
}

}  // namespace

PolicyDecisions::PolicyDecisions(const EmpiricalModel& model, const Policy& policy)
    : model_(model), policy_(policy), probabilities_(model.actions(), model.states()) {
  const auto* tabular = dynamic_cast<const TabularPolicy*>(&policy);
  if (tabular != nullptr && tabular->states() <= model.visited().states.back()) {
    throw InputError({.field = "policy"}, fmt::format("is for {} states, but the dataset visits state {}",
                                                      tabular->states(), model.visited().states.back()));
  }
  if (!policy.is_stationary() && model.horizon() == 0)
    throw InputError({.field = "policy"}, "changes over time, but the dataset has no horizon");
}

std::span<const Decision> PolicyDecisions::at(int step) {
  if (asked_ && policy_.is_stationary()) return decisions_;
  asked_ = true;
  policy_.action_probabilities(model_.visited().states, step, probabilities_);
  decisions_.clear();
  for (int s = 0; s < model_.states(); ++s) {
    for (int a = 0; a < model_.actions(); ++a) {
      if (probabilities_(a, s) > 0) decisions_.push_back({s, s * model_.actions() + a, probabilities_(a, s)});
    }
  }
  return decisions_;
}

EmpiricalChain::EmpiricalChain(const EmpiricalModel& model, std::span<const Decision> decisions) {
  const SparseRows all = discounted_rows(model, decisions);
  endless = endless_states(model, decisions, all);
  rows = without(all, endless);
}

}  // namespace c2rl
