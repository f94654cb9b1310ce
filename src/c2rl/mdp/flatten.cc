#include "c2rl/mdp/flatten.h"

#include <algorithm>
#include <span>
#include <vector>

#include "c2rl/mdp/occupancy.h"
#include "c2rl/mdp/tabular_policy.h"

namespace c2rl {
namespace {

/// Action probabilities per state that change at some steps.
class RowBook {
 public:
  explicit RowBook(const TabularModel& model)
      : model_(model), latest_(model.choices(), 0.0), runs_(model.states) {}

  /// The state's row from `step` on, unnormalised; steps do not decrease.
  void set(int state, int step, std::span<const double> row) {
    double sum = 0;
    for (const double p : row) sum += p;
    if (sum == 0) return;  // so rare a visit that its probability underflows
    std::vector<double> normalised(row.begin(), row.end());
    for (double& p : normalised) p /= sum;
    const auto latest = latest_.begin() + model_.choice_begin[state];
    if (!runs_[state].empty() && std::equal(normalised.begin(), normalised.end(), latest)) return;
    std::ranges::copy(normalised, latest);
    // Before the first visit nothing matters, so the first row holds from the start.
    runs_[state].push_back({runs_[state].empty() ? 0 : step, std::move(normalised)});
  }

  bool has(int state) const { return !runs_[state].empty(); }

  PolicyPtr policy() const {
    PolicyRuns runs{{0}, {}};
    std::vector<std::int32_t> row_begin = {0};
    std::vector<double> probabilities;
    for (int s = 0; s < model_.states; ++s) {
      const auto close_row = [&](int first_step) {
        row_begin.push_back(static_cast<std::int32_t>(probabilities.size()));
        runs.first_step.push_back(first_step);
      };
      for (const Run& run : runs_[s]) {
        probabilities.insert(probabilities.end(), run.row.begin(), run.row.end());
        close_row(run.first_step);
      }
      if (runs_[s].empty()) close_row(0);  // a terminal state
      runs.begin.push_back(static_cast<std::int32_t>(runs.first_step.size()));
    }
    const bool stationary = std::ssize(runs.first_step) == model_.states;
    return TabularPolicy::randomized(std::move(row_begin), std::move(probabilities),
                                     stationary ? PolicyRuns{} : std::move(runs));
  }

 private:
  struct Run {
    int first_step;
    std::vector<double> row;
  };

  const TabularModel& model_;
  std::vector<double> latest_;  // per choice: the row that holds now
  std::vector<std::vector<Run>> runs_;
};

/// Sums of weighted action probabilities of some states, one step at a time.
class StepAverage {
 public:
  explicit StepAverage(const TabularModel& model)
      : model_(model), rows_(model.choices(), 0.0), seen_(model.states) {}

  void add(int state, int choice, double amount) {
    if (!seen_[state]) {
      seen_[state] = true;
      states_.push_back(state);
    }
    rows_[choice] += amount;
  }

  void move_to(RowBook& book, int step) {
    for (const int s : states_) {
      const std::span row(rows_.data() + model_.choice_begin[s], model_.actions(s));
      book.set(s, step, row);
      std::ranges::fill(row, 0.0);
      seen_[s] = false;
    }
    states_.clear();
  }

 private:
  const TabularModel& model_;
  std::vector<double> rows_;  // per choice
  std::vector<bool> seen_;
  std::vector<int> states_;
};

void average_over_time(const TabularModel& model, const MixedPolicy& mixed, RowBook& book) {
  std::vector<Walk> walks(mixed.size(), Walk(model));
  StepAverage average(model);
  Vector measured = Vector::Zero(model.dim());
  for (int step = 0; step < model.horizon; ++step) {
    for (int i = 0; i < mixed.size(); ++i) {
      if (mixed.weights()[i] == 0) continue;
      Walk& walk = walks[i];
      visit_choices(model, mixed.policy(i), step, walk.states(), [&](int s, int choice, double p) {
        average.add(s, choice, mixed.weights()[i] * walk.probability(s) * p);
      });
      walk.advance(mixed.policy(i), measured);
    }
    average.move_to(book, step);
  }
}

void average_over_visits(const TabularModel& model, const MixedPolicy& mixed, RowBook& book) {
  StepAverage average(model);
  std::vector<double> visits(model.states);
  for (int i = 0; i < mixed.size(); ++i) {
    if (mixed.weights()[i] == 0) continue;
    const Occupancy occupancy = stationary_occupancy(model, mixed.policy(i));
    for (int j = 0; j < std::ssize(occupancy.states); ++j) visits[occupancy.states[j]] = occupancy.visits[j];
    visit_choices(model, mixed.policy(i), 0, occupancy.states, [&](int s, int choice, double p) {
      average.add(s, choice, mixed.weights()[i] * visits[s] * p);
    });
  }
  average.move_to(book, 0);
}

}  // namespace

PolicyPtr flatten(const TabularModel& model, const MixedPolicy& mixed) {
  RowBook book(model);
  if (model.horizon > 0) {
    average_over_time(model, mixed, book);
  } else {
    average_over_visits(model, mixed, book);
  }
  std::vector<int> unvisited;
  for (int s = 0; s < model.states; ++s) {
    if (!book.has(s) && !model.is_terminal(s)) unvisited.push_back(s);
  }
  int heaviest = 0;
  mixed.weights().maxCoeff(&heaviest);
  StepAverage average(model);
  visit_choices(model, mixed.policy(heaviest), 0, unvisited,
                [&](int s, int choice, double p) { average.add(s, choice, p); });
  average.move_to(book, 0);
  return book.policy();
}

}  // namespace c2rl
