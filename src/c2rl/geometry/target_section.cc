#include "c2rl/geometry/target_section.h"

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/base/text.h"
#include "c2rl/geometry/set_kinds.h"
#include "c2rl/geometry/sets.h"

namespace c2rl {

Target read_target(const Config& section, const std::vector<std::string>& names, Constrained constrained,
                   const SetPtr& provided) {
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
  const SetKind& kind = set_kinds().named_in(set_section);
  const int dim = static_cast<int>(names.size());
  SetPtr set = provided;
  if (!provided) {
    set = kind.make(set_section, dim);
  } else if (provided->dim() != dim) {
    set_section.fail("kind", fmt::format("found a set of {} numbers, expected {}: {}", provided->dim(), dim,
                                         join(names, ", ")));
  } else {
    set_section.text("object", "");
  }
  try {
    target = intersect(std::move(target), set);
  } catch (const EmptySetError&) {
    set_section.fail("kind", "the target is empty: this set and the constraints share no point");
  }
  return target;
}

}  // namespace c2rl
