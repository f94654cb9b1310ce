#include <nanobind/eigen/dense.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "c2rl/base/config.h"
#include "c2rl/solve/maximize.h"
#include "c2rl/solve/solver_kinds.h"
#include "errors.h"
#include "sets.h"
#include "target.h"
#include "typed.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace c2rl::python {
namespace {

/// `options` are the keys of a [solver] section, as TOML; `maximize` a direction to go as far in as the target allows.
std::unique_ptr<Solver> make(const SetHandle& target, const std::string& options,
                             const std::optional<Vector>& maximize) {
  return of_keywords([&]() -> std::unique_ptr<Solver> {
    const Config section = Config::parse(options, kKeywords);
    const SolverKind& kind = solver_kinds().named_in(section, solver_kinds().standard().name);
    kind.check_suits(*target.set);
    const auto common = read_options<SolverOptions>(section);
    if (common.first_direction) {
      section.expect(common.first_direction->size() == target.set->dim(), "first_direction",
                     "a number per measurement");
    }
    const SolverMaker maker = kind.configure(&section);
    const auto& methods = maximize_method_names();
    const bool may_choose = maximize && !maker.maximize;
    const MaximizeMethod method = may_choose
                                      ? methods.parse(section.choice("maximize_method", methods.all(),
                                                                     methods.of(MaximizeMethod::direct)))
                                      : MaximizeMethod::direct;
    section.reject_unknown_keys();
    if (!maximize) return maker.make(target.set, common);
    if (maximize->size() != target.set->dim() || !maximize->allFinite() || maximize->isZero(0))
      throw InputError({.field = "maximize"}, "expected a finite number per measurement, not all of them 0");
    return make_maximizer(method, maker, target.set, maximize->stableNormalized(), common);
  });
}

/// Once ended there is no direction; a Python program that tells all the same made a mistake of its own.
Table tell(Solver& self, const Vector& point, double slack, bool proven) {
  if (self.status() != Status::running)
    throw InputError({.field = "tell"}, "the solver has ended (" + to_string(self.status()) +
                                            "); expected no answer after ask() gave None");
  const Cycle cycle =
      self.tell({.point = point, .slack = slack, .grade = proven ? Grade::proof : Grade::evidence});
  Table found;
  found["call"] = cycle.call;
  found["atom"] = cycle.atom;
  found["new"] = cycle.is_new;
  found["dropped"] = cycle.dropped;
  found["policies"] = cycle.atoms;
  found["distance"] = cycle.distance;
  found["distance_lower_bound"] = cycle.distance_lower_bound;
  found["error"] = cycle.error_bound;
  return found;
}

std::optional<Table> certificate(const Solver& self) {
  const Certificate& found = self.certificate();
  if (found.direction.size() == 0) return std::nullopt;
  Table certificate;
  certificate["direction"] = found.direction;
  certificate["bound"] = found.bound;
  certificate["grade"] = to_string(found.grade);
  certificate["target_point"] = found.target_point;
  certificate["slack"] = found.slack;
  certificate["achievable_at"] = found.achievable_at;
  certificate["target_at"] = found.target_at;
  return certificate;
}

/// Value, bound and grade.
std::optional<std::tuple<double, double, std::string>> maximum(const Solver& self) {
  const auto bracket = self.maximum();
  if (!bracket) return std::nullopt;
  return std::tuple(bracket->value, bracket->upper_bound, to_string(bracket->grade));
}

}  // namespace

void bind_solver(nb::module_& module) {
  nb::class_<Solver>(module, "Solver")
      .def("ask", &Solver::ask, nb::call_guard<nb::gil_scoped_release>())
      .def("tell", tell, "point"_a, "slack"_a, "proven"_a)
      .def_prop_ro("status", [](const Solver& self) { return to_string(self.status()); })
      .def_prop_ro("calls", &Solver::calls)
      .def_prop_ro("distance", &Solver::distance)
      .def_prop_ro("error_bound", &Solver::error_bound)
      .def_prop_ro("policies_stored_max", &Solver::atoms_max)
      .def_prop_ro("ids", [](const Solver& self) { return self.mixture().ids; })
      .def_prop_ro("needed", &Solver::needed)
      .def_prop_ro("weights", [](const Solver& self) { return Vector(self.mixture().weights); })
      .def_prop_ro("atoms", [](const Solver& self) { return Matrix(self.mixture().atoms.transpose()); })
      .def_prop_ro("point", [](const Solver& self) { return Vector(self.mixture().point); })
      .def_prop_ro("certificate", certificate)
      .def_prop_ro("maximum", maximum);
  module.def("make_solver", make, "target"_a, "options"_a, "maximize"_a.none());
  module.def(
      "linear_expression",
      [](const std::string& text, const std::vector<std::string>& names, const std::string& field) {
        return parse_linear(text, names, {.field = field}).coefficients;
      },
      "text"_a, "names"_a, "field"_a);
  module.def(
      "target_set",
      [](const std::vector<std::string>& names, const std::vector<std::string>& constraints) {
        return SetHandle{make_target_of(names, constraints, std::nullopt).set};
      },
      "names"_a, "constraints"_a);
}

}  // namespace c2rl::python
