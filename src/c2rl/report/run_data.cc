#include "c2rl/report/run_data.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/report/claim_words.h"
#include "c2rl/report/drawn_numbers.h"
#include "c2rl/report/played_episodes.h"
#include "c2rl/report/result_words.h"
#include "c2rl/report/run_history.h"
#include "c2rl/report/space_data.h"
#include "c2rl/run/learning_curve.h"
#include "c2rl/run/recall.h"
#include "c2rl/run/result_json.h"
#include "c2rl/run/run_directory.h"
#include "c2rl/run/run_files.h"

namespace c2rl {
namespace {

namespace fs = std::filesystem;

/// Calls that are drawn of a run; more than a screen has dots.
constexpr int kMostFrames = 900;
/// Policies that are drawn beside those of the mixtures.
constexpr int kMostPolicies = 400;
std::string headline_of(const Result& result) {
  if (result.status != Status::running) return headline(result);
  if (result.policies.empty()) return "running: the first oracle call is being made.";
  return fmt::format("running: after {} the best mixture so far is {:.6g} away.",
                     counted(result.oracle_calls, "oracle call"), result.distance);
}

Json constraint_json(const Constraint& constraint, const Result& result) {
  static constexpr const char* kStates[] = {"holds", "tight", "violated"};
  Json json = {{"text", constraint.text}};
  if (result.measurement.size() == 0 || result.policies.empty()) return json;
  json["state"] = kStates[static_cast<int>(state_of(constraint, result))];
  json["words"] = constraint_words(constraint, result);
  json["slack"] = to_json(-constraint.excess(result.measurement, sizes_of(result)).amount);
  json["parts"] = Json::array();
  for (const LinearRange& range : constraint.ranges) {
    json["parts"].push_back({{"value", to_json(range.normal.dot(result.measurement))},
                             {"lower", to_json(range.lower)},
                             {"upper", to_json(range.upper)}});
  }
  for (const NormBound& norm : constraint.norms) {
    json["parts"].push_back({{"value", to_json(norm.scale * (norm.a * result.measurement - norm.b).norm())},
                             {"lower", to_json(-kInfinity)},
                             {"upper", to_json(norm.scale * norm.radius)}});
  }
  return json;
}

/// The frames that are drawn, field by field.
Json frames_json(const RunHistory& history, const std::vector<int>& kept, const Target& target) {
  const std::vector<HistoryFrame>& frames = history.frames();
  Json json = {{"calls", frames.size()}};
  for (const char* field : {"call", "distance", "bound", "policies", "point", "nearest", "direction",
                            "answer", "seconds", "steps", "attempts", "weights"})
    json[field] = Json::array();
  for (const int i : kept) {
    const HistoryFrame& frame = frames[static_cast<std::size_t>(i)];
    json["call"].push_back(frame.call);
    json["distance"].push_back(drawn(frame.distance));
    json["bound"].push_back(drawn(frame.bound));
    json["policies"].push_back(frame.policies);
    json["point"].push_back(drawn(frame.point));
    json["nearest"].push_back(drawn(target.set->project(frame.point)));
    json["direction"].push_back(drawn(frame.direction));
    json["answer"].push_back(frame.answer);
    json["seconds"].push_back(drawn(frame.seconds));
    json["steps"].push_back(frame.steps);
    json["attempts"].push_back(frame.attempts);
    Json weights = Json::array();
    for (const auto& [call, weight] : frame.weights) weights.push_back({call, drawn(weight)});
    json["weights"].push_back(std::move(weights));
  }
  return json;
}

std::vector<const ResultPolicy*> heaviest(const Result& result) {
  std::vector<const ResultPolicy*> policies;
  policies.reserve(result.policies.size());
  for (const ResultPolicy& policy : result.policies) policies.push_back(&policy);
  std::ranges::stable_sort(policies, [](const auto* a, const auto* b) { return a->weight > b->weight; });
  if (policies.size() > RunHistory::kWeights) policies.resize(RunHistory::kWeights);
  return policies;
}

/// What a run ended with, where that is not where its last call left it: fresh episodes may have moved what is known.
void append_end(Json& json, const Result& result, const Target& target) {
  if (result.policies.empty() || json["call"].empty()) return;
  json["call"].push_back(result.oracle_calls);
  json["distance"].push_back(drawn(result.distance));
  json["bound"].push_back(drawn(result.certificate.bound));
  json["policies"].push_back(result.policies.size());
  json["point"].push_back(drawn(result.measurement));
  json["nearest"].push_back(drawn(target.set->project(result.measurement)));
  for (const char* field : {"direction", "answer", "seconds", "steps", "attempts"})
    json[field].push_back(Json(json[field].back()));
  Json weights = Json::array();
  for (const ResultPolicy* policy : heaviest(result))
    weights.push_back({call_of(fs::path(policy->file).filename()), drawn(policy->weight)});
  json["weights"].push_back(std::move(weights));
  json["ended"] = true;
}

/// The policies that are drawn: those that the drawn mixtures are of, those that were found last, and of the others
/// one in so many.
std::set<int> drawn_policies(const RunHistory& history, const std::vector<int>& kept, const Result& result) {
  std::set<int> calls;
  for (const int i : kept) {
    for (const auto& [call, weight] : history.frames()[static_cast<std::size_t>(i)].weights)
      calls.insert(call);
  }
  const std::size_t every = std::max<std::size_t>(1, history.found().size() / kMostPolicies);
  std::size_t number = 0;
  for (const auto& [call, policy] : history.found()) {
    if (number++ % every == 0) calls.insert(call);
  }
  for (const ResultPolicy& policy : result.policies) calls.insert(call_of(fs::path(policy.file).filename()));
  return calls;
}

Json policies_json(const RunHistory& history, const std::set<int>& calls) {
  Json json = Json::array();
  for (const int call : calls) {
    const auto found = history.found().find(call);
    if (found == history.found().end()) continue;
    json.push_back({{"call", call},
                    {"point", drawn(found->second.point)},
                    {"standard_error", drawn(found->second.standard_error)}});
  }
  return json;
}

/// What was spent on what. A run that was resumed knows the seconds of its last process only, but those of its calls all.
Json time_json(const Recorded& recorded, const Result& result) {
  double oracle = 0, drawing = 0;
  for (const RunRecord& record : recorded.records) {
    if (const auto* call = std::get_if<CallRecord>(&record))
      oracle += call->seconds;
    else
      drawing += std::get<DrawRecord>(record).seconds;
  }
  Json json = {{"oracle", oracle}, {"drawing", drawing}};
  const double rest = result.seconds - oracle - drawing;
  json["rest"] = result.seconds > 0 && rest >= 0 ? Json(rest) : Json();
  return json;
}

/// The curves that are drawn: of the last calls, where they are many.
Json curves_json(const std::string& path) {
  constexpr std::size_t kMostCurves = 60;
  const std::map<int, LearningCurve> curves = read_learning(path);
  Json json = Json::array();
  std::size_t left = curves.size();
  for (const auto& [call, curve] : curves) {
    if (left-- > kMostCurves) continue;
    for (const auto& [attempt, marks] : curve.attempts()) {
      Json steps = Json::array(), values = Json::array(), checked = Json::array();
      for (const LearningMark& mark : marks) {
        steps.push_back(mark.steps);
        values.push_back(drawn(mark.value));
        checked.push_back(mark.checked);
      }
      json.push_back(
          {{"call", call}, {"attempt", attempt}, {"steps", steps}, {"value", values}, {"checked", checked}});
    }
  }
  return json;
}

std::optional<MixedPolicy> mixture_of(const Result& result, const RunDirectory& directory,
                                      const World& world) {
  std::vector<PolicyPtr> policies;
  Vector weights(std::ssize(result.policies));
  for (std::size_t i = 0; i < result.policies.size(); ++i) {
    policies.push_back(directory.load_policy(result.policies[i].file, world, result.policies[i].seal));
    weights[static_cast<Eigen::Index>(i)] = result.policies[i].weight;
  }
  if (policies.empty()) return std::nullopt;
  return MixedPolicy(weights / weights.sum(), std::move(policies));
}

}  // namespace

bool is_run(const std::string& directory) {
  return fs::exists(fs::path(directory) / "problem.toml");
}

Json run_data(const std::string& path) {
  RecordReader reader;
  return run_data(path, reader);
}

Json run_data(const std::string& path, RecordReader& reader) {
  const RunDirectory directory = RunDirectory::open(path);
  const Config file = Config::read(directory.problem_file());
  const Problem problem = read_problem(file);
  RunHistory history;
  const Recorded& recorded = reader.read(path + "/" + kRecord, directory.fingerprint());
  const Result so_far = recall(problem, directory, recorded, history);
  const bool finished = fs::exists(fs::path(path) / "result.json");
  const Result result = finished ? directory.read_result() : so_far;

  std::vector<double> distances;
  for (const HistoryFrame& frame : history.frames()) distances.push_back(frame.distance);
  const std::vector<int> kept = thinned(distances, kMostFrames);
  const std::set<int> calls = drawn_policies(history, kept, result);
  Json json = {{"kind", "run"},
               {"name", problem.name},
               {"finished", finished},
               {"headline", headline_of(result)},
               {"words", Json::object()},
               {"result", to_json(result)},
               {"oracle", problem.oracle_kind->name},
               {"offline", problem.oracle->is_offline()}};
  json["words"]["certificate"] = certificate_words(result, problem.target);
  json["words"]["bracket"] = bracket_words(result);
  json["words"]["claim"] = claim_words(result);
  json["words"]["cut"] = cut_words(result);
  json["constraints"] = Json::array();
  for (const Constraint& constraint : problem.target.constraints)
    json["constraints"].push_back(constraint_json(constraint, result));
  json["history"] = frames_json(history, kept, problem.target);
  const bool noisy = result.standard_error.size() > 0 && result.standard_error.maxCoeff() > 0;
  if (finished && noisy) append_end(json["history"], result, problem.target);
  json["found"] = history.found().size();
  json["policies"] = policies_json(history, calls);
  json["space"] = space_json(history, calls, result, problem.target);
  json["time"] = time_json(recorded, result);
  json["curves"] = curves_json(path);
  json["problem"] = problem.resolved;
  if (!finished) return json;
  try {
    if (const auto mixed = mixture_of(result, directory, problem.world)) {
      json["totals"] = totals_json(problem, *mixed);
      if (const auto map = map_of(file, problem.world)) json["map"] = map_json(problem, *map, *mixed);
    }
  } catch (const InputError& error) {
    json["missing"] = error.what();  // a policy; all else can be shown without it
  }
  return json;
}

}  // namespace c2rl
