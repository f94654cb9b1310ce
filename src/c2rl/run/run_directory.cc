#include "c2rl/run/run_directory.h"

#include <filesystem>
#include <fstream>
#include <set>

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/base/file.h"
#include "c2rl/base/json.h"
#include "c2rl/oracle/policy_kinds.h"
#include "c2rl/run/record_json.h"
#include "c2rl/run/result_json.h"

namespace c2rl {
namespace {

namespace fs = std::filesystem;

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

std::vector<RunRecord> RunDirectory::read_records() const {
  const std::string file = inside("record.jsonl");
  std::ifstream stream(file);
  std::vector<RunRecord> records;
  std::string line;
  for (int number = 1; std::getline(stream, line); ++number) {
    if (stream.eof()) break;  // a line is written with its end
    try {
      records.push_back(record_from_json(parse_json(line)));
    } catch (const std::exception& error) {
      throw InputError({.file = file, .line = number},
                       fmt::format("is no record of a run: {}", error.what()));
    }
  }
  return records;
}

void RunDirectory::append(const RunRecord& record) const {
  const std::string file = inside("record.jsonl");
  std::ofstream stream(file, std::ios::app);
  stream << to_text(to_json(record)) + "\n" << std::flush;
  if (!stream) throw InputError({.file = file}, "cannot be written");
}

std::string RunDirectory::policy_file(int call) {
  return fmt::format("policies/call-{}.safetensors", call);
}

void RunDirectory::save_policy_as(const std::string& file, const Policy& policy) const {
  c2rl::save_policy(inside(file), policy);
}

PolicyPtr RunDirectory::load_policy(const std::string& file, const World& world) const {
  return c2rl::load_policy(inside(file), world);
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
  write_file(inside("result.json"), to_json_text(result));
}

Result RunDirectory::read_result() const {
  const std::string file = inside("result.json");
  if (!fs::exists(file))
    throw InputError({.file = path_}, "has no result.json yet; finish it with c2rl solve --resume");
  return parse_result(read_file(file), file);
}

}  // namespace c2rl
