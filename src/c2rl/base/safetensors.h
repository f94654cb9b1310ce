#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "c2rl/base/file.h"

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
  /// Of the file that was read, where it has one (base/seal.h); it stands among the metadata there.
  std::string seal = {};
};

/// The bytes of a file, with a seal.
std::string to_bytes(const Safetensors& content);
/// Writes a file with a seal, which is returned; it is whole or not there (write_file).
std::string write_safetensors(const std::string& path, const Safetensors& content, Sync sync = Sync::yes);

/// Whatever the file holds, this gives its content or an InputError that names it and says what is wrong; a
/// seal that does not fit is.
Safetensors read_safetensors(const std::string& path);
/// The same for the bytes of a file; `file` is for errors.
Safetensors parse_safetensors(std::string_view bytes, const std::string& file);

}  // namespace c2rl
