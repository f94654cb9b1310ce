#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "c2rl/base/text.h"
#include "c2rl/environments/drn.h"
#include "c2rl/geometry/target.h"
#include "c2rl/run/points.h"
#include "c2rl/run/problem.h"
#include "expect.h"
#include "targets.h"

namespace c2rl {
namespace {

void expect_sound(const Constraint& constraint) {
  for (const LinearRange& range : constraint.ranges) {
    const auto& normal = range.normal;
    const auto first = std::find_if(normal.begin(), normal.end(), [](double c) { return c != 0; });
    expect(normal.allFinite() && first != normal.end() && *first > 0, "a normal that is finite and not zero");
    expect(range.lower <= range.upper, "bounds in their order");
  }
  for (const NormBound& bound : constraint.norms) {
    expect(bound.a.allFinite() && bound.b.allFinite() && !bound.a.isZero(0), "a norm of something");
    expect(bound.radius >= 0 && std::isfinite(bound.radius), "a radius");
  }
}

/// Large enough for every option to matter, small enough that thousands of worlds and networks take no time.
constexpr double kLargestSize = 100;

/// Whether a value, as TOML, has a number that could be the size of something large.
bool asks_for_much(const std::string& value) {
  if (value.starts_with('"')) return false;
  std::string numbers = value;
  std::ranges::replace_if(
      numbers, [](char c) { return c == '[' || c == ']' || c == ','; }, ' ');
  std::string_view rest = trim(numbers);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    const auto number = parse_number(rest.substr(0, end));
    if (!number || !(std::abs(*number) <= kLargestSize)) return true;
    rest = trim(rest.substr(end));
  }
  return false;
}

/// No kind that reads other files, or starts anything.
bool is_small_world(const Config& config) {
  static const std::set<std::string> kEnvironments = {"\"grid\"",
                                                      "\"garnet\"",
                                                      "\"cart-pole\"",
                                                      "\"pendulum\"",
                                                      "\"mountain-car\"",
                                                      "\"point-robot\"",
                                                      "\"mars-rover\"",
                                                      "\"worst-case\"",
                                                      "\"deep-sea-treasure\"",
                                                      "\"rock-paper-scissors\""};
  static const std::set<std::string> kOracles = {"\"dynamic-programming\"", "\"q-learning\"", "\"a2c\"",
                                                 "\"ppo\""};
  for (const auto& [key, value] : config.values()) {
    if (key == "environment.kind" && !kEnvironments.contains(value)) return false;
    if (key == "oracle.kind" && !kOracles.contains(value)) return false;
    if (asks_for_much(value)) return false;
  }
  return true;
}

std::string quoted(const std::string& field) {
  std::string text = "\"";
  for (const char c : field) text += c == '"' ? "\"\"" : std::string(1, c);
  return text + "\"";
}

std::string to_csv(const Points& points) {
  std::string text = "id";
  for (const std::string& name : points.names) {
    text += "," + quoted(name);
    if (points.has_standard_errors) text += "," + quoted(name + "_se");
  }
  for (Eigen::Index column = 0; column < points.values.cols(); ++column) {
    text += "\n" + quoted(points.ids[static_cast<std::size_t>(column)]);
    for (Eigen::Index row = 0; row < points.values.rows(); ++row) {
      text += fmt::format(",{}", points.values(row, column));
      if (points.has_standard_errors) text += fmt::format(",{}", points.standard_errors(row, column));
    }
  }
  return text + "\n";
}

}  // namespace

int fuzz_constraint(const std::uint8_t* bytes, std::size_t size) {
  static const std::vector<std::string> kNames = {"a", "b", "steps", "name with spaces"};
  return refused_or([&] {
    const Constraint constraint = parse_constraint(text_of(bytes, size), kNames);
    expect_sound(constraint);
    const Vector x{{1, -2, 0.5, 3}};
    expect(!std::isnan(constraint.violation(x)), "a violation");
    expect(!std::isnan(constraint.excess(x, x.cwiseAbs()).amount), "an excess");
    const Target target = make_target(kNames, {constraint});
    expect(target.set->dim() == std::ssize(kNames), "a set over all measurements");
  });
}

int fuzz_problem(const std::uint8_t* bytes, std::size_t size) {
  return refused_or([&] {
    const Config config = Config::parse(text_of(bytes, size), "fuzz.toml");
    if (!is_small_world(config)) return;
    const Problem problem = read_problem(config);
    const Problem again =
        read_again([&] { return read_problem(Config::parse(problem.resolved, "resolved.toml")); });
    expect(again.resolved == problem.resolved, "the same problem again");
    expect(problem.target.set->dim() == problem.world.dim(), "a target over the measurements of the world");
  });
}

int fuzz_points(const std::uint8_t* bytes, std::size_t size) {
  return refused_or([&] {
    const Points points = parse_points(text_of(bytes, size), "fuzz.csv");
    expect(points.values.allFinite() && points.standard_errors.allFinite(), "finite numbers");
    expect(points.values.rows() == std::ssize(points.names), "a row a name");
    expect(points.values.cols() == std::ssize(points.ids), "a column an id");
    expect(std::set(points.ids.begin(), points.ids.end()).size() == points.ids.size(), "ids all different");
    const Points again = read_again([&] { return parse_points(to_csv(points), "again.csv"); });
    expect(again.names == points.names && again.ids == points.ids, "the same names again");
    expect(again.values == points.values && again.standard_errors == points.standard_errors,
           "the same numbers again");
  });
}

int fuzz_drn(const std::uint8_t* bytes, std::size_t size) {
  int status = -1;
  for (const ModelEnds& ends : {ModelEnds{}, ModelEnds{.terminal_label = "done", .reached = true}}) {
    const int read = refused_or([&] {
      TabularModel model = parse_drn(text_of(bytes, size), "fuzz.drn", ends);
      model.horizon = 10;
      validate(model);
      const std::string written = to_drn(model);
      const TabularModel again = read_again([&] { return parse_drn(written, "again.drn"); });
      expect(to_drn(again) == written, "the same model again");
    });
    status = std::max(status, read);
  }
  return status;
}

}  // namespace c2rl
