#include <filesystem>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "c2rl/base/file.h"
#include "c2rl/base/text.h"
#include "c2rl/cli/print_result.h"
#include "c2rl/report/page.h"
#include "c2rl/report/result_words.h"
#include "c2rl/run/result_json.h"
#include "c2rl/run/run_files.h"
#include "c2rl/run/verify_run.h"
#include "problem.h"
#include "run_handle.h"
#include "target.h"
#include "typed.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace c2rl::python {

void RunHandle::is_of(const ProblemHandle& handle) {
  auto alone = std::make_shared<Problem>(*handle.problem);
  alone->oracle = nullptr;
  alone->world.environment = {};
  alone->world.episodes = {};
  problem = std::move(alone);
  keeper = handle.keeper;
  failure = handle.failure;
}

std::optional<PolicyHandle> RunHandle::policy(int member) const {
  const ResultPolicy& entry = result.policies.at(static_cast<std::size_t>(member));
  if (entry.file.empty()) return std::nullopt;
  const auto held = policies.find(call_of(entry.file.substr(entry.file.rfind('/') + 1)));
  if (held != policies.end()) return PolicyHandle{held->second};
  if (!directory) return std::nullopt;
  return PolicyHandle{directory->load_policy(entry.file, problem->world, entry.seal)};
}

void RunHandle::save_copy(const std::string& path) const {
  if (!problem) {  // as `c2rl mix --out` does
    const std::string file = path + "/result.json";
    if (std::filesystem::exists(std::filesystem::symlink_status(file)))
      throw InputError({.file = file}, "is there already; expected another directory");
    make_directories(path);
    write_file(file, to_json_text(result));
    return;
  }
  const RunDirectory made = RunDirectory::create(path, *problem);
  Result named = result;
  std::map<int, std::string> seals;
  for (ResultPolicy& member : named.policies) {
    const int call = call_of(member.file.substr(member.file.rfind('/') + 1));
    member.seal = seals[call] = made.save_policy_as(member.file, *policies.at(call));
  }
  for (std::size_t i = 0; i < records.size(); ++i) {
    RunRecord record = records[i];
    if (auto* call = std::get_if<CallRecord>(&record); call && seals.contains(call->call))
      call->seal = seals.at(call->call);
    made.append(record, static_cast<int>(i) + 1);
  }
  made.write_result(named);
}

namespace {

/// A run that is saved. What its directory says is checked as far as it is read. What belongs to Python is brought by it.
RunHandle load(const std::string& path, const nb::object& oracle, const nb::object& world,
               const std::optional<SetHandle>& set) {
  RunHandle run;
  run.directory = RunDirectory::open(path);
  run.is_of(read_with(Config::read(run.directory->problem_file()), oracle, world, set));
  run.keeper->clear();
  run.target = run.problem->target;
  run.result = run.directory->read_result();
  return run;
}

/// A result alone, as `c2rl mix --out` leaves it.
RunHandle load_result(const std::string& file) {
  RunHandle run;
  run.result = parse_result(read_file(file), file);
  run.target = make_target_of(run.result.names, run.result.constraints, std::nullopt);
  return run;
}

/// Subject, standing and words of everything that was checked.
std::vector<std::vector<std::string>> verify(const std::string& path, std::int64_t episodes,
                                             std::uint64_t seed, const nb::object& oracle,
                                             const nb::object& world, const std::optional<SetHandle>& set) {
  Provided provided;
  ProblemHandle handle;
  if (set) provided.set = set->set;
  if (!oracle.is_none() || !world.is_none()) {
    handle = read_with(Config::read(RunDirectory::open(path).problem_file()), oracle, world, set);
    if (!oracle.is_none()) provided.oracle = handle.problem->oracle;
    if (!world.is_none()) provided.world = handle.problem->world;
  }
  std::vector<std::vector<std::string>> rows;
  const nb::gil_scoped_release unlocked;
  for (const Checked& check : verify_run(path, {.episodes = episodes, .seed = seed}, provided))
    rows.push_back({check.subject, check.standing == Standing::failed ? "failed" : to_string(check.standing),
                    check.words});
  return rows;
}

/// The Python object that a policy is; None where only its bytes are known and there is no Keeper to make it.
nb::any object_in(const RunHandle& run, const PolicyHandle& handle, const nb::object& keeper) {
  if (keeper.is_none()) {
    const auto& policy = dynamic_cast<const ObjectPolicy&>(*handle.policy);
    const auto made = std::dynamic_pointer_cast<const PythonPolicyObject>(policy.object());
    return any_of(made ? made->policy() : nb::none());
  }
  run.keeper->set(keeper);
  nb::any found = any_of(object_of(*handle.policy, run.keeper, run.failure));
  run.keeper->clear();
  return found;
}

/// With the oracle's Keeper, where its policies are objects.
void save(const RunHandle& run, const std::string& path, const nb::object& keeper) {
  if (!keeper.is_none()) run.keeper->set(keeper);
  {
    const nb::gil_scoped_release unlocked;
    run.save_copy(path);
  }
  run.keeper->clear();
}

}  // namespace

void bind_runs(nb::module_& module) {
  const nb::call_guard<nb::gil_scoped_release> unlocked;
  nb::class_<RunHandle>(module, "Run")
      .def_prop_ro("json", [](const RunHandle& self) { return to_json_text(self.result); })
      .def_prop_ro("text",
                   [](const RunHandle& self) { return print(self.result, self.target, Format::text); })
      .def_prop_ro("certificate_words",
                   [](const RunHandle& self) { return certificate_words(self.result, self.target); })
      .def_prop_ro("holds", [](const RunHandle& self) { return holds(self.result.status); })
      .def_ro("history", &RunHandle::history)
      .def_prop_ro("target", [](const RunHandle& self) { return SetHandle{self.target.set}; })
      .def_prop_ro("directory",
                   [](const RunHandle& self) -> std::optional<std::string> {
                     if (!self.directory) return std::nullopt;
                     return self.directory->path();
                   })
      // States, features, actions, controls: what policies see and do.
      .def_prop_ro("shape",
                   [](const RunHandle& self) {
                     const WorldShape shape = self.problem ? WorldShape(self.problem->world) : WorldShape();
                     return std::tuple(shape.states, shape.features, shape.actions, shape.controls);
                   })
      .def("save_copy", save, "path"_a, "keeper"_a.none())
      .def("policy", &RunHandle::policy, "member"_a, unlocked)
      .def("object", object_in, "policy"_a, "keeper"_a.none());
  module.def("load", load, "path"_a, "oracle"_a.none(), "world"_a.none(), "set"_a.none());
  module.def("write_report", write_report, "directories"_a, "out"_a, unlocked);
  module.def("load_result", load_result, "file"_a, unlocked);
  module.def("verify", verify, "path"_a, "episodes"_a, "seed"_a, "oracle"_a.none(), "world"_a.none(),
             "set"_a.none());
}

}  // namespace c2rl::python
