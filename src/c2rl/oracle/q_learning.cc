#include "c2rl/oracle/q_learning.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "c2rl/mdp/tabular_policy.h"
#include "c2rl/oracle/oracle_kinds.h"

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

void QLearningOptions::visit(OptionVisitor& visitor) {
  visitor.integer("training_steps", training_steps, between(1, kMostSteps),
                  "environment steps of training per call: 20,000 are twice what finds the navigation task's "
                  "optima in 100 of 100 runs; in a problem file at least 1000 per state and action");
  visitor.number("initial_value", initial_value, any_number(),
                 "where all values start: 0 is optimistic as long as costs are positive, what was not tried "
                 "looks best, so that the learner explores systematically");
  visitor.number(
      "learning_rate_power", learning_rate_power, part(),
      "the n-th update of a value moves it by n^-power of the way; powers above 1/2 average noise away");
  visitor.number("learning_rate_floor", learning_rate_floor, part(),
                 "an update never moves a value by less, which forgets the early values: those were built on "
                 "values still unlearnt");
  visitor.number("epsilon_first", epsilon_first, part(), "the probability of a random action at the start");
  visitor.number("epsilon_last", epsilon_last, part(), "the same at the end of its decay, which is linear");
  visitor.number("epsilon_decay_part", epsilon_decay_part, part(),
                 "of the training, over which epsilon decays; the rest refines what will be the answer");
  evaluation.visit(visitor);
}

QLearning::QLearning(std::shared_ptr<const TabularModel> model, const QLearningOptions& options)
    : model_(std::move(model)), world_(make_world(model_)), options_(options), sampler_(*model_) {
  check_options(options_);
}

OracleAnswer QLearning::answer(const OracleCall& call) const {
  const std::int64_t steps = call.budget(options_.training_steps);
  Training training(*model_, sampler_, options_, call.direction);
  training.run(steps, call.rng.fork("training"), [&](double part) { call.report(part); });
  OracleAnswer result;
  result.policy = training.policy();
  result.env_steps = steps;
  evaluate_policy(world_, options_.evaluation, call.rng.fork("evaluation"), result, [&] { call.report(1); });
  return result;
}

OracleKind q_learning_kind() {
  OracleKind kind;
  kind.name = "q-learning";
  kind.summary = "tabular Q-learning, by sampling a model";
  kind.options = list_options<QLearningOptions>();
  kind.needs_model = true;
  kind.make = [](const Config& section, const World& world, const OracleDefaults&) {
    QLearningOptions options;
    // Enough to try every choice many times over, whatever the model's size.
    options.training_steps = std::max<std::int64_t>(options.training_steps, 1000L * world.model->choices());
    return std::make_unique<QLearning>(world.model, read_options(section, options));
  };
  return kind;
}

}  // namespace c2rl
