#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include <nanobind/nanobind.h>

#include "c2rl/base/safetensors.h"

namespace c2rl::python {

/// A NumPy array of its own.
nanobind::object to_numpy(const Tensor& tensor);
/// Arrays as c2rl/_safetensors.py hands them over: name, type, shape and bytes of each.
using Columns = std::vector<std::tuple<std::string, std::string, std::vector<std::int64_t>, nanobind::bytes>>;
std::vector<Tensor> to_tensors(const Columns& columns);

}  // namespace c2rl::python
