#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "c2rl/base/random.h"
#include "c2rl/base/vector.h"
#include "c2rl/mdp/model.h"
#include "c2rl/planning/ties.h"

namespace c2rl {

/// What lies ahead of a state, or of a choice in it, under an optimal policy.
struct Outlook {
  double value = 0;   // expected sum of costs
  double second = 0;  // what decides between equal values: expected steps, or minus these, or nothing

  bool operator==(const Outlook&) const = default;
};

/// The best of a state's choices.
struct Decision {
  Outlook outlook;
  int action = 0;
};

/// A direction made scalar: what every choice costs, and the order between equally good choices.
struct ScalarProblem {
  std::vector<double> cost;  // expected cost of every choice
  double cost_scale = 0;     // the largest of them, absolutely
  double step_cost = 0;      // what a step adds to the second objective: 1, -1 or 0
  double discount = 1;
  std::vector<std::uint32_t> preference;  // of every choice, smallest first; empty: in order

  /// `expected`: what every choice measures, where that has been computed.
  ScalarProblem(const TabularModel& model, const Vector& direction, Ties ties, const Rng& rng,
                const Matrix& expected = {});

  /// How far apart values of about this size may be and still be equal.
  double tolerance(double value) const { return kTieTolerance * (std::abs(value) + cost_scale); }
  static double second_tolerance(double second) { return kTieTolerance * (1 + std::abs(second)); }

  /// A choice's outlook, given the expected one of what it leads to.
  Outlook option(int choice, const Outlook& ahead) const {
    return {cost[choice] + discount * ahead.value, step_cost + discount * ahead.second};
  }

  /// The least value; among the options equal to it the least second objective; among those the preferred
  /// action. The outlook's parts are these minima themselves, so that tolerances do not add up from state to
  /// state.
  Decision decide(const Outlook* options, int count, int first_choice) const {
    return count == 4 ? decide_among<4>(options, 4, first_choice)
                      : decide_among<0>(options, count, first_choice);
  }

  /// The same where second objectives are all alike: of the values of options, the least of which is known.
  Decision decide_by_value(const double* options, double least, int count, int first_choice) const {
    const double equal = least + tolerance(least);
    int action = 0;
    for (int a = count - 1; a >= 0; --a) action = options[a] <= equal ? a : action;
    if (!preference.empty()) {
      const std::uint32_t* const order = preference.data() + first_choice;
      for (int a = action + 1; a < count; ++a) {
        if (options[a] <= equal && order[a] < order[action]) action = a;
      }
    }
    return {{least, 0}, action};
  }

 private:
  /// `kCount` is the number of options where it is known when compiling: grids have four, and this is the
  /// innermost loop. Selections instead of branches: which option wins is unpredictable.
  template <int kCount>
  Decision decide_among(const Outlook* options, int any_count, int first_choice) const {
    const int count = kCount > 0 ? kCount : any_count;
    double least = options[0].value;
    for (int a = 1; a < count; ++a) least = std::min(least, options[a].value);
    const double equal = least + tolerance(least);
    double least_second = kInfinity;
    for (int a = 0; a < count; ++a) {
      const double candidate = options[a].value <= equal ? options[a].second : kInfinity;
      least_second = std::min(least_second, candidate);
    }
    const double equal_second = least_second + second_tolerance(least_second);
    const auto is_best = [&](int a) {
      return options[a].value <= equal && options[a].second <= equal_second;
    };
    int action = 0;
    for (int a = count - 1; a >= 0; --a) action = is_best(a) ? a : action;
    if (!preference.empty()) {
      const std::uint32_t* const order = preference.data() + first_choice;
      for (int a = action + 1; a < count; ++a) {
        if (is_best(a) && order[a] < order[action]) action = a;
      }
    }
    return {{least, least_second}, action};
  }
};

/// A column for every choice: what it measures, expected.
Matrix expected_measurements(const TabularModel& model);

}  // namespace c2rl
