#include "c2rl/base/json.h"

#include <cmath>

#include "c2rl/base/error.h"

namespace c2rl {

Json to_json(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json to_json(const Vector& v) {
  Json array = Json::array();
  for (const double value : v) array.push_back(to_json(value));
  return array;
}

Vector vector_from_json(const Json& value, const std::string& field) {
  if (!value.is_array()) throw InputError({.field = field}, "expected an array of numbers");
  Vector v(static_cast<Eigen::Index>(value.size()));
  for (size_t i = 0; i < value.size(); ++i) {
    if (!value[i].is_number()) throw InputError({.field = field}, "expected an array of numbers");
    v[static_cast<Eigen::Index>(i)] = value[i].get<double>();
  }
  return v;
}

}  // namespace c2rl
