#include "c2rl/mdp/tabular_policy.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/mdp/world.h"

namespace c2rl {
namespace {

/// Rounding of a sum of averaged probabilities; anything larger is a mistake.
constexpr double kRowSumTolerance = 1e-9;

template <typename T>
constexpr const char* kTypeName = nullptr;
template <>
constexpr const char* kTypeName<std::uint8_t> = "U8";
template <>
constexpr const char* kTypeName<std::int32_t> = "I32";
template <>
constexpr const char* kTypeName<double> = "F64";

[[noreturn]] void fail(const std::string& message) {
  throw InputError({.field = "policy"}, message);
}

constexpr const char* kValues = "values";

template <typename T>
void store(std::vector<Tensor>& arrays, const char* name, const std::vector<T>& values) {
  if (values.empty()) return;
  const auto bytes = std::as_bytes(std::span(values));
  arrays.push_back({name, kTypeName<T>, {std::ssize(values)}, {bytes.begin(), bytes.end()}});
}

template <typename T>
bool load(const Tensor& array, const char* name, std::vector<T>& values) {
  if (array.name != name || array.type != kTypeName<T>) return false;
  if (array.shape.size() != 1 || array.shape[0] < 0 ||
      array.bytes.size() != static_cast<std::size_t>(array.shape[0]) * sizeof(T)) {
    fail(fmt::format("array '{}' does not have the size its shape says", name));
  }
  values.resize(array.bytes.size() / sizeof(T));
  std::memcpy(values.data(), array.bytes.data(), array.bytes.size());
  return true;
}

/// A row for each state, as files have it.
Tensor stored(const Eigen::MatrixXf& values) {
  const auto bytes = std::as_bytes(std::span(values.data(), static_cast<std::size_t>(values.size())));
  return {kValues, "F32", {values.cols(), values.rows()}, {bytes.begin(), bytes.end()}};
}

bool load(const Tensor& array, Eigen::MatrixXf& values) {
  if (array.name != kValues || array.type != "F32") return false;
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  const auto numbers = static_cast<std::int64_t>(array.bytes.size() / sizeof(float));
  const auto is_count = [](std::int64_t n) { return n >= 1 && n <= kMost; };
  if (array.shape.size() != 2 || !std::ranges::all_of(array.shape, is_count) ||
      array.bytes.size() % sizeof(float) != 0 || numbers % array.shape[0] != 0 ||
      numbers / array.shape[0] != array.shape[1]) {
    fail(fmt::format("array '{}' does not have the size its shape says", kValues));
  }
  values.resize(array.shape[1], array.shape[0]);
  std::memcpy(values.data(), array.bytes.data(), array.bytes.size());
  return true;
}

}  // namespace

std::shared_ptr<const TabularPolicy> TabularPolicy::deterministic(std::span<const std::int32_t> actions,
                                                                  PolicyRuns runs, Eigen::MatrixXf values) {
  std::shared_ptr<TabularPolicy> policy(new TabularPolicy);
  policy->runs_ = std::move(runs);
  if (actions.empty()) fail("has no states");
  const auto [least, most] = std::ranges::minmax(actions);
  if (least < 0) fail(fmt::format("action {} is negative", least));
  if (most <= std::numeric_limits<std::uint8_t>::max()) {
    policy->actions_.assign(actions.begin(), actions.end());
  } else {
    policy->wide_actions_.assign(actions.begin(), actions.end());
  }
  policy->check_runs();
  if (values.size() > 0 && values.cols() != policy->states())
    fail(fmt::format("has values of {} states; expected {}", values.cols(), policy->states()));
  if (!values.allFinite()) fail("has a value that is not finite");
  policy->values_ = std::move(values);
  return policy;
}

std::shared_ptr<const TabularPolicy> TabularPolicy::randomized(std::vector<std::int32_t> row_begin,
                                                               std::vector<double> probabilities,
                                                               PolicyRuns runs) {
  std::shared_ptr<TabularPolicy> policy(new TabularPolicy);
  policy->runs_ = std::move(runs);
  policy->row_begin_ = std::move(row_begin);
  policy->probabilities_ = std::move(probabilities);
  const auto& begin = policy->row_begin_;
  if (begin.size() < 2) fail("has no states");
  if (begin.front() != 0 || begin.back() != std::ssize(policy->probabilities_) ||
      !std::ranges::is_sorted(begin)) {
    fail("row_begin does not divide the probabilities into rows");
  }
  for (std::size_t row = 0; row + 1 < begin.size(); ++row) {
    if (begin[row] == begin[row + 1]) continue;
    double sum = 0;
    int possible = 0;
    for (int i = begin[row]; i < begin[row + 1]; ++i) {
      if (!(policy->probabilities_[i] >= 0))
        fail(fmt::format("row {}: {} is no probability", row, policy->probabilities_[i]));
      sum += policy->probabilities_[i];
      if (policy->probabilities_[i] > 0) ++possible;
    }
    policy->deterministic_ = policy->deterministic_ && possible == 1;
    if (!(std::abs(sum - 1) <= kRowSumTolerance))
      fail(fmt::format("row {} sums to {:.12g}; expected 1", row, sum));
  }
  policy->check_runs();
  return policy;
}

void TabularPolicy::check_runs() const {
  const auto& [begin, first_step] = runs_;
  if (begin.empty() && first_step.empty()) return;
  if (begin.size() < 2 || begin.front() != 0 || begin.back() != runs() || std::ssize(first_step) != runs()) {
    fail("the runs of the states do not divide what is stored");
  }
  if (!std::ranges::is_sorted(begin)) fail("the runs of the states are not in order");
  for (std::size_t s = 0; s + 1 < begin.size(); ++s) {
    if (begin[s] == begin[s + 1] || first_step[begin[s]] != 0)
      fail(fmt::format("state {} has no run from step 0 on", s));
    for (int r = begin[s] + 1; r < begin[s + 1]; ++r) {
      if (first_step[r] <= first_step[r - 1])
        fail(fmt::format("state {}: steps of its runs do not increase", s));
    }
  }
}

int TabularPolicy::runs() const {
  if (!has_actions()) return static_cast<int>(row_begin_.size()) - 1;
  return static_cast<int>(std::max(actions_.size(), wide_actions_.size()));
}

int TabularPolicy::states() const {
  return is_stationary() ? runs() : static_cast<int>(runs_.begin.size()) - 1;
}

int TabularPolicy::run(int state, int step) const {
  if (is_stationary()) return state;
  const auto first = runs_.first_step.begin();
  const auto after = std::upper_bound(first + runs_.begin[state], first + runs_.begin[state + 1], step);
  return static_cast<int>(after - first) - 1;
}

void TabularPolicy::action_probabilities(const Observations& observations, int step,
                                         Eigen::Ref<Matrix> probabilities) const {
  if (!observations.are_indices()) throw std::logic_error("a tabular policy sees states by their index");
  if (probabilities.cols() != observations.size()) {
    throw std::logic_error(fmt::format("action_probabilities: {} columns for {} states", probabilities.cols(),
                                       observations.size()));
  }
  probabilities.setZero();
  const std::span<const int> states = observations.indices();
  for (int i = 0; i < std::ssize(states); ++i) {
    if (states[i] < 0 || states[i] >= this->states())
      throw std::logic_error(fmt::format("action_probabilities: state {} of {}", states[i], this->states()));
    const int r = run(states[i], step);
    const int actions = actions_of(r);
    if (actions > probabilities.rows())
      throw std::logic_error(
          fmt::format("action_probabilities: {} rows for {} actions", probabilities.rows(), actions));
    if (has_actions()) {
      probabilities(actions - 1, i) = 1;
    } else {
      for (int j = row_begin_[r]; j < row_begin_[r + 1]; ++j)
        probabilities(j - row_begin_[r], i) = probabilities_[j];
    }
  }
}

int TabularPolicy::actions_of(int run) const {
  return has_actions() ? run_action(run) + 1 : row_begin_[run + 1] - row_begin_[run];
}

void TabularPolicy::check_fits(const World& world) const {
  if (world.controls > 0) fail("its actions are numbered; expected real numbers, as the world has");
  if (world.states != states())
    fail(fmt::format("is for {} states; expected {}, as the world has", states(), world.states));
  if (values_.size() > 0 && values_.rows() != world.dim())
    fail(fmt::format("has values of {} measurements; expected {}, as the world has", values_.rows(),
                     world.dim()));
  if (world.part) return;  // whoever has a state knows its actions
  for (int s = 0; s < states(); ++s) {
    if (world.model && world.model->is_terminal(s)) continue;
    const int actions = world.model ? world.model->actions(s) : world.actions;
    const int first = is_stationary() ? s : runs_.begin[s];
    const int end = is_stationary() ? s + 1 : runs_.begin[s + 1];
    for (int r = first; r < end; ++r) {
      if (actions_of(r) == 0) fail(fmt::format("has no action in state {}", s));
      if (actions_of(r) > actions)
        fail(fmt::format("takes action {} in state {}, which has {}", actions_of(r) - 1, s, actions));
    }
  }
}

std::vector<Tensor> TabularPolicy::arrays() const {
  std::vector<Tensor> arrays;
  store(arrays, "run_begin", runs_.begin);
  store(arrays, "run_first_step", runs_.first_step);
  store(arrays, "actions", actions_);
  store(arrays, "actions", wide_actions_);
  store(arrays, "row_begin", row_begin_);
  store(arrays, "probabilities", probabilities_);
  if (values_.size() > 0) arrays.push_back(stored(values_));
  return arrays;
}

std::shared_ptr<const TabularPolicy> TabularPolicy::from_arrays(std::span<const Tensor> arrays) {
  PolicyRuns runs;
  std::vector<std::uint8_t> narrow;
  std::vector<std::int32_t> actions, row_begin;
  std::vector<double> probabilities;
  Eigen::MatrixXf values;
  for (const Tensor& array : arrays) {
    const bool known = load(array, "run_begin", runs.begin) ||
                       load(array, "run_first_step", runs.first_step) || load(array, "actions", narrow) ||
                       load(array, "actions", actions) || load(array, "row_begin", row_begin) ||
                       load(array, "probabilities", probabilities) || load(array, values);
    if (!known)
      fail(fmt::format("array '{}' of type {} is not part of a tabular policy", array.name, array.type));
  }
  if (!row_begin.empty() && values.size() > 0) fail("has values, and no actions");
  if (!row_begin.empty()) return randomized(std::move(row_begin), std::move(probabilities), std::move(runs));
  if (actions.empty()) actions.assign(narrow.begin(), narrow.end());
  return deterministic(actions, std::move(runs), std::move(values));
}

}  // namespace c2rl
