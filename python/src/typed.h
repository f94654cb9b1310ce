#pragma once

#include <nanobind/nanobind.h>

namespace c2rl::python {

/// A dict by names, as the stubs have it.
using Table = nanobind::typed<nanobind::dict, nanobind::str, nanobind::any>;

/// An object of any type, as the stubs have it.
inline nanobind::any any_of(const nanobind::object& object) {
  return nanobind::borrow<nanobind::any>(object);
}

}  // namespace c2rl::python
