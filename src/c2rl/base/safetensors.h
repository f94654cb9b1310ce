#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace c2rl {

/// A named array of a safetensors file; row-major.
struct Tensor {
  std::string name;
  std::string type;  // "U8", "I32", "F32" or "F64"
  std::vector<std::int64_t> shape;
  std::vector<std::byte> bytes;
};

/// Arrays and text in one file that other languages read with their safetensors packages, and that cannot
/// hold code.
struct Safetensors {
  std::map<std::string, std::string> metadata;
  std::vector<Tensor> tensors;
};

/// Written beside the file first and then moved over it, so that a file is whole or not there.
void write_safetensors(const std::string& path, const Safetensors& content);

/// Whatever the file holds, this gives its content or an InputError that names it and says what is wrong.
Safetensors read_safetensors(const std::string& path);
/// The same for the bytes of a file; `file` is for errors.
Safetensors parse_safetensors(std::string_view bytes, const std::string& file);

}  // namespace c2rl
