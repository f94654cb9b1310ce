#include "c2rl/oracle/ddqn.h"

#include <algorithm>

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/base/text.h"
#include "c2rl/oracle/ddqn_training.h"
#include "c2rl/oracle/oracle_kinds.h"

namespace c2rl {

Ddqn::Ddqn(std::shared_ptr<const Dataset> dataset, const DdqnOptions& options, ActionCounts actions)
    : dataset_(std::move(dataset)),
      options_(options),
      recorded_(std::make_shared<const RecordedActions>(*dataset_, std::move(actions))),
      evaluator_(dataset_) {
  check_options(options_);
}

OracleAnswer Ddqn::answer(const OracleCall& call) const {
  constexpr int kUpdatesPerReport = 64;
  const auto* start = options_.warm_start ? dynamic_cast<const NetworkPolicy*>(call.start.get()) : nullptr;
  DdqnOptions options = options_;
  options.step_cost /= std::max(1.0, call.effort);
  DdqnTraining training(*dataset_, *recorded_, options, call.direction, call.budget(options.updates),
                        call.rng.fork("training"), start);
  for (int done = 0; !training.done(); ++done) {
    if (done % kUpdatesPerReport == 0) call.report(training.part_done());
    training.update();
  }
  call.report(1);
  OracleAnswer answer;
  answer.policy = training.policy();
  OffPolicyEstimate estimate = evaluator_.estimate(options_.off_policy, *answer.policy);
  answer.measurement = std::move(estimate.measurement);
  answer.standard_error = std::move(estimate.standard_error);
  return answer;
}

namespace {

/// What an [oracle] section says.
struct DdqnSection {
  std::string dataset = {};
  DdqnOptions training = {};

  void visit(OptionVisitor& visitor) {
    visitor.path("dataset", dataset, "recorded episodes, which c2rl collect writes");
    training.visit(visitor);
  }
};

/// The dataset at a path. It must have been recorded in this world, as far as its header and its actions can
/// tell; an InputError names the file and the field that does not fit.
std::shared_ptr<const Dataset> read_dataset_of(const World& world, const std::string& path) {
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

}  // namespace

OracleKind ddqn_kind() {
  OracleKind kind;
  kind.name = "ddqn";
  kind.summary = "deep double Q-learning, from recorded data alone";
  kind.options = list_options<DdqnSection>();
  kind.needs_dataset = true;
  kind.needs_numbered_states = true;
  kind.can_go_on = true;
  kind.make = [](const Config& section, const World& world, const OracleDefaults& defaults) {
    if (!section.has("dataset"))
      section.fail("dataset", "missing; expected the path of a dataset, which c2rl collect writes");
    const auto options = read_options(section, DdqnSection{.training = {.warm_start = defaults.warm_start}});
    return std::make_unique<Ddqn>(read_dataset_of(world, options.dataset), options.training,
                                  ActionCounts(world));
  };
  return kind;
}

}  // namespace c2rl
