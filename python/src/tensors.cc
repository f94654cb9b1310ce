#include "tensors.h"

#include <cstring>
#include <map>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "c2rl/base/error.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace c2rl::python {
namespace {

const std::map<std::string, std::string>& types() {
  static const std::map<std::string, std::string> kTypes = {
      {"U8", "uint8"}, {"I32", "int32"}, {"F32", "float32"}, {"F64", "float64"}};
  return kTypes;
}

}  // namespace

nb::object to_numpy(const Tensor& tensor) {
  const nb::object numpy = nb::module_::import_("numpy");
  nb::object array =
      numpy.attr("empty")(nb::tuple(nb::cast(tensor.shape)), "dtype"_a = types().at(tensor.type));
  if (!tensor.bytes.empty()) {
    const auto pointer = nb::cast<std::uintptr_t>(array.attr("ctypes").attr("data"));
    std::memcpy(reinterpret_cast<void*>(pointer), tensor.bytes.data(), tensor.bytes.size());  // NOLINT
  }
  return array;
}

Tensor to_tensor(const std::string& name, const nb::object& array) {
  const auto type = nb::cast<std::string>(nb::str(array.attr("dtype")));
  for (const auto& [ours, theirs] : types()) {
    if (theirs != type) continue;
    const nb::object bytes = array.attr("tobytes")();
    const auto content = nb::cast<nb::bytes>(bytes);
    Tensor tensor{name, ours, nb::cast<std::vector<std::int64_t>>(nb::list(array.attr("shape"))), {}};
    tensor.bytes.resize(content.size());
    if (content.size() > 0) std::memcpy(tensor.bytes.data(), content.c_str(), content.size());
    return tensor;
  }
  throw InputError({.field = name},
                   "found an array of " + type + ", expected uint8, int32, float32 or float64");
}

}  // namespace c2rl::python
