#include "target.h"

#include "c2rl/base/error.h"

namespace c2rl::python {

Target make_target_of(const std::vector<std::string>& names, const std::vector<std::string>& constraints,
                      const std::optional<SetHandle>& set) {
  std::vector<Constraint> parsed;
  parsed.reserve(constraints.size());
  for (const std::string& text : constraints)
    parsed.push_back(parse_constraint(text, names, {.field = "constraints"}));
  Target target = make_target(names, std::move(parsed));
  return set ? intersect(std::move(target), set->set) : target;
}

std::optional<Objective> make_objective(const std::vector<std::string>& names,
                                        const std::optional<std::string>& maximize,
                                        const std::optional<std::string>& minimize) {
  if (maximize && minimize) {
    throw InputError({.field = "minimize"},
                     "found beside maximize, expected one of them: to maximize both, add them up, as in "
                     "maximize=\"a - b\"");
  }
  if (!maximize && !minimize) return std::nullopt;
  const Sense sense = maximize ? Sense::maximize : Sense::minimize;
  return Objective{parse_linear(maximize ? *maximize : *minimize, names, {.field = sense_names().of(sense)}),
                   sense};
}

}  // namespace c2rl::python
