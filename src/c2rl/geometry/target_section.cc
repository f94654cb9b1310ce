#include "c2rl/geometry/target_section.h"

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/geometry/set_kinds.h"
#include "c2rl/geometry/sets.h"

namespace c2rl {

Target read_target(const Config& section, const std::vector<std::string>& names, Constrained constrained) {
  std::vector<Constraint> constraints;
  const std::vector<std::string> texts = section.text_list("constraints", std::vector<std::string>{});
  constraints.reserve(texts.size());
  for (const std::string& text : texts)
    constraints.push_back(parse_constraint(text, names, section.place("constraints")));
  const bool has_set = section.has("set");
  if (texts.empty() && !has_set && constrained == Constrained::yes) {
    section.fail("constraints",
                 fmt::format("expected at least one, for example [\"{} <= 1\"]", names.front()));
  }
  Target target;
  try {
    target = make_target(names, std::move(constraints));
  } catch (const InputError& error) {
    section.fail("constraints", error);
  }
  if (!has_set) return target;

  const Config set_section = section.section("set");
  const SetPtr set = set_kinds().named_in(set_section).make(set_section, static_cast<int>(names.size()));
  try {
    target = intersect(std::move(target), set);
  } catch (const EmptySetError&) {
    set_section.fail("kind", "the target is empty: this set and the constraints share no point");
  }
  return target;
}

}  // namespace c2rl
