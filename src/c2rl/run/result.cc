#include "c2rl/run/result.h"

#include <fmt/format.h>

#include "c2rl/base/error.h"

namespace c2rl {
namespace {

const Json& field(const Json& json, const std::string& name) {
  if (!json.is_object() || !json.contains(name)) throw InputError({.field = name}, "missing");
  return json.at(name);
}

double number(const Json& json, const std::string& name) {
  const Json& value = field(json, name);
  if (!value.is_number())
    throw InputError({.field = name}, fmt::format("expected a number, found {}", value.dump()));
  return value.get<double>();
}

std::string text(const Json& json, const std::string& name) {
  const Json& value = field(json, name);
  if (!value.is_string())
    throw InputError({.field = name}, fmt::format("expected a text, found {}", value.dump()));
  return value.get<std::string>();
}

std::vector<std::string> texts(const Json& json, const std::string& name) {
  const Json& value = field(json, name);
  if (!value.is_array()) throw InputError({.field = name}, "expected a list of texts");
  std::vector<std::string> all;
  for (const Json& entry : value) {
    if (!entry.is_string()) throw InputError({.field = name}, "expected a list of texts");
    all.push_back(entry.get<std::string>());
  }
  return all;
}

Status status_from(const std::string& name) {
  for (const Status status : {Status::running, Status::feasible, Status::infeasible, Status::converged,
                              Status::budget, Status::oracle_failed}) {
    if (to_string(status) == name) return status;
  }
  throw InputError({.field = "status"}, fmt::format("unknown status '{}'", name));
}

Grade grade_from(const std::string& name) {
  if (name == "proof") return Grade::proof;
  if (name == "evidence") return Grade::evidence;
  throw InputError({.field = "grade"}, fmt::format("expected \"proof\" or \"evidence\", found \"{}\"", name));
}

Json certificate_json(const Result& result) {
  const Certificate& certificate = result.certificate;
  if (certificate.direction.size() == 0) return nullptr;
  return {{"direction", to_json(certificate.direction)},
          {"bound", to_json(certificate.bound)},
          {"grade", to_string(certificate.grade)},
          {"target_point", to_json(certificate.target_point)},
          {"slack", to_json(result.slack)}};
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
      {"error", to_json(result.error)},
      {"distance_lower_bound", to_json(result.certificate.bound)},
      {"certificate", certificate_json(result)},
  };
  if (result.maximum) {
    json["maximize"] = {{"name", result.maximum->name},
                        {"value", to_json(result.maximum->value)},
                        {"upper_bound", to_json(result.maximum->upper_bound)},
                        {"grade", to_string(result.maximum->grade)}};
  }
  if (result.simulated) {
    const double distance = result.simulated->distance;
    json["simulated"] = {{"measurement", to_json(result.simulated->measurement)},
                         {"distance", to_json(distance)},
                         {"error", to_json(0.5 * distance * distance)}};
  }
  json["oracle_calls"] = result.oracle_calls;
  json["policies"] = Json::array();
  for (const ResultPolicy& policy : result.policies) {
    Json entry = {{"id", policy.id},
                  {"weight", policy.weight},
                  {"measurement", to_json(policy.measurement)},
                  {"standard_error", to_json(policy.standard_error)}};
    if (!policy.file.empty()) entry["file"] = policy.file;
    if (policy.simulated.size() > 0) entry["simulated"] = to_json(policy.simulated);
    json["policies"].push_back(std::move(entry));
  }
  json["policies_stored_max"] = result.policies_stored_max;
  json["env_steps"] = result.env_steps;
  json["seconds"] = result.seconds;
  json["seed"] = result.seed;
  json["solver"] = result.solver;
  json["tolerance"] = result.tolerance;
  if (result.interrupted) json["interrupted"] = true;
  return json;
}

Result result_from_json(const Json& json) {
  Result result;
  result.solver = text(json, "solver");
  result.tolerance = number(json, "tolerance");
  result.names = texts(json, "measurements");
  result.constraints = texts(json, "constraints");
  result.status = status_from(text(json, "status"));
  result.measurement = vector_from_json(field(json, "measurement"), "measurement");
  result.standard_error = vector_from_json(field(json, "standard_error"), "standard_error");
  result.distance = number(json, "distance");
  result.error = number(json, "error");
  if (const Json& certificate = field(json, "certificate"); !certificate.is_null()) {
    result.certificate.direction = vector_from_json(field(certificate, "direction"), "certificate.direction");
    result.certificate.target_point =
        vector_from_json(field(certificate, "target_point"), "certificate.target_point");
    result.certificate.grade = grade_from(text(certificate, "grade"));
    result.slack = number(certificate, "slack");
  }
  result.certificate.bound = number(json, "distance_lower_bound");
  if (json.contains("simulated")) {
    const Json& simulated = json.at("simulated");
    result.simulated = Simulated{vector_from_json(field(simulated, "measurement"), "simulated.measurement"),
                                 number(simulated, "distance")};
  }
  result.oracle_calls = static_cast<int>(number(json, "oracle_calls"));
  for (const Json& entry : field(json, "policies")) {
    ResultPolicy policy{text(entry, "id"), number(entry, "weight"),
                        vector_from_json(field(entry, "measurement"), "policies.measurement"),
                        vector_from_json(field(entry, "standard_error"), "policies.standard_error")};
    if (entry.contains("file")) policy.file = text(entry, "file");
    if (entry.contains("simulated"))
      policy.simulated = vector_from_json(entry.at("simulated"), "policies.simulated");
    result.policies.push_back(std::move(policy));
  }
  return result;
}

int exit_status(Status status) {
  switch (status) {
    case Status::feasible:
    case Status::converged:
      return 0;
    case Status::infeasible:
      return 3;
    case Status::budget:
    case Status::oracle_failed:
      return 4;
    case Status::running:
      break;
  }
  return 1;
}

}  // namespace c2rl
