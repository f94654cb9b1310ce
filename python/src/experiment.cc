#include <algorithm>
#include <chrono>
#include <thread>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "c2rl/base/error.h"
#include "c2rl/base/file.h"
#include "c2rl/base/file_lock.h"
#include "c2rl/run/experiment_report.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace c2rl::python {
namespace {

/// What an experiment came to: tables with their heads.
struct Outcome {
  std::string directory;
  std::vector<std::vector<std::string>> overview, claims;
  std::vector<std::string> failures;
  bool all_hold = true, interrupted = false;
};

/// Runs what is not finished yet, on so many threads, and writes the tables, as `c2rl experiment` does. `told` hears cells
/// done, all and failed now and then; False stops, and so does Ctrl-C.
Outcome run(const std::string& file, const std::optional<std::string>& out, int threads,
            const std::optional<std::string>& shard, const nb::object& told) {
  nb::object raised = nb::none();
  Outcome outcome;
  {
    const nb::gil_scoped_release unlocked;
    if (threads < 1) throw InputError({.field = "threads"}, "expected a whole number, 1 or more");
    const Experiment experiment = read_experiment(Config::read(file));
    std::vector<Cell> cells = cells_of(experiment);
    outcome.directory = out.value_or("runs/" + experiment.name);
    if (shard) {
      const Shard part = Shard::parse(*shard);
      cells = part.part_of(cells);
      outcome.directory = part.directory(outcome.directory);
    }
    make_directories(outcome.directory);
    const FileLock lock(outcome.directory + "/lock", outcome.directory);
    if (!shard) gather_shards(cells, outcome.directory);
    const auto progress = [&](const ExperimentProgress& now) {
      const nb::gil_scoped_acquire locked;
      try {
        if (PyErr_CheckSignals() != 0) nb::raise_python_error();
        outcome.interrupted = told(now.done, now.cells, now.failed).is(nb::handle(Py_False));
      } catch (nb::python_error& error) {
        outcome.interrupted = true;
        if (!error.matches(PyExc_KeyboardInterrupt)) raised = nb::borrow(error.value());
      }
      return !outcome.interrupted;
    };
    for (const CellFailure& failure : run_cells(cells, outcome.directory, threads, progress))
      outcome.failures.push_back(failure.cell + ": " + failure.message);
    const std::vector<Series> series = collect(experiment, outcome.directory);
    write_tables(experiment, series, outcome.directory);
    outcome.overview = overview(experiment, series);
    if (!experiment.expectations.empty() && !shard)
      outcome.claims = judge_claims(experiment, series, outcome.all_hold);
  }
  if (!raised.is_none()) {
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(raised.ptr())), raised.ptr());
    throw nb::python_error();
  }
  return outcome;
}

}  // namespace

void bind_experiment(nb::module_& module) {
  nb::class_<Outcome>(module, "Outcome")
      .def_ro("directory", &Outcome::directory)
      .def_ro("overview", &Outcome::overview)
      .def_ro("claims", &Outcome::claims)
      .def_ro("failures", &Outcome::failures)
      .def_ro("all_hold", &Outcome::all_hold)
      .def_ro("interrupted", &Outcome::interrupted);
  module.def("experiment", run, "file"_a, "out"_a.none(), "threads"_a, "shard"_a.none(), "told"_a);
}

}  // namespace c2rl::python
