#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "c2rl/environments/environment_kinds.h"
#include "c2rl/geometry/set_kinds.h"
#include "c2rl/oracle/policy_kinds.h"
#include "c2rl/run/problem.h"
#include "typed.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace c2rl::python {
namespace {

nb::list listed(const std::vector<OptionInfo>& options) {
  nb::list found;
  for (const OptionInfo& option : options)
    found.append(nb::make_tuple(option.key, option.type, option.standard, option.reason));
  return found;
}

template <typename Kind>
Table all_of(const Kinds<Kind>& kinds) {
  Table found;
  for (const Kind* kind : kinds.all())
    found[kind->name.c_str()] = nb::make_tuple(kind->summary, listed(kind->options));
  return found;
}

/// By sort of thing, by name: what it is, and its keys (key, type, default, reason).
Table kinds() {
  Table found;
  found["environment"] = all_of(environment_kinds());
  found["oracle"] = all_of(oracle_kinds());
  found["solver"] = all_of(solver_kinds());
  found["set"] = all_of(set_kinds());
  found["policy"] = all_of(policy_kinds());
  return found;
}

/// The keys that all kinds of a section share.
Table shared_options() {
  Table found;
  found["solver"] = listed(list_options<SolverOptions>());
  found["target"] = listed(list_options<ConfirmationOptions>());
  nb::list oracle = listed(list_options<OracleLimits>());
  oracle.extend(listed(list_options<PatienceOptions>()));
  found["oracle"] = oracle;
  return found;
}

}  // namespace

void bind_kinds(nb::module_& module) {
  module.def("kinds", kinds);
  module.def("shared_options", shared_options);
}

}  // namespace c2rl::python
