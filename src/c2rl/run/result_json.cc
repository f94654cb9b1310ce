#include "c2rl/run/result_json.h"

#include <algorithm>

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/run/step_count_json.h"

namespace c2rl {
namespace {

/// Names go to the terminal as they are, where control characters would be orders to it.
void expect_printable(const std::string& name, const std::string& field) {
  const bool has_control = std::ranges::any_of(name, [](unsigned char c) { return c < ' ' || c == 0x7f; });
  if (has_control) {
    throw InputError({.field = field}, fmt::format("found {}, expected a name without control characters",
                                                   to_text(Json(name))));
  }
}

Json certificate_json(const Certificate& certificate) {
  if (certificate.direction.size() == 0) return nullptr;
  return {
      {"direction", to_json(certificate.direction)}, {"bound", to_json(certificate.bound)},
      {"grade", to_string(certificate.grade)},       {"target_point", to_json(certificate.target_point)},
      {"slack", to_json(certificate.slack)},         {"achievable_at", to_json(certificate.achievable_at)},
      {"target_at", to_json(certificate.target_at)}};
}

Certificate certificate_from(const JsonObject& json) {
  Certificate certificate;
  certificate.direction = json.vector("direction");
  certificate.bound = json.number("bound");
  certificate.grade = grade_names().parse(json.text("grade"));
  certificate.target_point = json.vector("target_point");
  certificate.slack = json.number("slack");
  certificate.achievable_at = json.number("achievable_at");
  certificate.target_at = json.number("target_at");
  return certificate;
}

/// Some statuses only say that nothing could be shown.
bool makes_a_claim(Status status) {
  return holds(status) || status == Status::infeasible;
}

Json claim_json(const ResultClaim& claim) {
  if (claim.proven) return {{"grade", "proof"}, {"level", 1}};
  Json json = {{"grade", "confidence"}, {"level", to_json(claim.level)}};
  if (claim.attempts == 0) return json;  // not by episodes of ours
  json["attempts"] = claim.attempts;
  json["episodes"] = claim.episodes;
  json["assumes_nothing_unseen"] = claim.assumes_nothing_unseen;
  json["region"] = Json::array();
  for (const ShownLimit& limit : claim.limits) {
    json["region"].push_back({{"combination", to_json(limit.combination)},
                              {"at_most", to_json(limit.at_most)},
                              {"allowed", to_json(limit.allowed)}});
  }
  return json;
}

ResultClaim claim_from(const JsonObject& json) {
  ResultClaim claim;
  static const EnumNames<bool> kGrades("grade", {"confidence", "proof"});
  claim.proven = kGrades.parse(json.text("grade"));
  claim.level = json.number("level");
  if (!json.has("attempts")) return claim;
  claim.attempts = static_cast<int>(json.integer("attempts"));
  claim.episodes = json.integer("episodes");
  claim.assumes_nothing_unseen = json.boolean("assumes_nothing_unseen");
  for (const Json& entry : json.at("region")) {
    const JsonObject limit(entry, "claim.region.");
    claim.limits.push_back({limit.vector("combination"), limit.number("at_most"), limit.number("allowed")});
  }
  return claim;
}

const char* bound_key(Sense sense) {
  return sense == Sense::maximize ? "upper_bound" : "lower_bound";
}

Json policy_json(const ResultPolicy& policy) {
  Json json = {{"id", policy.id},
               {"weight", to_json(policy.weight)},
               {"measurement", to_json(policy.measurement)},
               {"standard_error", to_json(policy.standard_error)}};
  if (policy.episodes > 0) {
    json["episodes"] = policy.episodes;
    json["cut"] = policy.cut;
  }
  if (!policy.file.empty()) json["file"] = policy.file;
  if (!policy.seal.empty()) json["seal"] = policy.seal;
  if (policy.simulated.size() > 0) json["simulated"] = to_json(policy.simulated);
  return json;
}

ResultPolicy policy_from(const JsonObject& json) {
  ResultPolicy policy{json.text("id"), json.number("weight"), json.vector("measurement"),
                      json.vector("standard_error")};
  if (json.has("episodes")) {
    policy.episodes = json.integer("episodes");
    policy.cut = json.integer("cut");
  }
  expect_printable(policy.id, "id");
  if (json.has("file")) policy.file = json.text("file");
  if (json.has("seal")) policy.seal = json.text("seal");
  if (json.has("simulated")) policy.simulated = json.vector("simulated");
  return policy;
}

}  // namespace

Json to_json(const Result& result) {
  Json json = {
      {"status", to_string(result.status)},
      {"measurements", result.names},
      {"constraints", result.constraints},
      {"measurement", to_json(result.measurement)},
      {"standard_error", to_json(result.standard_error)},
      {"distance", to_json(result.distance)},
      {"distance_standard_error", to_json(result.distance_error)},
      {"error", to_json(result.error)},
      {"distance_lower_bound", to_json(result.certificate.bound)},
      {"certificate", certificate_json(result.certificate)},
  };
  if (result.optimum) {
    const ObjectiveOptimum& optimum = *result.optimum;
    json[sense_names().of(optimum.sense)] = {{"name", optimum.name},
                                             {"value", to_json(optimum.value)},
                                             {bound_key(optimum.sense), to_json(optimum.bound)},
                                             {"grade", to_string(optimum.grade)}};
    if (optimum.interval.size() > 0)
      json[sense_names().of(optimum.sense)]["interval"] = to_json(optimum.interval);
  }
  if (result.simulated) {
    json["simulated"] = {{"measurement", to_json(result.simulated->measurement)},
                         {"distance", to_json(result.simulated->distance)},
                         {"error", to_json(error_above(result.simulated->distance, 0))}};
  }
  if (result.model) {
    json["model"] = {{"measurement", to_json(result.model->measurement)},
                     {"distance", to_json(result.model->distance)},
                     {"contradicts", result.model->contradicts},
                     {"distance_lower_bound", to_json(result.model->distance_lower_bound)}};
  }
  json["oracle_calls"] = result.oracle_calls;
  json["policies"] = Json::array();
  for (const ResultPolicy& policy : result.policies) json["policies"].push_back(policy_json(policy));
  json["policies_stored_max"] = result.policies_stored_max;
  put_steps(result.steps, json);
  json["seconds"] = to_json(result.seconds);
  json["seed"] = result.seed;
  json["solver"] = result.solver;
  json["tolerance"] = to_json(result.tolerance);
  if (makes_a_claim(result.status) || !result.claim.proven) json["claim"] = claim_json(result.claim);
  if (result.status == Status::undecided) {
    json["episodes_needed"] = result.episodes_needed ? to_json(*result.episodes_needed) : Json();
  }
  if (result.interrupted) json["interrupted"] = true;
  if (result.records > 0) json["records"] = result.records;
  if (!result.failures.empty()) json["failures"] = result.failures;
  return json;
}

Result result_from_json(const Json& json) {
  const JsonObject object(json);
  Result result;
  result.solver = object.text("solver");
  result.tolerance = object.number("tolerance");
  result.names = object.texts("measurements");
  for (const std::string& name : result.names) expect_printable(name, "measurements");
  result.constraints = object.texts("constraints");
  result.status = status_names().parse(object.text("status"));
  result.measurement = object.vector("measurement");
  result.standard_error = object.vector("standard_error");
  result.distance = object.number("distance");
  result.distance_error = object.number("distance_standard_error");
  if (makes_a_claim(result.status) || object.has("claim"))
    result.claim = claim_from(JsonObject(object.at("claim"), "claim."));
  if (object.has("episodes_needed")) result.episodes_needed = object.number("episodes_needed");
  result.error = object.number("error");
  if (object.has("certificate"))
    result.certificate = certificate_from(JsonObject(object.at("certificate"), "certificate."));
  for (const Sense sense : {Sense::maximize, Sense::minimize}) {
    const std::string& key = sense_names().of(sense);
    if (!object.has(key)) continue;
    const JsonObject optimum(object.at(key), key + ".");
    result.optimum =
        ObjectiveOptimum{optimum.text("name"), sense, optimum.number("value"),
                         optimum.number(bound_key(sense)), grade_names().parse(optimum.text("grade"))};
    if (optimum.has("interval")) result.optimum->interval = optimum.vector("interval");
  }
  if (object.has("simulated")) {
    const JsonObject simulated(object.at("simulated"), "simulated.");
    result.simulated = Simulated{simulated.vector("measurement"), simulated.number("distance")};
  }
  if (object.has("model")) {
    const JsonObject model(object.at("model"), "model.");
    result.model = ModelCheck{model.vector("measurement"), model.number("distance"),
                              model.boolean("contradicts"), model.number("distance_lower_bound")};
  }
  result.oracle_calls = static_cast<int>(object.integer("oracle_calls"));
  for (const Json& entry : object.at("policies"))
    result.policies.push_back(policy_from(JsonObject(entry, "policies.")));
  result.policies_stored_max = static_cast<int>(object.integer("policies_stored_max"));
  result.steps = steps_in(object);
  result.seconds = object.number("seconds");
  result.seed = static_cast<std::uint64_t>(object.integer("seed"));
  result.interrupted = object.has("interrupted") && object.boolean("interrupted");
  if (object.has("records")) result.records = static_cast<int>(object.integer("records"));
  if (object.has("failures")) result.failures = object.texts("failures");
  return result;
}

std::string to_json_text(const Result& result) {
  return to_text(to_json(result), 2) + "\n";
}

Result parse_result(const std::string& text, const std::string& file) {
  try {
    return result_from_json(parse_json(text));
  } catch (const InputError& error) {
    throw error.within({.file = file});
  }
}

}  // namespace c2rl
