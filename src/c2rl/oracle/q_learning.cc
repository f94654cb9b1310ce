#include "c2rl/oracle/q_learning.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/mdp/tabular_policy.h"

namespace c2rl {
namespace {

/// The table, and one run of training on it.
class Training {
 public:
  Training(const TabularModel& model, const Sampler& sampler, const QLearningOptions& options,
           const Vector& direction)
      : model_(model),
        sampler_(sampler),
        options_(options),
        cost_(direction.transpose() * model.measurement),
        values_(model.choices(), options.initial_value),
        updates_(model.choices(), 0) {}

  /// Every kReportSteps steps, `report` hears how much is done.
  template <typename Report>
  void run(std::int64_t steps, Rng rng, const Report& report) {
    const double decay_steps = std::max(1.0, options_.epsilon_decay_part * static_cast<double>(steps));
    const int limit = sampler_.episode_limit();
    int state = -1, step = 0;
    for (std::int64_t t = 0; t < steps; ++t) {
      if (t % kReportSteps == 0) report(static_cast<double>(t) / static_cast<double>(steps));
      if (state < 0) {
        state = sampler_.start(rng.uniform());
        step = 0;
        if (model_.is_terminal(state)) {
          state = -1;
          continue;
        }
      }
      const double progress = std::min(1.0, static_cast<double>(t) / decay_steps);
      const double epsilon =
          options_.epsilon_first + progress * (options_.epsilon_last - options_.epsilon_first);
      const int choice = rng.uniform() < epsilon
                             ? model_.choice_begin[state] + static_cast<int>(rng.below(model_.actions(state)))
                             : greedy(state);
      const int e = sampler_.transition(choice, rng.uniform());
      const int next = model_.next[e];
      // An episode that is cut could have gone on: only a terminal state has nothing ahead.
      const double ahead = model_.is_terminal(next) ? 0.0 : values_[greedy(next)];
      values_[choice] += rate(++updates_[choice]) * (cost_[e] + model_.discount * ahead - values_[choice]);
      state = model_.is_terminal(next) || ++step == limit ? -1 : next;
    }
  }

  PolicyPtr policy() const {
    std::vector<std::int32_t> actions(model_.states, 0);
    for (int s = 0; s < model_.states; ++s) {
      if (!model_.is_terminal(s)) actions[s] = greedy(s) - model_.choice_begin[s];
    }
    return TabularPolicy::deterministic(actions);
  }

 private:
  int greedy(int state) const {
    const auto begin = values_.begin();
    return static_cast<int>(
        std::min_element(begin + model_.choice_begin[state], begin + model_.choice_begin[state + 1]) - begin);
  }

  double rate(int update) const {
    return std::max(options_.learning_rate_floor, std::pow(update, -options_.learning_rate_power));
  }

  static constexpr std::int64_t kReportSteps = 1 << 14;

  const TabularModel& model_;
  const Sampler& sampler_;
  const QLearningOptions& options_;
  Eigen::RowVectorXd cost_;  // of every transition
  std::vector<double> values_;
  std::vector<int> updates_;
};

}  // namespace

void QLearningOptions::validate() const {
  const auto check = [](bool good, const char* field, double found, const char* expected) {
    if (!good) throw InputError({.field = field}, fmt::format("is {}; expected {}", found, expected));
  };
  const auto is_part = [](double x) { return x >= 0 && x <= 1; };
  check(training_steps > 0, "training_steps", static_cast<double>(training_steps), "at least 1");
  check(std::isfinite(initial_value), "initial_value", initial_value, "a finite number");
  check(is_part(learning_rate_power), "learning_rate_power", learning_rate_power, "a number in [0, 1]");
  check(is_part(learning_rate_floor), "learning_rate_floor", learning_rate_floor, "a number in [0, 1]");
  check(is_part(epsilon_first), "epsilon_first", epsilon_first, "a number in [0, 1]");
  check(is_part(epsilon_last), "epsilon_last", epsilon_last, "a number in [0, 1]");
  check(is_part(epsilon_decay_part), "epsilon_decay_part", epsilon_decay_part, "a number in [0, 1]");
  check(evaluation.evaluation_episodes >= 2, "evaluation_episodes", evaluation.evaluation_episodes,
        "at least 2");
}

QLearning::QLearning(std::shared_ptr<const TabularModel> model, const QLearningOptions& options)
    : model_(std::move(model)), world_(make_world(model_)), options_(options), sampler_(*model_) {
  options_.validate();
}

OracleAnswer QLearning::answer(const OracleCall& call) {
  const auto steps =
      static_cast<std::int64_t>(std::ceil(call.effort * static_cast<double>(options_.training_steps)));
  Training training(*model_, sampler_, options_, call.direction);
  training.run(steps, call.rng.fork("training"), [this](double part) { report(part); });
  OracleAnswer result;
  result.policy = training.policy();
  result.env_steps = steps;
  evaluate_policy(world_, options_.evaluation, call.rng.fork("evaluation"), result);
  return result;
}

}  // namespace c2rl
