#include "model.h"

#include <memory>
#include <utility>

#include <nanobind/eigen/dense.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "c2rl/environments/model_file.h"
#include "c2rl/mdp/evaluate.h"
#include "c2rl/mdp/tabular_policy.h"
#include "c2rl/mdp/world.h"
#include "policy.h"
#include "typed.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace c2rl::python {
namespace {

using Indices = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::vector<std::int32_t> indices_of(const Indices& array) {
  return {array.data(), array.data() + array.size()};
}

/// The arrays of a TabularModel, the measurements with a row per transition.
ModelHandle make(std::vector<std::string> names, const Indices& choice_begin, const Indices& transition_begin,
                 const Indices& next, const Vector& probability, const Matrix& measurement,
                 const Vector& start, double discount, int horizon) {
  auto model = std::make_shared<TabularModel>();
  model->states = static_cast<int>(choice_begin.size()) - 1;
  model->measurements = std::move(names);
  model->choice_begin = indices_of(choice_begin);
  model->transition_begin = indices_of(transition_begin);
  model->next = indices_of(next);
  model->probability.assign(probability.begin(), probability.end());
  model->measurement = measurement.transpose();
  model->start = start;
  model->discount = discount;
  model->horizon = horizon;
  const nb::gil_scoped_release unlocked;
  validate(*model);
  return {std::move(model)};
}

ModelHandle read(const std::string& path, const std::string& terminal_label, bool reached, double discount,
                 int horizon) {
  const nb::gil_scoped_release unlocked;
  auto model = std::make_shared<TabularModel>(
      read_model_file(path, {.terminal_label = terminal_label, .reached = reached}));
  model->discount = discount;
  model->horizon = horizon;
  validate(*model);
  return {std::move(model)};
}

/// J of the policy that draws its actions with these probabilities, a row per state; those of terminal states are not read.
Vector evaluate_table(const ModelHandle& self, const Matrix& probabilities) {
  const TabularModel& model = *self.model;
  std::vector<std::int32_t> begin = {0};
  std::vector<double> rows;
  for (int state = 0; state < model.states; ++state) {
    for (int action = 0; action < model.actions(state); ++action)
      rows.push_back(probabilities(state, action));
    begin.push_back(static_cast<std::int32_t>(rows.size()));
  }
  const auto policy = TabularPolicy::randomized(std::move(begin), std::move(rows));
  const nb::gil_scoped_release unlocked;
  return evaluate(model, *policy).measurement;
}

Vector evaluate_policy(const ModelHandle& self, const PolicyHandle& policy) {
  policy.policy->check_fits(make_world(self.model));
  return evaluate(*self.model, *policy.policy).measurement;
}

template <typename Number>
nb::any copy_of(const std::vector<Number>& numbers) {
  auto* held = new std::vector<Number>(numbers);
  const nb::capsule owner(held,
                          [](void* pointer) noexcept { delete static_cast<std::vector<Number>*>(pointer); });
  return any_of(
      nb::cast(nb::ndarray<nb::numpy, const Number, nb::ndim<1>>(held->data(), {held->size()}, owner)));
}

}  // namespace

void bind_model(nb::module_& module) {
  nb::class_<ModelHandle>(module, "Model")
      .def_prop_ro("states", [](const ModelHandle& self) { return self.model->states; })
      .def_prop_ro("actions", [](const ModelHandle& self) { return self.model->max_actions(); })
      .def_prop_ro("names", [](const ModelHandle& self) { return self.model->measurements; })
      .def_prop_ro("discount", [](const ModelHandle& self) { return self.model->discount; })
      .def_prop_ro("horizon", [](const ModelHandle& self) { return self.model->horizon; })
      .def_prop_ro("choice_begin", [](const ModelHandle& self) { return copy_of(self.model->choice_begin); })
      .def_prop_ro("transition_begin",
                   [](const ModelHandle& self) { return copy_of(self.model->transition_begin); })
      .def_prop_ro("next", [](const ModelHandle& self) { return copy_of(self.model->next); })
      .def_prop_ro("probability", [](const ModelHandle& self) { return copy_of(self.model->probability); })
      .def_prop_ro("measurement",
                   [](const ModelHandle& self) { return Matrix(self.model->measurement.transpose()); })
      .def_prop_ro("start", [](const ModelHandle& self) { return Vector(self.model->start); })
      .def(
          "write",
          [](const ModelHandle& self, const std::string& path) { write_model_file(*self.model, path); },
          "path"_a, nb::call_guard<nb::gil_scoped_release>())
      .def("evaluate_table", evaluate_table, "probabilities"_a)
      .def("evaluate_policy", evaluate_policy, "policy"_a, nb::call_guard<nb::gil_scoped_release>());
  module.def("make_model", make, "names"_a, "choice_begin"_a, "transition_begin"_a, "next"_a, "probability"_a,
             "measurement"_a, "start"_a, "discount"_a, "horizon"_a);
  module.def("read_model", read, "path"_a, "terminal_label"_a, "reached"_a, "discount"_a, "horizon"_a);
}

}  // namespace c2rl::python
