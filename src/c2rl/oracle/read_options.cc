#include "c2rl/oracle/read_options.h"

#include <cmath>

#include <fmt/format.h>

namespace c2rl {
namespace {

double read_number(const Config& section, const std::string& key, double fallback, bool (*good)(double),
                   const char* expected) {
  const double value = section.number(key, fallback);
  section.expect(good(value), key, expected);
  return value;
}

}  // namespace

std::int64_t read_at_least(const Config& section, const std::string& key, std::int64_t fallback,
                           std::int64_t lowest, std::int64_t highest) {
  const std::int64_t value = section.integer(key, fallback);
  section.expect(value >= lowest && value <= highest, key,
                 fmt::format("a whole number from {} to {}", lowest, highest));
  return value;
}

double read_part(const Config& section, const std::string& key, double fallback) {
  return read_number(
      section, key, fallback, [](double x) { return x >= 0 && x <= 1; }, "a number in [0, 1]");
}

double read_nonnegative(const Config& section, const std::string& key, double fallback) {
  return read_number(
      section, key, fallback, [](double x) { return x >= 0 && std::isfinite(x); }, "a number, 0 or more");
}

double read_positive(const Config& section, const std::string& key, double fallback) {
  return read_number(
      section, key, fallback, [](double x) { return x > 0 && std::isfinite(x); }, "a number above 0");
}

std::vector<int> read_widths(const Config& section, const std::string& key,
                             const std::vector<int>& fallback) {
  constexpr double kWidest = 1 << 13;
  Vector values(static_cast<Eigen::Index>(fallback.size()));
  for (std::size_t i = 0; i < fallback.size(); ++i) values[static_cast<Eigen::Index>(i)] = fallback[i];
  values = section.vector(key, values);
  std::vector<int> widths;
  for (const double value : values) {
    section.expect(value >= 1 && value <= kWidest && value == std::floor(value), key,
                   fmt::format("whole numbers from 1 to {}, the width of each hidden layer", kWidest));
    widths.push_back(static_cast<int>(value));
  }
  return widths;
}

Activation read_activation(const Config& section, Activation fallback) {
  const std::vector<std::string> names = {"relu", "tanh"};
  const std::string name = section.choice("activation", names, names[static_cast<std::size_t>(fallback)]);
  return name == "relu" ? Activation::relu : Activation::tanh;
}

Execution read_execution(const Config& section, Execution fallback) {
  const std::vector<std::string> names = {to_string(Execution::stochastic), to_string(Execution::greedy)};
  return execution_from_string(section.choice("execution", names, to_string(fallback)));
}

}  // namespace c2rl
