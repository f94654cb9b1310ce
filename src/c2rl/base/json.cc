#include "c2rl/base/json.h"

#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "c2rl/base/error.h"

namespace c2rl {
namespace {

[[noreturn]] void fail(const std::string& field, const std::string& expected, const Json& found) {
  constexpr std::size_t kLongest = 60;
  std::string text = to_text(found);
  if (text.size() > kLongest) text = text.substr(0, kLongest) + "...";
  throw InputError({.field = field}, fmt::format("found {}, expected {}", text, expected));
}

}  // namespace

Json parse_json(std::string_view text) {
  constexpr int kDeepest = 32;
  const auto shallow = [](int depth, nlohmann::detail::parse_event_t, Json&) {
    if (depth > kDeepest) throw InputError("is nested too deep");
    return true;
  };
  try {
    return Json::parse(text, shallow);
  } catch (const Json::exception& error) {
    throw InputError(fmt::format("is not JSON: {}", error.what()));
  }
}

std::string to_text(const Json& value, int indent) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

Json to_json(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

Json to_json(const Vector& v) {
  Json array = Json::array();
  for (const double value : v) array.push_back(to_json(value));
  return array;
}

double number_from_json(const Json& value, const std::string& field) {
  if (value.is_number()) return value.get<double>();
  if (value == "inf") return kInfinity;
  if (value == "-inf") return -kInfinity;
  if (value == "nan") return std::nan("");
  fail(field, "a number", value);
}

Vector vector_from_json(const Json& value, const std::string& field) {
  if (!value.is_array()) fail(field, "an array of numbers", value);
  Vector v(static_cast<Eigen::Index>(value.size()));
  for (size_t i = 0; i < value.size(); ++i)
    v[static_cast<Eigen::Index>(i)] = number_from_json(value[i], field);
  return v;
}

JsonObject::JsonObject(const Json& json, std::string name) : json_(json), name_(std::move(name)) {
  if (!json.is_object()) fail(name_, "an object", json);
}

const Json& JsonObject::at(const std::string& field) const {
  if (!json_.contains(field)) throw InputError({.field = name_ + field}, "missing");
  return json_.at(field);
}

std::int64_t JsonObject::integer(const std::string& field) const {
  const Json& value = at(field);
  const bool too_large =
      value.is_number_unsigned() && value.get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max();
  if (!value.is_number_integer() || too_large) fail(name_ + field, "a whole number below 2^63", value);
  return value.get<std::int64_t>();
}

bool JsonObject::boolean(const std::string& field) const {
  const Json& value = at(field);
  if (!value.is_boolean()) fail(name_ + field, "true or false", value);
  return value.get<bool>();
}

std::string JsonObject::text(const std::string& field) const {
  const Json& value = at(field);
  if (!value.is_string()) fail(name_ + field, "a text", value);
  return value.get<std::string>();
}

std::vector<std::string> JsonObject::texts(const std::string& field) const {
  const Json& value = at(field);
  if (!value.is_array()) fail(name_ + field, "a list of texts", value);
  std::vector<std::string> all;
  for (const Json& entry : value) {
    if (!entry.is_string()) fail(name_ + field, "a list of texts", value);
    all.push_back(entry.get<std::string>());
  }
  return all;
}

}  // namespace c2rl
