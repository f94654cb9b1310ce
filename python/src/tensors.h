#pragma once

#include <string>

#include <nanobind/nanobind.h>

#include "c2rl/base/safetensors.h"

namespace c2rl::python {

/// A NumPy array of its own.
nanobind::object to_numpy(const Tensor& tensor);
/// An array of NumPy's, of one of the four types.
Tensor to_tensor(const std::string& name, const nanobind::object& array);

}  // namespace c2rl::python
