#include "c2rl/base/safetensors.h"

#include <bit>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/base/file.h"
#include "c2rl/base/json.h"
#include "c2rl/base/seal.h"

// The format: the header's length as 8 bytes, little-endian; the header, JSON, with for every tensor its
// type, shape and the range of bytes it takes behind the header, and "__metadata__", a map of texts; then the
// bytes.

namespace c2rl {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors are stored as they lie in memory");

constexpr size_t kLengthBytes = 8;
constexpr const char* kSealEntry = "seal";  // of the metadata
/// What the format's own reader accepts at most.
constexpr std::uint64_t kLongestHeader = 100'000'000;

size_t size_of(const std::string& type) {
  if (type == "U8") return 1;
  if (type == "I32" || type == "F32") return 4;
  if (type == "F64") return 8;
  return 0;
}

/// Bytes of a tensor of this shape; nothing where the product overflows.
bool tensor_bytes(const Tensor& tensor, std::uint64_t& bytes) {
  bytes = size_of(tensor.type);
  for (const std::int64_t extent : tensor.shape) {
    if (extent < 0) return false;
    if (extent > 0 && bytes > std::numeric_limits<std::int64_t>::max() / static_cast<std::uint64_t>(extent))
      return false;
    bytes *= static_cast<std::uint64_t>(extent);
  }
  return true;
}

/// The bytes of a file, its seal still blank.
std::string unsealed_bytes(const Safetensors& content) {
  Json header = Json::object();
  header["__metadata__"] = content.metadata;
  header["__metadata__"][kSealEntry] = kBlankSeal;
  std::uint64_t offset = 0;
  for (const Tensor& tensor : content.tensors) {
    header[tensor.name] = {{"dtype", tensor.type},
                           {"shape", tensor.shape},
                           {"data_offsets", {offset, offset + tensor.bytes.size()}}};
    offset += tensor.bytes.size();
  }
  std::string text = to_text(header);
  text.resize((text.size() + kLengthBytes - 1) / kLengthBytes * kLengthBytes, ' ');  // aligns what follows

  std::string bytes(kLengthBytes, '\0');
  const std::uint64_t length = text.size();
  std::memcpy(bytes.data(), &length, kLengthBytes);
  bytes.reserve(kLengthBytes + text.size() + offset);
  bytes += text;
  for (const Tensor& tensor : content.tensors) {
    bytes.append(reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size());
  }
  return bytes;
}

}  // namespace

std::string to_bytes(const Safetensors& content) {
  return sealed(unsealed_bytes(content));
}

std::string write_safetensors(const std::string& path, const Safetensors& content, Sync sync) {
  std::string bytes = unsealed_bytes(content);
  const std::size_t at = bytes.find(kBlankSeal);
  bytes = sealed(std::move(bytes));
  write_file(path, bytes, sync);
  return bytes.substr(at, kBlankSeal.size());
}

Safetensors read_safetensors(const std::string& path) {
  return parse_safetensors(read_file(path), path);
}

Safetensors parse_safetensors(std::string_view bytes, const std::string& file) {
  const auto fail = [&](const std::string& why) {
    throw InputError({.file = file}, "not a safetensors file: " + why);
  };
  if (bytes.size() < kLengthBytes)
    fail(fmt::format("it has {} bytes, expected at least {}", bytes.size(), kLengthBytes));
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), kLengthBytes);
  if (length > kLongestHeader || length > bytes.size() - kLengthBytes) {
    fail(fmt::format("its header claims {} bytes, the file has {}", length, bytes.size() - kLengthBytes));
  }
  const std::string_view text = bytes.substr(kLengthBytes, length);
  const std::string_view data = bytes.substr(kLengthBytes + length);
  Json header;
  try {
    header = parse_json(text);
  } catch (const InputError& error) {
    fail("its header " + error.message());
  }
  if (!header.is_object()) fail("its header is no JSON object");

  Safetensors content;
  std::uint64_t expected = 0;
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") {
      if (!entry.is_object()) fail("__metadata__ is no map of texts");
      for (const auto& [key, value] : entry.items()) {
        if (!value.is_string()) fail("__metadata__ is no map of texts");
        content.metadata[key] = value.get<std::string>();
      }
      continue;
    }
    const auto malformed = [&, &name = name](const std::string& why) {
      fail(fmt::format("tensor '{}': {}", name, why));
    };
    if (!entry.is_object() || !entry.contains("dtype") || !entry.contains("shape") ||
        !entry.contains("data_offsets")) {
      malformed("expected dtype, shape and data_offsets");
    }
    Tensor tensor;
    tensor.name = name;
    if (!entry["dtype"].is_string()) malformed("dtype is no text");
    tensor.type = entry["dtype"].get<std::string>();
    if (size_of(tensor.type) == 0)
      malformed(fmt::format("dtype '{}' is not one of U8, I32, F32, F64", tensor.type));
    if (!entry["shape"].is_array()) malformed("shape is no list");
    for (const Json& extent : entry["shape"]) {
      if (!extent.is_number_unsigned()) malformed("shape is no list of whole numbers");
      tensor.shape.push_back(extent.get<std::int64_t>());
    }
    const Json& range = entry["data_offsets"];
    if (!range.is_array() || range.size() != 2 || !range[0].is_number_unsigned() ||
        !range[1].is_number_unsigned()) {
      malformed("data_offsets is no pair of whole numbers");
    }
    const auto begin = range[0].get<std::uint64_t>(), end = range[1].get<std::uint64_t>();
    std::uint64_t size = 0;
    if (!tensor_bytes(tensor, size) || begin > end || end > data.size() || end - begin != size) {
      malformed(fmt::format("its shape does not take bytes {} to {} of {}", begin, end, data.size()));
    }
    if (begin != expected) malformed(fmt::format("begins at byte {}, expected {}", begin, expected));
    expected = end;
    const auto* first = reinterpret_cast<const std::byte*>(data.data() + begin);
    tensor.bytes.assign(first, first + size);
    content.tensors.push_back(std::move(tensor));
  }
  if (expected != data.size()) fail(fmt::format("{} bytes belong to no tensor", data.size() - expected));
  if (const auto entry = content.metadata.find(kSealEntry); entry != content.metadata.end()) {
    content.seal = entry->second;
    content.metadata.erase(entry);
    if (seal_of(bytes) != content.seal)
      throw InputError({.file = file}, "is damaged: it is not as it was written, by its seal");
  }
  return content;
}

}  // namespace c2rl
