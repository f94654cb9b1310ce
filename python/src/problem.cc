#include "problem.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "c2rl/base/config.h"
#include "c2rl/environments/environment_kinds.h"
#include "errors.h"
#include "model.h"
#include "python_environment.h"
#include "typed.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace c2rl::python {

ProblemHandle read_with(const Config& config, const nb::object& oracle, const nb::object& world,
                        const std::optional<SetHandle>& set) {
  ProblemHandle handle;
  handle.failure = std::make_shared<Failure>();
  handle.keeper = std::make_shared<KeeperLink>();
  Provided provided;
  bool can_draw = true;
  if (set) provided.set = set->set;
  World given = make_world(config.section("environment"));
  const WorldShape shape = given;
  if (!oracle.is_none()) {
    handle.keeper->set(oracle);
    provided.oracle = std::make_shared<const PythonOracle>(shape.dim(), handle.keeper, handle.failure);
    can_draw = nb::cast<bool>(oracle.attr("can_draw"));
  }
  ModelHandle model;
  if (nb::try_cast(world, model)) {
    provided.world = make_world(model.model);
  } else if (!world.is_none()) {
    given.environment = python_environment(shape, PythonObject(world), handle.failure);
    given.episodes = python_episodes(shape, given.environment);
    provided.world = std::move(given);
  }
  const nb::gil_scoped_release unlocked;
  Problem problem = read_problem(config, provided);
  // Without more episodes nothing that was sampled can be confirmed.
  if (!can_draw) problem.confirmation.max_episodes = 0;
  handle.problem = std::make_shared<const Problem>(std::move(problem));
  return handle;
}

namespace {

/// A problem from TOML. `file` is where it stands; empty: it was given as keywords.
ProblemHandle read(const std::string& text, const std::string& file,
                   const std::vector<std::string>& overrides, const nb::object& oracle,
                   const nb::object& world, const std::optional<SetHandle>& set) {
  return of_keywords([&] {
    Config config = Config::parse(text, file.empty() ? kKeywords : file);
    for (const std::string& assignment : overrides) config.override_value(assignment);
    return read_with(config, oracle, world, set);
  });
}

}  // namespace

void bind_problem(nb::module_& module) {
  nb::class_<ProblemHandle>(module, "Problem")
      .def_prop_ro("name", [](const ProblemHandle& self) { return self.problem->name; })
      .def_prop_ro("seed", [](const ProblemHandle& self) { return self.problem->seed; })
      .def_prop_ro("names", [](const ProblemHandle& self) { return self.problem->world.measurements; })
      .def_prop_ro("oracle", [](const ProblemHandle& self) { return self.problem->oracle_kind->name; })
      .def_prop_ro("solver", [](const ProblemHandle& self) { return self.problem->solver_kind->name; })
      .def("take_raised", [](const ProblemHandle& self) { return any_of(self.failure->take()); })
      .def_prop_ro("constraints",
                   [](const ProblemHandle& self) {
                     std::vector<std::string> texts;
                     for (const Constraint& constraint : self.problem->target.constraints)
                       texts.push_back(constraint.text);
                     return texts;
                   })
      .def_prop_ro("model",
                   [](const ProblemHandle& self) {
                     const auto& model = self.problem->world.model;
                     return model ? std::optional(ModelHandle{model}) : std::nullopt;
                   })
      .def_prop_ro("resolved", [](const ProblemHandle& self) { return self.problem->resolved; });
  module.def("read_problem", read, "text"_a, "file"_a, "overrides"_a, "oracle"_a.none(), "world"_a.none(),
             "set"_a.none());
}

}  // namespace c2rl::python
