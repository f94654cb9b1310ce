#include "c2rl/offline/dataset.h"

#include <nanobind/eigen/dense.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "c2rl/base/error.h"
#include "c2rl/oracle/collect.h"
#include "problem.h"
#include "progress.h"
#include "tensors.h"
#include "typed.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace c2rl::python {
namespace {

struct DatasetHandle {
  std::shared_ptr<const Dataset> dataset;
};

/// The arrays of docs/datasets.md; what is checked is what a file is checked for.
DatasetHandle from_arrays(const Columns& columns, std::map<std::string, std::string> metadata) {
  const Safetensors content{std::move(metadata), to_tensors(columns)};
  const nb::gil_scoped_release unlocked;
  return {std::make_shared<const Dataset>(dataset_from(content, "dataset"))};
}

Table arrays_of(const DatasetHandle& self) {
  Table found;
  for (const Tensor& tensor : to_safetensors(*self.dataset).tensors)
    found[tensor.name.c_str()] = to_numpy(tensor);
  return found;
}

/// All that an agent does while it learns in the problem's environment.
DatasetHandle collect_from(const ProblemHandle& handle, std::int64_t samples, std::vector<Vector> directions,
                           nb::object listener) {
  PythonListener progress(std::move(listener));
  DatasetHandle found;
  {
    const nb::gil_scoped_release unlocked;
    const Problem& problem = *handle.problem;
    if (directions.empty()) directions = directions_to_collect(problem);
    if (samples < std::ssize(directions))
      throw InputError({.field = "samples"}, "expected at least one per direction");
    found.dataset = std::make_shared<const Dataset>(collect(
        problem.world, agent_of(*problem.oracle), directions, samples, Rng(problem.seed).fork("collect"),
        [&](double part) { return progress.oracle_progress(0, part); }));
  }
  progress.rethrow();
  return found;
}

}  // namespace

void bind_dataset(nb::module_& module) {
  nb::class_<DatasetHandle>(module, "Dataset")
      .def_prop_ro("arrays", arrays_of)
      .def_prop_ro("names", [](const DatasetHandle& self) { return self.dataset->measurements; })
      .def_prop_ro("discount", [](const DatasetHandle& self) { return self.dataset->discount; })
      .def_prop_ro("horizon", [](const DatasetHandle& self) { return self.dataset->horizon; })
      .def_prop_ro("states", [](const DatasetHandle& self) { return self.dataset->states; })
      .def_prop_ro("features", [](const DatasetHandle& self) { return self.dataset->features; })
      .def_prop_ro("actions", [](const DatasetHandle& self) { return self.dataset->actions; })
      .def_prop_ro("size", [](const DatasetHandle& self) { return self.dataset->size(); })
      .def_prop_ro("episodes", [](const DatasetHandle& self) { return self.dataset->episodes(); })
      .def(
          "write",
          [](const DatasetHandle& self, const std::string& path) { write_dataset(path, *self.dataset); },
          "path"_a, nb::call_guard<nb::gil_scoped_release>());
  module.def(
      "read_dataset",
      [](const std::string& path) {
        return DatasetHandle{std::make_shared<const Dataset>(read_dataset(path))};
      },
      "path"_a, nb::call_guard<nb::gil_scoped_release>());
  module.def("make_dataset", from_arrays, "columns"_a, "metadata"_a);
  module.def("collect", collect_from, "problem"_a, "samples"_a, "directions"_a, "listener"_a);
}

}  // namespace c2rl::python
