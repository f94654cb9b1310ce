#include "c2rl/run/run_directory.h"

#include <filesystem>
#include <fstream>
#include <set>

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/base/file.h"
#include "c2rl/base/safetensors.h"
#include "c2rl/mdp/tabular_policy.h"
#include "c2rl/oracle/network_policy.h"

namespace c2rl {
namespace {

namespace fs = std::filesystem;

Json record_json(const CallRecord& record) {
  const Cycle& cycle = record.cycle;
  return {{"call", record.call},
          {"direction", to_json(record.direction)},
          {"measurement", to_json(record.answer.point)},
          {"standard_error", to_json(record.answer.standard_error)},
          {"slack", record.answer.slack},
          {"grade", to_string(record.answer.grade)},
          {"atom", cycle.atom},
          {"new", cycle.is_new},
          {"dropped", cycle.dropped},
          {"policies", cycle.atoms},
          {"distance", cycle.distance},
          {"distance_lower_bound", cycle.distance_lower_bound},
          {"error", cycle.error_bound},
          {"attempts", record.attempts},
          {"env_steps", record.env_steps},
          {"seconds", record.seconds}};
}

/// What a solver must be told again; the rest follows from it.
CallRecord record_from(const Json& json) {
  CallRecord record;
  record.call = json.at("call").get<int>();
  record.direction = vector_from_json(json.at("direction"), "direction");
  record.answer.point = vector_from_json(json.at("measurement"), "measurement");
  record.answer.standard_error = vector_from_json(json.at("standard_error"), "standard_error");
  record.answer.slack = json.at("slack").get<double>();
  record.answer.grade = json.at("grade") == "proof" ? Grade::proof : Grade::evidence;
  record.attempts = json.at("attempts").get<int>();
  record.env_steps = json.at("env_steps").get<std::int64_t>();
  record.seconds = json.at("seconds").get<double>();
  return record;
}

}  // namespace

RunDirectory RunDirectory::create(const std::string& path, const std::string& problem) {
  RunDirectory directory(path);
  if (fs::exists(directory.problem_file())) {
    throw InputError({.file = path},
                     "holds a run already; go on with it with --resume, or choose another --out");
  }
  std::error_code error;
  fs::create_directories(directory.inside("policies"), error);
  if (error) throw InputError({.file = path}, "cannot be made: " + error.message());
  write_file(directory.problem_file(), problem);
  write_file(directory.inside("record.jsonl"), "");
  return directory;
}

RunDirectory RunDirectory::open(const std::string& path) {
  RunDirectory directory(path);
  if (!fs::exists(directory.problem_file()))
    throw InputError({.file = path}, "is no run: it has no problem.toml");
  return directory;
}

std::string RunDirectory::problem_file() const {
  return inside("problem.toml");
}

std::vector<CallRecord> RunDirectory::read_records() const {
  const std::string file = inside("record.jsonl");
  std::ifstream stream(file);
  std::vector<CallRecord> records;
  std::string line;
  for (int number = 1; std::getline(stream, line); ++number) {
    if (stream.eof()) break;  // a line is written with its end
    try {
      records.push_back(record_from(Json::parse(line)));
    } catch (const std::exception& error) {
      throw InputError({.file = file, .line = number},
                       fmt::format("is no record of a call: {}", error.what()));
    }
  }
  return records;
}

void RunDirectory::append(const CallRecord& record) const {
  const std::string file = inside("record.jsonl");
  std::ofstream stream(file, std::ios::app);
  stream << record_json(record).dump() + "\n" << std::flush;
  if (!stream) throw InputError({.file = file}, "cannot be written");
}

std::string RunDirectory::policy_file(int call) {
  return fmt::format("policies/call-{}.safetensors", call);
}

void RunDirectory::save_policy_as(const std::string& file, const Policy& policy) const {
  auto metadata = policy.metadata();
  metadata["kind"] = policy.kind();
  write_safetensors(inside(file), {std::move(metadata), policy.arrays()});
}

PolicyPtr RunDirectory::load_policy(const std::string& file) const {
  const Safetensors content = read_safetensors(inside(file));
  const auto kind = content.metadata.find("kind");
  try {
    if (kind != content.metadata.end() && kind->second == "tabular")
      return TabularPolicy::from_arrays(content.tensors);
    if (kind != content.metadata.end() && kind->second == "network")
      return NetworkPolicy::from_file(content.metadata, content.tensors);
  } catch (const InputError& error) {
    throw InputError({.file = inside(file)}, error.what());
  }
  throw InputError({.file = inside(file)}, "is no policy of a kind known here");
}

void RunDirectory::remove_policy(int call) const {
  fs::remove(inside(policy_file(call)));
}

void RunDirectory::clean_up(const std::vector<int>& calls_in_use) const {
  const std::string record = inside("record.jsonl");
  if (fs::exists(record))
    fs::resize_file(record, read_file(record).rfind('\n') + 1);  // 0 when there is no whole line

  std::set<std::string> used;
  for (const int call : calls_in_use) used.insert(fs::path(policy_file(call)).filename());
  std::vector<fs::path> unused;
  for (const auto& entry : fs::directory_iterator(inside("policies"))) {
    const std::string name = entry.path().filename();
    if (name.starts_with("call-") && !used.contains(name)) unused.push_back(entry);
  }
  for (const fs::path& file : unused) fs::remove(file);
}

void RunDirectory::write_result(const Result& result) const {
  write_file(inside("result.json"), to_json(result).dump(2) + "\n");
}

Result RunDirectory::read_result() const {
  const std::string file = inside("result.json");
  if (!fs::exists(file))
    throw InputError({.file = path_}, "has no result.json yet; finish it with c2rl solve --resume");
  try {
    return result_from_json(Json::parse(read_file(file)));
  } catch (const Json::exception& error) {
    throw InputError({.file = file}, fmt::format("is not a result: {}", error.what()));
  } catch (const InputError& error) {
    throw InputError({.file = file}, error.what());
  }
}

}  // namespace c2rl
