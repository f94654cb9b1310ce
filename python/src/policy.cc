#include "policy.h"

#include <map>

#include <fmt/format.h>
#include <nanobind/eigen/dense.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "c2rl/base/error.h"
#include "c2rl/oracle/network_policy.h"
#include "c2rl/oracle/policy_kinds.h"
#include "tensors.h"
#include "typed.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace c2rl::python {
namespace {

/// What is seen: features as rows of an array, or numbers of states.
using Features = nb::ndarray<const float, nb::shape<-1, -1>, nb::c_contig, nb::device::cpu>;

Eigen::MatrixXf columns_of(const Features& rows) {
  return Eigen::Map<const Eigen::MatrixXf>(rows.data(), static_cast<Eigen::Index>(rows.shape(1)),
                                           static_cast<Eigen::Index>(rows.shape(0)));
}

/// A row per observation.
using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Rows probabilities(const Policy& policy, const Observations& seen, int step, int actions) {
  Matrix found = Matrix::Zero(actions, seen.size());
  policy.action_probabilities(seen, step, found);
  return found.transpose();
}

/// What it draws with the stream of this number, a row per observation, where actions are real numbers.
Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> draw_controls(const PolicyHandle& self,
                                                                                    const Features& features,
                                                                                    int controls, int step,
                                                                                    std::uint64_t seed) {
  const Eigen::MatrixXf seen = columns_of(features);
  WorldShape shape;
  shape.controls = controls;
  const int count = static_cast<int>(seen.cols());
  ActionBatch drawn(shape, count);
  std::vector<Rng> streams;
  std::vector<Rng*> pointers;
  streams.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    streams.push_back(Rng(seed).fork("predict", static_cast<std::uint64_t>(i)));
    pointers.push_back(&streams.back());
  }
  self.policy->act(Observations(seen), step, pointers, drawn);
  return drawn.values.transpose();
}

/// A network's policy that does what is likeliest.
PolicyHandle greedy(const PolicyHandle& self) {
  Safetensors content{self.policy->metadata(), self.policy->arrays()};
  content.metadata["execution"] = execution_names().of(Execution::greedy);
  return {policy_kinds().find(self.policy->kind()).load(content)};
}

/// The inverse of kind, metadata and arrays: what a file would say.
PolicyHandle from_arrays(const std::string& kind, std::map<std::string, std::string> metadata,
                         const Columns& columns) {
  return {policy_kinds().find(kind).load({std::move(metadata), to_tensors(columns)})};
}

Table arrays(const PolicyHandle& self) {
  Table found;
  for (const Tensor& tensor : self.policy->arrays()) found[tensor.name.c_str()] = to_numpy(tensor);
  return found;
}

}  // namespace

void bind_policy(nb::module_& module) {
  nb::class_<PolicyHandle>(module, "Policy")
      .def_prop_ro("kind", [](const PolicyHandle& self) { return self.policy->kind(); })
      .def_prop_ro("is_stationary", [](const PolicyHandle& self) { return self.policy->is_stationary(); })
      .def_prop_ro("is_deterministic",
                   [](const PolicyHandle& self) { return self.policy->is_deterministic(); })
      .def_prop_ro("metadata", [](const PolicyHandle& self) { return self.policy->metadata(); })
      .def_prop_ro("arrays", arrays)
      .def(
          "save", [](const PolicyHandle& self, const std::string& path) { save_policy(path, *self.policy); },
          "path"_a)
      .def(
          "probabilities_of_states",
          [](const PolicyHandle& self, const std::vector<int>& states, int step, int actions) {
            return probabilities(*self.policy, Observations(states), step, actions);
          },
          "states"_a, "step"_a, "actions"_a)
      .def(
          "probabilities_of_features",
          [](const PolicyHandle& self, const Features& features, int step, int actions) {
            const Eigen::MatrixXf seen = columns_of(features);
            return probabilities(*self.policy, Observations(seen), step, actions);
          },
          "features"_a, "step"_a, "actions"_a)
      .def("greedy", greedy)
      .def("draw_controls", draw_controls, "features"_a, "controls"_a, "step"_a, "seed"_a);
  module.def("make_policy", from_arrays, "kind"_a, "metadata"_a, "columns"_a);
}

}  // namespace c2rl::python
