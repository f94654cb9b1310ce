#include <array>
#include <cstring>
#include <limits>
#include <span>

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/base/json.h"
#include "c2rl/base/safetensors.h"
#include "c2rl/base/text.h"
#include "c2rl/offline/dataset.h"

// docs/datasets.md describes the format for other programs.

namespace c2rl {
namespace {

constexpr const char* kKind = "dataset";
constexpr const char* kVersion = "1";

template <typename T>
constexpr const char* kTypeName = nullptr;
template <>
constexpr const char* kTypeName<std::uint8_t> = "U8";
template <>
constexpr const char* kTypeName<int> = "I32";
template <>
constexpr const char* kTypeName<float> = "F32";
template <>
constexpr const char* kTypeName<double> = "F64";

/// The CRC-32 of zip, gzip and PNG, continued from that of the bytes before; 0 before the first.
std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before) {
  static const auto kTable = [] {
    constexpr std::uint32_t kPolynomial = 0xEDB88320;  // its bits reversed, as the register is
    std::array<std::uint32_t, 256> table;
    for (std::uint32_t i = 0; i < table.size(); ++i) {
      std::uint32_t rest = i;
      for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1) ^ ((rest & 1) != 0 ? kPolynomial : 0);
      table[i] = rest;
    }
    return table;
  }();
  std::uint32_t crc = ~before;
  for (const std::byte byte : bytes)
    crc = (crc >> 8) ^ kTable[(crc ^ std::to_integer<std::uint32_t>(byte)) & 0xFF];
  return ~crc;
}

std::string checksum(std::span<const Tensor> tensors) {
  std::uint32_t crc = 0;
  for (const Tensor& tensor : tensors) crc = crc32(tensor.bytes, crc);
  return fmt::format("{:08x}", crc);
}

template <typename T>
Tensor tensor(const char* name, std::span<const T> values, std::vector<std::int64_t> shape) {
  const auto bytes = std::as_bytes(values);
  return {name, kTypeName<T>, std::move(shape), {bytes.begin(), bytes.end()}};
}
template <typename T>
Tensor tensor(const char* name, const std::vector<T>& values) {
  return tensor(name, std::span<const T>(values), {std::ssize(values)});
}
/// The columns become the rows of what is stored row by row.
template <typename T>
Tensor tensor(const char* name, const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>& values) {
  return tensor(name, std::span<const T>(values.data(), static_cast<std::size_t>(values.size())),
                {values.cols(), values.rows()});
}

/// Takes the content of a file apart; whatever is missing or left over is an error.
class Reader {
 public:
  explicit Reader(const Safetensors& content) : content_(content), used_(content.tensors.size(), false) {}

  const std::string& text(const char* key) const {
    const auto found = content_.metadata.find(key);
    if (found == content_.metadata.end()) throw InputError({.field = key}, "missing from the metadata");
    return found->second;
  }
  double number(const char* key) const {
    const auto value = parse_number(text(key));
    if (!value) throw InputError({.field = key}, fmt::format("found '{}', expected a number", text(key)));
    return *value;
  }
  int integer(const char* key) const {
    const double value = number(key);
    if (!(value >= 0 && value <= std::numeric_limits<int>::max() && value == static_cast<int>(value)))
      throw InputError({.field = key}, fmt::format("found {}, expected a whole number", text(key)));
    return static_cast<int>(value);
  }
  std::vector<std::string> names(const char* key) const {
    const auto fail = [key] { throw InputError({.field = key}, "expected a JSON list of texts"); };
    Json list;
    try {
      list = parse_json(text(key));
    } catch (const InputError&) {
      fail();
    }
    if (!list.is_array()) fail();
    std::vector<std::string> all;
    for (const Json& entry : list) {
      if (!entry.is_string()) fail();
      all.push_back(entry.get<std::string>());
    }
    return all;
  }

