#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "c2rl/base/enum_names.h"
#include "c2rl/oracle/a2c.h"
#include "c2rl/oracle/read_options.h"

namespace c2rl {
namespace {

const EnumNames<Returns>& returns_names() {
  static const EnumNames<Returns> kNames("returns", {"gae", "n-step", "monte-carlo"});
  return kNames;
}

}  // namespace

std::string to_string(Returns returns) {
  return returns_names().of(returns);
}

Returns returns_from_string(const std::string& name) {
  return returns_names().parse(name);
}

void A2cOptions::validate() const {
  const auto check = [](bool good, const char* field, double found, const char* expected) {
    if (!good) throw InputError({.field = field}, fmt::format("is {}; expected {}", found, expected));
  };
  const auto is_part = [](double x) { return x >= 0 && x <= 1; };
  for (const int width : hidden) check(width > 0, "hidden", width, "widths of at least 1");
  check(training_steps > 0, "training_steps", static_cast<double>(training_steps), "at least 1");
  check(environments > 0, "environments", environments, "at least 1");
  check(rollout_steps > 0, "rollout_steps", rollout_steps, "at least 1");
  check(learning_rate > 0 && std::isfinite(learning_rate), "learning_rate", learning_rate, "above 0");
  check(learning_rate_last >= 0 && std::isfinite(learning_rate_last), "learning_rate_last",
        learning_rate_last, "0 or more");
  check(is_part(step_cost), "step_cost", step_cost, "a number in [0, 1]");
  check(is_part(training_discount), "training_discount", training_discount, "a number in [0, 1]");
  check(is_part(gae_lambda), "gae_lambda", gae_lambda, "a number in [0, 1]");
  check(entropy_first >= 0, "entropy_first", entropy_first, "0 or more");
  check(entropy_last >= 0, "entropy_last", entropy_last, "0 or more");
  check(is_part(entropy_decay_part), "entropy_decay_part", entropy_decay_part, "a number in [0, 1]");
  check(value_weight >= 0, "value_weight", value_weight, "0 or more");
  check(max_gradient_norm > 0, "max_gradient_norm", max_gradient_norm, "above 0");
  check(checks >= 1, "checks", checks, "at least 1");
  check(evaluation.evaluation_episodes >= 2, "evaluation_episodes", evaluation.evaluation_episodes,
        "at least 2");
}

A2cOptions read_a2c(const Config& section, const World& world) {
  A2cOptions o;
  o.hidden = read_widths(section, "hidden", o.hidden);
  o.activation = read_activation(section, o.activation);
  o.training_steps = read_at_least(section, "training_steps", o.training_steps, 1, kMostSteps);
  o.environments = static_cast<int>(read_at_least(section, "environments", o.environments, 1, 100'000));
  o.returns = returns_from_string(section.choice("returns", returns_names().all(), to_string(o.returns)));
  if (o.returns == Returns::monte_carlo) {
    section.expect(world.episode_limit > 0, "returns",
                   "gae or n-step: episodes of this environment have no end to wait for");
  } else {
    o.rollout_steps = static_cast<int>(read_at_least(section, "rollout_steps", o.rollout_steps, 1, 100'000));
  }
  if (o.returns == Returns::gae) o.gae_lambda = read_part(section, "gae_lambda", o.gae_lambda);
  o.step_cost = read_part(section, "step_cost", o.step_cost);
  o.training_discount = read_part(section, "training_discount", o.training_discount);
  o.learning_rate = read_positive(section, "learning_rate", o.learning_rate);
  o.learning_rate_last =
      read_nonnegative(section, "learning_rate_last", std::min(o.learning_rate_last, o.learning_rate));
  o.normalize_advantages = section.boolean("normalize_advantages", o.normalize_advantages);
  o.entropy_first = read_nonnegative(section, "entropy_first", o.entropy_first);
  o.entropy_last = read_nonnegative(section, "entropy_last", o.entropy_last);
  o.entropy_decay_part = read_part(section, "entropy_decay_part", o.entropy_decay_part);
  o.value_weight = read_nonnegative(section, "value_weight", o.value_weight);
  o.max_gradient_norm = read_positive(section, "max_gradient_norm", o.max_gradient_norm);
  o.execution = read_execution(section, o.execution);
  o.warm_start = section.boolean("warm_start", o.warm_start);
  o.early_stop = section.boolean("early_stop", o.early_stop);
  o.checks = static_cast<int>(read_at_least(section, "checks", o.checks, 1, 1000));
  o.evaluation = read_evaluation(section, world);
  return o;
}

}  // namespace c2rl
