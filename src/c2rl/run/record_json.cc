#include "c2rl/run/record_json.h"

#include "c2rl/base/error.h"
#include "c2rl/run/step_count_json.h"

namespace c2rl {
namespace {

Json sample_json(const ScalarSample& sample) {
  return {sample.count,           to_json(sample.mean),    to_json(sample.squares), to_json(sample.cubes),
          to_json(sample.lowest), to_json(sample.highest), sample.at_lowest,        sample.at_highest};
}

ScalarSample sample_from(const Json& json) {
  if (!json.is_array() || json.size() != 8) throw InputError("expected eight numbers of a sample");
  const auto number = [&](int i) { return number_from_json(json[static_cast<std::size_t>(i)], "totals"); };
  const auto count = [&](int i) {
    const Json& value = json[static_cast<std::size_t>(i)];
    if (!value.is_number_integer())
      throw InputError({.field = "totals"}, "expected a whole number of episodes");
    return value.get<std::int64_t>();
  };
  ScalarSample sample;
  sample.count = count(0);
  sample.mean = number(1);
  sample.squares = number(2);
  sample.cubes = number(3);
  sample.lowest = number(4);
  sample.highest = number(5);
  sample.at_lowest = count(6);
  sample.at_highest = count(7);
  return sample;
}

Json measured_json(const Measured& measured) {
  Json json = {{"measurement", to_json(measured.point)},
               {"standard_error", to_json(measured.standard_error)},
               {"computed", measured.computed}};
  json["episodes"] = measured.episodes;
  if (!measured.sampled()) return json;
  json["cut"] = measured.cut;
  json["episode_steps"] = measured.env_steps;
  json["totals"] = Json::array();
  for (const ScalarSample& sample : measured.totals) json["totals"].push_back(sample_json(sample));
  return json;
}

Measured measured_from(const JsonObject& json) {
  Measured measured{.point = json.vector("measurement"),
                    .standard_error = json.vector("standard_error"),
                    .computed = json.boolean("computed")};
  measured.episodes = json.integer("episodes");
  if (!json.has("totals")) return measured;
  measured.cut = json.integer("cut");
  measured.env_steps = json.integer("episode_steps");
  for (const Json& entry : json.at("totals")) measured.totals.push_back(sample_from(entry));
  return measured;
}

Json call_json(const CallRecord& record) {
  const Cycle& cycle = record.cycle;
  Json json = {{"call", record.call},
               {"direction", to_json(record.direction)},
               {"slack", to_json(record.slack)},
               {"exact", record.exact},
               {"same_as", record.same_as},
               {"atom", cycle.atom},
               {"new", cycle.is_new},
               {"dropped", cycle.dropped},
               {"policies", cycle.atoms},
               {"distance", to_json(cycle.distance)},
               {"distance_lower_bound", to_json(cycle.distance_lower_bound)},
               {"error", to_json(cycle.error_bound)},
               {"attempts", record.attempts},
               {"seconds", record.seconds}};
  if (!record.seal.empty()) json["policy"] = record.seal;
  if (!record.memory_seal.empty()) json["memory"] = record.memory_seal;
  if (!record.failures.empty()) json["failures"] = record.failures;
  put_steps(record.steps, json);
  json.update(measured_json(record.found));
  return json;
}

CallRecord call_from(const JsonObject& json) {
  CallRecord record;
  record.call = static_cast<int>(json.integer("call"));
  record.direction = json.vector("direction");
  record.found = measured_from(json);
  record.slack = json.number("slack");
  record.exact = json.boolean("exact");
  record.same_as = static_cast<int>(json.integer("same_as"));
  record.attempts = static_cast<int>(json.integer("attempts"));
  if (json.has("failures")) record.failures = json.texts("failures");
  record.steps = steps_in(json);
  record.seconds = json.number("seconds");
  if (json.has("policy")) record.seal = json.text("policy");
  if (json.has("memory")) record.memory_seal = json.text("memory");
  return record;
}

Json draw_json(const DrawRecord& record) {
  Json json = {{"draw", record.draw}, {"seconds", record.seconds}, {"policies", Json::array()}};
  if (!record.failures.empty()) json["failures"] = record.failures;
  if (record.confirmation > 0) json["confirmation"] = record.confirmation;
  for (std::size_t i = 0; i < record.calls.size(); ++i) {
    Json entry = {{"call", record.calls[i]}, {"asked", record.counts[i]}};
    entry.update(measured_json(record.found[i]));
    json["policies"].push_back(std::move(entry));
  }
  return json;
}

DrawRecord draw_from(const JsonObject& json) {
  DrawRecord record;
  record.draw = static_cast<int>(json.integer("draw"));
  record.seconds = json.number("seconds");
  if (json.has("failures")) record.failures = json.texts("failures");
  if (json.has("confirmation")) record.confirmation = static_cast<int>(json.integer("confirmation"));
  for (const Json& entry : json.at("policies")) {
    const JsonObject policy(entry, "policies.");
    record.calls.push_back(static_cast<int>(policy.integer("call")));
    record.counts.push_back(policy.integer("asked"));
    record.found.push_back(measured_from(policy));
  }
  return record;
}

}  // namespace

Json to_json(const RunRecord& record) {
  if (const auto* call = std::get_if<CallRecord>(&record)) return call_json(*call);
  return draw_json(std::get<DrawRecord>(record));
}

RunRecord record_from_json(const Json& json) {
  const JsonObject object(json);
  if (object.has("draw")) return draw_from(object);
  return call_from(object);
}

}  // namespace c2rl
