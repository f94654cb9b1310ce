#include "sets.h"

#include <fmt/format.h>
#include <nanobind/eigen/dense.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "c2rl/base/error.h"
#include "c2rl/geometry/sets.h"
#include "python_object.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace c2rl::python {
namespace {

/// A set that a Python function projects on.
class PythonSet final : public ConvexSet {
 public:
  PythonSet(int dim, nb::object project) : ConvexSet(dim), project_(std::move(project)) {}

 private:
  Vector compute_projection(const Vector& x) const override {
    const nb::gil_scoped_acquire lock;
    const nb::object found = project_.get()(x);
    Vector projected;
    if (!nb::try_cast(found, projected) || projected.size() != dim() || !projected.allFinite()) {
      throw InputError({.field = "project"}, fmt::format("returned {}, expected {} finite numbers",
                                                         nb::cast<std::string>(nb::repr(found)), dim()));
    }
    return projected;
  }

  PythonObject project_;
};

SetHandle python_set(int dim, nb::object project) {
  if (dim < 1) throw InputError({.field = "dim"}, fmt::format("found {}, expected 1 or more", dim));
  return {std::make_shared<PythonSet>(dim, std::move(project))};
}

std::vector<SetPtr> sets_of(const std::vector<SetHandle>& handles) {
  std::vector<SetPtr> sets;
  sets.reserve(handles.size());
  for (const SetHandle& handle : handles) sets.push_back(handle.set);
  return sets;
}

}  // namespace

void bind_sets(nb::module_& module) {
  nb::class_<SetHandle>(module, "Set")
      .def_prop_ro("dim", [](const SetHandle& self) { return self.set->dim(); })
      .def_prop_ro("is_polyhedral", [](const SetHandle& self) { return self.set->is_polyhedral(); })
      .def(
          "project", [](const SetHandle& self, const Vector& x) { return self.set->project(x); }, "x"_a)
      .def(
          "distance", [](const SetHandle& self, const Vector& x) { return self.set->distance(x); }, "x"_a)
      .def("bounds", [](const SetHandle& self) {
        Bounds bounds = self.set->bounds();
        return std::pair(std::move(bounds.lower), std::move(bounds.upper));
      });
  module.def("python_set", python_set, "dim"_a, "project"_a);
  module.def(
      "point", [](const Vector& p) { return SetHandle{point(p)}; }, "p"_a);
  module.def(
      "box", [](const Vector& lower, const Vector& upper) { return SetHandle{box(lower, upper)}; }, "lower"_a,
      "upper"_a);
  module.def(
      "halfspace", [](const Vector& normal, double offset) { return SetHandle{halfspace(normal, offset)}; },
      "normal"_a, "offset"_a);
  module.def(
      "affine", [](const Matrix& a, const Vector& b) { return SetHandle{affine_subspace(a, b)}; }, "a"_a,
      "b"_a);
  module.def(
      "polyhedron",
      [](const Matrix& a, const Vector& lower, const Vector& upper) {
        return SetHandle{polyhedron(a, lower, upper)};
      },
      "a"_a, "lower"_a, "upper"_a);
  module.def(
      "ball", [](const Vector& center, double radius) { return SetHandle{ball(center, radius)}; }, "center"_a,
      "radius"_a);
  module.def(
      "ellipsoid",
      [](const Matrix& a, const Vector& b, double radius) { return SetHandle{ellipsoid(a, b, radius)}; },
      "a"_a, "b"_a, "radius"_a);
  module.def(
      "simplex", [](int dim, double total) { return SetHandle{simplex(dim, total)}; }, "dim"_a, "total"_a);
  module.def(
      "second_order_cone", [](int dim) { return SetHandle{second_order_cone(dim)}; }, "dim"_a);
  module.def(
      "product", [](const std::vector<SetHandle>& blocks) { return SetHandle{product(sets_of(blocks))}; },
      "blocks"_a);
  module.def(
      "intersection",
      [](const std::vector<SetHandle>& members) { return SetHandle{intersection(sets_of(members))}; },
      "members"_a);
}

}  // namespace c2rl::python
