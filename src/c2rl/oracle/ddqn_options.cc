#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "c2rl/base/enum_names.h"
#include "c2rl/oracle/ddqn.h"
#include "c2rl/oracle/read_options.h"

namespace c2rl {
namespace {

const EnumNames<BatchSampling>& sampling_names() {
  static const EnumNames<BatchSampling> kNames("sampling", {"uniform", "balanced"});
  return kNames;
}

}  // namespace

std::string to_string(BatchSampling sampling) {
  return sampling_names().of(sampling);
}

BatchSampling batch_sampling_from_string(const std::string& name) {
  return sampling_names().parse(name);
}

void DdqnOptions::validate() const {
  const auto check = [](bool good, const char* field, double found, const char* expected) {
    if (!good) throw InputError({.field = field}, fmt::format("is {}; expected {}", found, expected));
  };
  for (const int width : hidden) check(width > 0, "hidden", width, "widths of at least 1");
  check(updates > 0, "updates", static_cast<double>(updates), "at least 1");
  check(batch > 0, "batch", batch, "at least 1");
  check(target_period > 0, "target_period", target_period, "at least 1");
  check(learning_rate > 0 && std::isfinite(learning_rate), "learning_rate", learning_rate, "above 0");
  check(learning_rate_last >= 0 && std::isfinite(learning_rate_last), "learning_rate_last",
        learning_rate_last, "0 or more");
  check(momentum >= 0 && momentum < 1, "momentum", momentum, "a number in [0, 1)");
  check(training_discount >= 0 && training_discount <= 1, "training_discount", training_discount,
        "a number in [0, 1]");
  check(step_cost >= 0 && step_cost <= 1, "step_cost", step_cost, "a number in [0, 1]");
  check(huber_limit > 0, "huber_limit", huber_limit, "above 0");
}

DdqnOptions read_ddqn(const Config& section) {
  DdqnOptions o;
  o.hidden = read_widths(section, "hidden", o.hidden);
  o.activation = read_activation(section, o.activation);
  o.updates = read_at_least(section, "updates", o.updates, 1, kMostSteps);
  o.batch = static_cast<int>(read_at_least(section, "batch", o.batch, 1, 100'000));
  o.sampling =
      batch_sampling_from_string(section.choice("sampling", sampling_names().all(), to_string(o.sampling)));
  o.target_period = static_cast<int>(read_at_least(section, "target_period", o.target_period, 1, 1'000'000));
  o.learning_rate = read_positive(section, "learning_rate", o.learning_rate);
  o.learning_rate_last =
      read_nonnegative(section, "learning_rate_last", std::min(o.learning_rate_last, o.learning_rate));
  o.momentum = section.number("momentum", o.momentum);
  section.expect(o.momentum >= 0 && o.momentum < 1, "momentum", "a number in [0, 1)");
  o.training_discount = read_part(section, "training_discount", o.training_discount);
  o.step_cost = read_part(section, "step_cost", o.step_cost);
  o.huber_limit = section.number("huber_limit", o.huber_limit);
  section.expect(o.huber_limit > 0, "huber_limit", "a number above 0, or inf");
  o.off_policy = off_policy_method_from_string(
      section.choice("off_policy", off_policy_method_names(), to_string(o.off_policy)));
  o.warm_start = section.boolean("warm_start", o.warm_start);
  return o;
}

std::shared_ptr<const Dataset> read_dataset_of(const Config& section, const World& world) {
  if (!section.has("dataset"))
    section.fail("dataset", "missing; expected the path of a dataset, which c2rl collect writes");
  const std::string path = section.file_path("dataset");
  auto dataset = std::make_shared<const Dataset>(read_dataset(path));
  const auto check = [&](const char* field, const auto& found, const auto& expected) {
    if (found != expected) {
      throw InputError({.file = path, .field = field},
                       fmt::format("found {}, expected {} as the environment has", found, expected));
    }
  };
  check("states", dataset->states, world.states);
  check("features", dataset->features, world.features);
  check("actions", dataset->actions, world.actions);
  check("measurements", join(dataset->measurements, ", "), join(world.measurements, ", "));
  check("discount", dataset->discount, world.discount);
  check("horizon", dataset->horizon, world.horizon);
  check_actions(*dataset, ActionCounts(world), {.file = path, .field = "action"});
  return dataset;
}

}  // namespace c2rl
