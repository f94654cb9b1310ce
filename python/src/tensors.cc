#include "tensors.h"

#include <cstring>
#include <map>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

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

std::vector<Tensor> to_tensors(const Columns& columns) {
  std::vector<Tensor> tensors;
  for (const auto& [name, type, shape, content] : columns) {
    Tensor& tensor = tensors.emplace_back(Tensor{name, type, shape, {}});
    tensor.bytes.resize(content.size());
    if (content.size() > 0) std::memcpy(tensor.bytes.data(), content.c_str(), content.size());
  }
  return tensors;
}

}  // namespace c2rl::python
