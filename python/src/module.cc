#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bindings.h"
#include "c2rl/base/version.h"

NB_MODULE(_core, module) {
  using namespace c2rl::python;
  module.doc() = "The C++ core of c2rl; its Python package is the door.";
  module.attr("version") = c2rl::version();
  bind_errors(module);
  bind_sets(module);
  bind_policy(module);
  bind_solver(module);
  bind_model(module);
  bind_oracle(module);
  bind_problem(module);
  bind_solve(module);
  bind_runs(module);
  bind_dataset(module);
  bind_experiment(module);
  bind_kinds(module);
}
