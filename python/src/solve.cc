#include "c2rl/run/solve.h"

#include <nanobind/eigen/dense.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "c2rl/run/mix.h"
#include "errors.h"
#include "problem.h"
#include "progress.h"
#include "run_handle.h"
#include "target.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace c2rl::python {
namespace {

/// The run of a problem, in a directory where one is named. `listener` is what PythonListener talks to.
RunHandle solve_problem(const ProblemHandle& handle, const std::optional<std::string>& out, bool resume,
                        nb::object listener) {
  PythonListener progress(std::move(listener));
  RunHandle run;
  run.is_of(handle);
  {
    const nb::gil_scoped_release unlocked;
    if (out)
      run.directory = resume ? RunDirectory::resume(*out) : RunDirectory::create(*out, *handle.problem);
    run.result = solve(*handle.problem, run.directory ? &*run.directory : nullptr, progress);
    // Whoever opens it now may write: this run is over.
    if (run.directory) run.directory = RunDirectory::open(*out);
  }
  progress.rethrow();
  handle.keeper->clear();
  if (handle.failure->must_pass()) {
    const nb::object raised = handle.failure->take();
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(raised.ptr())), raised.ptr());
    throw nb::python_error();
  }
  run.target = handle.problem->target;
  run.history = std::move(progress.history());
  run.policies = std::move(progress.policies());
  if (!run.directory) run.records = std::move(progress.records());
  return run;
}

/// The mixture of points that are given as a CSV file's text.
RunHandle mix_points(const std::string& csv, const std::vector<std::string>& constraints,
                     const std::optional<SetHandle>& set, const std::optional<std::string>& maximize,
                     const std::optional<std::string>& minimize, const std::string& solver, double tolerance,
                     int max_oracle_calls) {
  return of_keywords([&] {
    const Points points = parse_points(csv, "points");
    if (constraints.empty() && !set && !maximize && !minimize) {
      throw InputError({.field = "constraints"}, "expected at least one, for example [\"" + points.names[0] +
                                                     " <= 1\"], or something to maximize or minimize");
    }
    RunHandle run;
    run.target = make_target_of(points.names, constraints, set);
    run.result =
        mix(points, run.target, solver, {.tolerance = tolerance, .max_oracle_calls = max_oracle_calls},
            make_objective(points.names, maximize, minimize));
    return run;
  });
}

}  // namespace

void bind_solve(nb::module_& module) {
  module.def("solve", solve_problem, "problem"_a, "out"_a.none(), "resume"_a, "listener"_a);
  module.def("mix", mix_points, "csv"_a, "constraints"_a, "set"_a.none(), "maximize"_a.none(),
             "minimize"_a.none(), "solver"_a, "tolerance"_a, "max_oracle_calls"_a,
             nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace c2rl::python
