#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "c2rl/base/vector.h"

namespace c2rl {

/// Keeps the order in which fields were written, so that files read as they were composed.
using Json = nlohmann::ordered_json;

/// The value that a text holds. An InputError says where it is not JSON, or that it is nested deeper than
/// anything of ours: no nesting can exhaust the stack. Reading and writing are compiled here, once.
Json parse_json(std::string_view text);
/// On one line, or on many with so many blanks before what lies deeper. What is no UTF-8 is replaced.
std::string to_text(const Json& value, int indent = -1);

/// JSON has no infinity and no NaN: they are written as the texts "inf", "-inf" and "nan", and so read back.
Json to_json(double value);
Json to_json(const Vector& v);

/// What to_json wrote; `field` names it in the InputError when it is something else.
double number_from_json(const Json& value, const std::string& field);
Vector vector_from_json(const Json& value, const std::string& field);

/// Reads the fields of an object; what is missing or of another type is an InputError that names it.
class JsonObject {
 public:
  /// `name` stands before the names of the fields in errors: "certificate." for one.
  explicit JsonObject(const Json& json, std::string name = "");

  bool has(const std::string& field) const { return json_.contains(field) && !json_.at(field).is_null(); }
  const Json& at(const std::string& field) const;
  double number(const std::string& field) const { return number_from_json(at(field), name_ + field); }
  std::int64_t integer(const std::string& field) const;
  bool boolean(const std::string& field) const;
  std::string text(const std::string& field) const;
  std::vector<std::string> texts(const std::string& field) const;
  Vector vector(const std::string& field) const { return vector_from_json(at(field), name_ + field); }

 private:
  const Json& json_;
  std::string name_;
};

}  // namespace c2rl
