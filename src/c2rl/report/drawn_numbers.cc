#include "c2rl/report/drawn_numbers.h"

#include <cmath>

#include <fmt/format.h>

#include "c2rl/base/text.h"

namespace c2rl {

Json drawn(double value) {
  if (!std::isfinite(value)) return nullptr;
  if (std::abs(value) < 1e15 && value == std::floor(value)) return static_cast<std::int64_t>(value);
  return parse_number(fmt::format("{:.7g}", value)).value_or(value);
}

Json drawn(const Vector& values) {
  Json json = Json::array();
  for (const double value : values) json.push_back(drawn(value));
  return json;
}

Json drawn(const std::vector<double>& values) {
  Json json = Json::array();
  for (const double value : values) json.push_back(drawn(value));
  return json;
}

}  // namespace c2rl
