#include "c2rl/oracle/ddqn.h"

#include <algorithm>
#include <span>
#include <stdexcept>

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/base/stopwatch.h"
#include "c2rl/base/text.h"
#include "c2rl/oracle/ddqn_training.h"
#include "c2rl/oracle/oracle_kinds.h"

namespace c2rl {

namespace {

/// Where fewer episodes carry the weight, these do not show the spread of all, and nothing is claimed.
constexpr double kFewestEffective = 100;

/// Nothing is left out of a dataset by copying it whole.
std::shared_ptr<const Dataset> without(std::shared_ptr<const Dataset> dataset, const EpisodeSplit& split) {
  if (split.judging.empty()) return dataset;
  auto part = std::make_shared<const Dataset>(select_episodes(*dataset, split.learning));
  return part->size() > 0 ? part : throw InputError({.field = "dataset"}, "found too few episodes to split");
}

EpisodeSplit split_of(const Dataset& dataset, const DdqnOptions& options, bool deterministic) {
  return split_episodes(dataset.episodes(), deterministic ? 0 : options.judging_part);
}

}  // namespace

Ddqn::Ddqn(const std::shared_ptr<const Dataset>& dataset, const DdqnOptions& options, ActionCounts actions,
           bool deterministic)
    : Ddqn(dataset, (check_options(options), options), std::move(actions), deterministic,
           split_of(*dataset, options, deterministic)) {}

Ddqn::Ddqn(std::shared_ptr<const Dataset> dataset, const DdqnOptions& options, ActionCounts actions,
           bool deterministic, EpisodeSplit split)
    : options_(options),
      deterministic_(deterministic),
      dataset_(std::move(dataset)),
      learning_(without(dataset_, split)),
      judging_(std::move(split.judging)),
      recorded_(std::make_shared<const RecordedActions>(*learning_, std::move(actions))),
      evaluator_(learning_, {.deterministic = deterministic_, .steps = dataset_.get()}) {}

DataEstimate Ddqn::conclude(const Policy& policy, OffPolicyEstimate found) const {
  const bool computed = deterministic_ && policy.is_deterministic() && found.unsupported == 0 &&
                        (found.standard_error.array() == 0).all();
  return {std::move(found.measurement), std::move(found.standard_error), computed};
}

DataEstimate Ddqn::judge(const Policy& policy, std::int64_t first, std::int64_t count) const {
  if (first < 0 || count < 0 || first + count > judging_episodes())
    throw std::logic_error("episodes to judge by that are not there");
  DataEstimate nothing{Vector::Zero(dim()), Vector::Constant(dim(), kInfinity)};
  const auto slice =
      std::span(judging_).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
  auto part = std::make_shared<const Dataset>(select_episodes(*dataset_, slice));
  if (part->size() == 0) return nothing;
  const OffPolicyEvaluator evaluator(std::move(part),
                                     {.deterministic = deterministic_, .steps = dataset_.get()});
  try {
    OffPolicyEstimate found = evaluator.estimate(options_.off_policy, policy);
    if (options_.off_policy != OffPolicyMethod::fitted_q && found.effective_episodes < kFewestEffective)
      return nothing;
    return conclude(policy, std::move(found));
  } catch (const InputError&) {  // too few complete episodes, or none that shows how the policy ends
    return nothing;
  }
}

namespace {

/// Tells what policies on the way are worth, by the data: in places evenly over the training, but those that would
/// make it take more than a fiftieth of the time longer.
class Marks {
 public:
  Marks(const OffPolicyEvaluator& evaluator, const OracleCall& call) : evaluator_(evaluator), call_(call) {}

  void see(const DdqnTraining& training) {
    constexpr int kPlaces = 20;
    constexpr double kPart = 0.02;
    const int place = static_cast<int>(kPlaces * training.part_done());
    if (!call_.learning || place == place_) return;
    place_ = place;
    const double before = watch_.seconds();
    if (spent_ > kPart * before) return;
    try {
      // Whatever the answer is to be estimated by: of all ways this one costs least.
      mark(training, evaluator_.estimate(OffPolicyMethod::fitted_q, *training.policy()).measurement);
    } catch (const InputError&) {  // by the data it never comes to an end
    }
    spent_ += watch_.seconds() - before;
  }
  void mark(const DdqnTraining& training, const Vector& measurement) const {
    call_.mark({.steps = training.updates(), .value = call_.direction.dot(measurement), .checked = true});
  }

 private:
  const OffPolicyEvaluator& evaluator_;
  const OracleCall& call_;
  Stopwatch watch_;
  double spent_ = 0;  // seconds
  int place_ = 0;
};

}  // namespace

OracleAnswer Ddqn::answer(const OracleCall& call) const {
  constexpr int kUpdatesPerReport = 64;
  const auto* start = options_.warm_start ? dynamic_cast<const NetworkPolicy*>(call.start.get()) : nullptr;
  DdqnOptions options = options_;
  options.step_cost /= std::max(1.0, call.effort);
  DdqnTraining training(*learning_, *recorded_, options, call.direction, call.budget(options.updates),
                        call.rng.fork("training"), start);
  const StateVisit visit = [&](StateVisitor& state) { training.visit(state); };
  call.restore(visit);
  Marks marks(evaluator_, call);
  for (int done = 0; !training.done(); ++done) {
    if (done % kUpdatesPerReport == 0) call.report(training.part_done());
    call.checkpoint(visit);
    training.update();
    if (!training.done()) marks.see(training);
  }
  call.report(1);
  OracleAnswer answer;
  answer.policy = training.policy();
  DataEstimate found = conclude(*answer.policy, evaluator_.estimate(options_.off_policy, *answer.policy));
  answer.measurement = std::move(found.measurement);
  answer.standard_error = std::move(found.standard_error);
  answer.computed = found.computed;
  answer.data_episodes = learning_->episodes();
  marks.mark(training, answer.measurement);
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
                                  ActionCounts(world), world.deterministic);
  };
  return kind;
}

}  // namespace c2rl
