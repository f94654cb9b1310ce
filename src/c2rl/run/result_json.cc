#include "c2rl/run/result_json.h"

#include "c2rl/base/error.h"

namespace c2rl {
namespace {

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

Json claim_json(const ResultClaim& claim) {
  return {{"grade", claim.proven ? "proof" : "confidence"}, {"level", to_json(claim.level)}};
}

ResultClaim claim_from(const JsonObject& json) {
  static const EnumNames<bool> kGrades("grade", {"confidence", "proof"});
  return {kGrades.parse(json.text("grade")), json.number("level")};
}

Json policy_json(const ResultPolicy& policy) {
  Json json = {{"id", policy.id},
               {"weight", to_json(policy.weight)},
               {"measurement", to_json(policy.measurement)},
               {"standard_error", to_json(policy.standard_error)}};
  if (!policy.file.empty()) json["file"] = policy.file;
  if (policy.simulated.size() > 0) json["simulated"] = to_json(policy.simulated);
  return json;
}

ResultPolicy policy_from(const JsonObject& json) {
  ResultPolicy policy{json.text("id"), json.number("weight"), json.vector("measurement"),
                      json.vector("standard_error")};
  if (json.has("file")) policy.file = json.text("file");
  if (json.has("simulated")) policy.simulated = json.vector("simulated");
  return policy;
}

}  // namespace

Json to_json(const Result& result) {
  Json json = {
      {"status", to_string(result.status)},
      {"claim", claim_json(result.claim)},
      {"measurements", result.names},
      {"constraints", result.constraints},
      {"measurement", to_json(result.measurement)},
      {"standard_error", to_json(result.standard_error)},
      {"distance", to_json(result.distance)},
      {"error", to_json(result.error)},
      {"distance_lower_bound", to_json(result.certificate.bound)},
      {"certificate", certificate_json(result.certificate)},
  };
  if (result.maximum) {
    const Bracket& bracket = result.maximum->bracket;
    json["maximize"] = {{"name", result.maximum->name},
                        {"value", to_json(bracket.value)},
                        {"upper_bound", to_json(bracket.upper_bound)},
                        {"grade", to_string(bracket.grade)}};
    if (result.maximum->interval.size() > 0) json["maximize"]["interval"] = to_json(result.maximum->interval);
  }
  if (result.simulated) {
    json["simulated"] = {{"measurement", to_json(result.simulated->measurement)},
                         {"distance", to_json(result.simulated->distance)},
                         {"error", to_json(error_above(result.simulated->distance, 0))}};
  }
  json["oracle_calls"] = result.oracle_calls;
  json["policies"] = Json::array();
  for (const ResultPolicy& policy : result.policies) json["policies"].push_back(policy_json(policy));
  json["policies_stored_max"] = result.policies_stored_max;
  json["env_steps"] = result.env_steps;
  json["seconds"] = to_json(result.seconds);
  json["seed"] = result.seed;
  json["solver"] = result.solver;
  json["tolerance"] = to_json(result.tolerance);
  if (result.interrupted) json["interrupted"] = true;
  return json;
}

Result result_from_json(const Json& json) {
  const JsonObject object(json);
  Result result;
  result.solver = object.text("solver");
  result.tolerance = object.number("tolerance");
  result.names = object.texts("measurements");
  result.constraints = object.texts("constraints");
  result.status = status_names().parse(object.text("status"));
  result.claim = claim_from(JsonObject(object.at("claim"), "claim."));
  result.measurement = object.vector("measurement");
  result.standard_error = object.vector("standard_error");
  result.distance = object.number("distance");
  result.error = object.number("error");
  if (object.has("certificate"))
    result.certificate = certificate_from(JsonObject(object.at("certificate"), "certificate."));
  if (object.has("maximize")) {
    const JsonObject maximum(object.at("maximize"), "maximize.");
    result.maximum = Maximum{
        maximum.text("name"),
        {maximum.number("value"), maximum.number("upper_bound"), grade_names().parse(maximum.text("grade"))}};
    if (maximum.has("interval")) result.maximum->interval = maximum.vector("interval");
  }
  if (object.has("simulated")) {
    const JsonObject simulated(object.at("simulated"), "simulated.");
    result.simulated = Simulated{simulated.vector("measurement"), simulated.number("distance")};
  }
  result.oracle_calls = static_cast<int>(object.integer("oracle_calls"));
  for (const Json& entry : object.at("policies"))
    result.policies.push_back(policy_from(JsonObject(entry, "policies.")));
  result.policies_stored_max = static_cast<int>(object.integer("policies_stored_max"));
  result.env_steps = object.integer("env_steps");
  result.seconds = object.number("seconds");
  result.seed = static_cast<std::uint64_t>(object.integer("seed"));
  result.interrupted = object.has("interrupted") && object.boolean("interrupted");
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
