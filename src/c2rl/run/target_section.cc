#include "c2rl/run/target_section.h"

#include <functional>

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/geometry/sets.h"

namespace c2rl {
namespace {

/// `numbers` under the key, one per measurement.
Vector read_vector(const Config& section, const std::string& key, int dim) {
  Vector v = section.vector(key);
  section.expect(v.size() == dim, key, fmt::format("{} numbers, one per measurement", dim));
  return v;
}

/// What a set's constructor finds wrong with its numbers, with the place of the section.
SetPtr build(const Config& section, const std::function<SetPtr()>& make) {
  try {
    return make();
  } catch (const InputError& error) {
    section.fail("kind", error.what());
  }
}

SetPtr read_set(const Config& section, int dim) {
  std::vector<std::string> names;
  for (const SetKind& kind : set_kinds()) names.push_back(kind.name);
  const std::string kind = section.choice("kind", names);
  if (kind == "point") {
    const Vector at = read_vector(section, "at", dim);
    return build(section, [&] { return point(at); });
  }
  if (kind == "box") {
    const Vector lower = read_vector(section, "lower", dim), upper = read_vector(section, "upper", dim);
    return build(section, [&] { return box(lower, upper); });
  }
  if (kind == "ball") {
    const Vector center = read_vector(section, "center", dim);
    const double radius = section.number("radius");
    return build(section, [&] { return ball(center, radius); });
  }
  if (kind == "simplex") {
    const double total = section.number("total", 1.0);
    return build(section, [&] { return simplex(dim, total); });
  }
  return build(section, [&] { return second_order_cone(dim); });
}

}  // namespace

const std::vector<SetKind>& set_kinds() {
  static const std::vector<SetKind> kinds = {
      {"point", "exactly these values: at"},
      {"box", "between bounds, which may be inf: lower, upper"},
      {"ball", "within a distance: center, radius"},
      {"simplex", "non-negative with a fixed sum: total"},
      {"second-order-cone", "the last measurement at least the norm of the others"},
  };
  return kinds;
}

Target read_target(const Config& section, const std::vector<std::string>& names) {
  std::vector<Constraint> constraints;
  const std::vector<std::string> texts = section.text_list("constraints", std::vector<std::string>{});
  constraints.reserve(texts.size());
  for (const std::string& text : texts)
    constraints.push_back(parse_constraint(text, names, section.place("constraints")));
  const bool has_set = section.has("set");
  if (texts.empty() && !has_set) {
    section.fail("constraints",
                 fmt::format("expected at least one, for example [\"{} <= 1\"]", names.front()));
  }
  Target target;
  try {
    target = make_target(names, std::move(constraints));
  } catch (const InputError& error) {
    section.fail("constraints", error.what());
  }
  if (!has_set) return target;

  const Config set_section = section.section("set");
  const SetPtr set = read_set(set_section, static_cast<int>(names.size()));
  try {
    target.set = texts.empty() ? set : intersection({target.set, set});
  } catch (const EmptySetError&) {
    set_section.fail("kind", "the target is empty: this set and the constraints share no point");
  }
  return target;
}

}  // namespace c2rl
