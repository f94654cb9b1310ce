#include "c2rl/mdp/evaluate_backward.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "c2rl/mdp/parallel.h"
#include "c2rl/mdp/relaxation_sweeps.h"

namespace c2rl {
namespace {

/// States that a thread takes, and those that are known to settle together.
constexpr int kGrain = 1 << 12, kTogether = 1 << 8;

/// What lies ahead of every state with so many steps to go: its measurements, and its steps where they differ.
class Backward {
 public:
  Backward(const TabularModel& model, const TabularPolicy& policy)
      : model_(model),
        policy_(policy),
        counts_steps_(has_end(model)),
        width_(model.dim() + (counts_steps_ ? 1 : 0)),
        run_(model.states),
        choice_(model.states, -1),
        settled_from_((model.states + kTogether - 1) / kTogether, model.horizon),
        row_begin_(model.states + 1, 0),
        expected_(Matrix::Zero(width_, model.states)),
        now_(Matrix::Zero(width_, model.states)),
        then_(Matrix::Zero(width_, model.states)) {
    for (int s = 0; s < model.states; ++s) {
      run_[s] = policy.last_run(s);
      int longest = 0;
      for (int k = model.choice_begin[s]; k < model.choice_begin[s + 1]; ++k)
        longest = std::max(longest, model.transition_begin[k + 1] - model.transition_begin[k]);
      row_begin_[s + 1] = row_begin_[s] + longest;
      longest_ = std::max(longest_, longest);
    }
    next_.resize(row_begin_.back());
    factor_.resize(row_begin_.back());
  }

  void step_back(int step) {
    for_ranges_parallel(model_.states, kGrain, [&](int begin, int end) {
      with_systems(width_, [&](auto width) { look<width()>(step, begin, end); });
    });
    std::swap(now_, then_);
    largest_ = std::max(largest_,
                        counts_steps_
                            ? now_.topRows(model_.dim()).lpNorm<Eigen::Infinity>()
                            : Eigen::Map<const Vector>(now_.data(), now_.size()).lpNorm<Eigen::Infinity>());
    steps_ = 1 + model_.discount * steps_;
  }

  Evaluation result() const {
    Vector sum = Vector::Zero(width_);
    double size = 0;
    int starts = 0;
    for (int s = 0; s < model_.states; ++s) {
      if (model_.start[s] == 0) continue;
      sum += model_.start[s] * now_.col(s);
      size += model_.start[s] * now_.col(s).lpNorm<Eigen::Infinity>();
      ++starts;
    }
    int branching = 0;
    for (int k = 0; k < model_.choices(); ++k)
      branching = std::max(branching, model_.transition_begin[k + 1] - model_.transition_begin[k]);
    // The rounding of every step, relative to what is added up in it, counts in all steps before.
    const double steps =
        model_.discount < 1 ? std::min<double>(model_.horizon, 1 / (1 - model_.discount)) : model_.horizon;
    const double measured = model_.measurement.size() == 0 ? 0.0 : model_.measurement.cwiseAbs().maxCoeff();
    Evaluation evaluation;
    evaluation.measurement = sum.head(model_.dim());
    evaluation.steps = counts_steps_ ? sum[model_.dim()] : steps_;
    evaluation.error =
        kEpsilon * (2 * branching + 5) * steps * (largest_ + measured) + kEpsilon * (starts + 1) * size;
    return evaluation;
  }

 private:
  static bool has_end(const TabularModel& model) {
    for (int s = 0; s < model.states; ++s) {
      if (model.is_terminal(s)) return true;
    }
    return false;
  }

  template <int kWidth>
  void look(int step, int begin, int end) {
    for (int s = begin; s < end; s += kTogether) {
      if (step < settled_from_[s / kTogether]) follow(step, s, std::min(end, s + kTogether));
    }
    const int width = kWidth > 0 ? kWidth : width_;
    const std::ptrdiff_t first = std::ptrdiff_t{begin} * width;
    const RelaxedRows<double> rows{std::span(row_begin_).subspan(begin, end - begin + 1),
                                   next_,
                                   factor_.data(),
                                   expected_.data() + first,
                                   width,
                                   longest_};
    for_each_relaxed<kWidth>(rows, now_.data(), [width, to = then_.data() + first](int i, const double* sum) {
      std::copy_n(sum, width, to + std::ptrdiff_t{i} * width);
    });
  }

  /// Brings choices to what they are at this step.
  void follow(int step, int begin, int end) {
    int settled_from = 0;
    for (int s = begin; s < end; ++s) {
      if (model_.is_terminal(s)) continue;
      run_[s] = policy_.run_at(run_[s], step);
      settled_from = std::max(settled_from, policy_.run_start(run_[s]));
      const int k = model_.choice_begin[s] + policy_.run_action(run_[s]);
      if (k != choice_[s]) take(s, k);
    }
    settled_from_[begin / kTogether] = settled_from;
  }

  /// From now on its choice is k.
  void take(int state, int k) {
    choice_[state] = k;
    const int dim = model_.dim();
    expected_.col(state).setZero();
    int row = row_begin_[state];
    for (int e = model_.transition_begin[k]; e < model_.transition_begin[k + 1]; ++e, ++row) {
      next_[row] = model_.next[e];
      factor_[row] = model_.discount * model_.probability[e];
      const double* const amount = model_.measurement.data() + std::ptrdiff_t{e} * dim;
      for (int i = 0; i < dim; ++i) expected_(i, state) += model_.probability[e] * amount[i];
    }
    for (; row < row_begin_[state + 1]; ++row) {
      next_[row] = state;
      factor_[row] = 0;
    }
    if (counts_steps_) expected_(dim, state) = 1;
  }

  const TabularModel& model_;
  const TabularPolicy& policy_;
  const bool counts_steps_;
  const int width_;
  std::vector<std::int32_t> run_;     // of every state, at the step at hand
  std::vector<std::int32_t> choice_;  // of every state there
  std::vector<std::int32_t>
      settled_from_;  // of every kTogether states: the first step at which they all do so
  // What these lead to, side by side: rows with room for the longest choice of their state.
  std::vector<std::int32_t> row_begin_, next_;
  std::vector<double> factor_;
  int longest_ = 0;     // of these rows
  Matrix expected_;     // what that measures at once, and one step
  Matrix now_, then_;   // with as many steps to go as have been gone back, and one more
  double largest_ = 0;  // measurement ahead, absolutely
  double steps_ = 0;    // as many as there are, where no state ends an episode
};

}  // namespace

Evaluation evaluate_backward(const TabularModel& model, const TabularPolicy& policy, const Pulse& listener) {
  Backward backward(model, policy);
  for (int step = model.horizon - 1; step >= 0; --step) {
    pulse(listener);
    backward.step_back(step);
  }
  return backward.result();
}

}  // namespace c2rl
