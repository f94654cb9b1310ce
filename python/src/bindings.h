#pragma once

#include <nanobind/nanobind.h>

namespace c2rl::python {

// What each file adds to the module. All of it is for the package's own Python files, which are the door for users.
void bind_errors(nanobind::module_& module);
void bind_sets(nanobind::module_& module);
void bind_solver(nanobind::module_& module);
void bind_policy(nanobind::module_& module);
void bind_model(nanobind::module_& module);
void bind_oracle(nanobind::module_& module);
void bind_problem(nanobind::module_& module);
void bind_solve(nanobind::module_& module);
void bind_runs(nanobind::module_& module);
void bind_dataset(nanobind::module_& module);
void bind_experiment(nanobind::module_& module);
void bind_kinds(nanobind::module_& module);

}  // namespace c2rl::python