  template <typename T>
  void take(const char* name, std::vector<T>& values) {
    const Tensor& found = find(name, kTypeName<T>, 1);
    values.resize(found.bytes.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), found.bytes.data(), found.bytes.size());
  }
  template <typename T>
  void take(const char* name, Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>& values) {
    const Tensor& found = find(name, kTypeName<T>, 2);
    if (found.bytes.empty()) throw InputError({.field = name}, "found no entries");
    values.resize(found.shape[1], found.shape[0]);
    std::memcpy(values.data(), found.bytes.data(), found.bytes.size());
  }
  void reject_rest() const {
    for (std::size_t i = 0; i < used_.size(); ++i) {
      if (!used_[i]) throw InputError({.field = content_.tensors[i].name}, "is no tensor of a dataset");
    }
  }

 private:
  const Tensor& find(const char* name, const std::string& type, std::size_t dimensions) {
    for (std::size_t i = 0; i < used_.size(); ++i) {
      const Tensor& tensor = content_.tensors[i];
      if (tensor.name != name) continue;
      if (tensor.type != type || tensor.shape.size() != dimensions) {
        throw InputError({.field = name}, fmt::format("found {} with {} dimensions, expected {} with {}",
                                                      tensor.type, tensor.shape.size(), type, dimensions));
      }
      used_[i] = true;
      return tensor;
    }
    throw InputError({.field = name}, "missing");
  }

  const Safetensors& content_;
  std::vector<bool> used_;
};

Dataset read(const Safetensors& content) {
  Reader reader(content);
  const auto kind = content.metadata.find("kind");
  if (kind == content.metadata.end() || kind->second != kKind) {
    throw InputError(fmt::format("not a dataset: its kind is '{}', expected '{}'",
                                 kind == content.metadata.end() ? "" : kind->second, kKind));
  }
  if (reader.text("version") != kVersion) {
    throw InputError({.field = "version"},
                     fmt::format("found {}, expected {}", reader.text("version"), kVersion));
  }
  if (const std::string found = checksum(content.tensors); found != reader.text("crc32")) {
    throw InputError({.field = "crc32"}, fmt::format("the tensors have {}, expected {}: the file is damaged",
                                                     found, reader.text("crc32")));
  }
  Dataset dataset;
  dataset.measurements = reader.names("measurements");
  dataset.discount = reader.number("discount");
  dataset.horizon = reader.integer("horizon");
  dataset.states = reader.integer("states");
  dataset.features = reader.integer("features");
  dataset.actions = reader.integer("actions");
  reader.take("probability", dataset.probability);
  reader.take("measurement", dataset.measurement);
  if (dataset.states > 0) {
    reader.take("state", dataset.state);
    reader.take("next_state", dataset.next_state);
  } else {
    reader.take("observation", dataset.observation);
    reader.take("next_observation", dataset.next_observation);
  }
  reader.take("action", dataset.action);
  reader.take("episode_begin", dataset.episode_begin);
  reader.take("terminated", dataset.terminated);
  reader.take("truncated", dataset.truncated);
  reader.reject_rest();
  validate(dataset);
  return dataset;
}

}  // namespace

Safetensors to_safetensors(const Dataset& dataset) {
  validate(dataset);
  Safetensors content;
  // Numbers of eight bytes first, single bytes last: every tensor is aligned.
  content.tensors = {tensor("probability", dataset.probability), tensor("measurement", dataset.measurement)};
  if (dataset.states > 0) {
    content.tensors.push_back(tensor("state", dataset.state));
    content.tensors.push_back(tensor("next_state", dataset.next_state));
  } else {
    content.tensors.push_back(tensor("observation", dataset.observation));
    content.tensors.push_back(tensor("next_observation", dataset.next_observation));
  }
  content.tensors.push_back(tensor("action", dataset.action));
  content.tensors.push_back(tensor("episode_begin", dataset.episode_begin));
  content.tensors.push_back(tensor("terminated", dataset.terminated));
  content.tensors.push_back(tensor("truncated", dataset.truncated));
  content.metadata = {{"kind", kKind},
                      {"version", kVersion},
                      {"measurements", to_text(Json(dataset.measurements))},
                      {"discount", fmt::format("{}", dataset.discount)},  // the shortest that reads back
                      {"horizon", std::to_string(dataset.horizon)},
                      {"states", std::to_string(dataset.states)},
                      {"features", std::to_string(dataset.features)},
                      {"actions", std::to_string(dataset.actions)},
                      {"crc32", checksum(content.tensors)}};
  return content;
}

void write_dataset(const std::string& path, const Dataset& dataset) {
  write_safetensors(path, to_safetensors(dataset));
}

Dataset read_dataset(const std::string& path) {
  return dataset_from(read_safetensors(path), path);
}

Dataset dataset_from(const Safetensors& content, const std::string& file) {
  try {
    return read(content);
  } catch (const InputError& error) {
    throw error.within({.file = file});
  }
}

}  // namespace c2rl
