#include "c2rl/oracle/oracle_kinds.h"

#include <cmath>

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/base/text.h"

namespace c2rl {

OracleKind dynamic_programming_kind();
OracleKind partitioned_planning_kind();
OracleKind q_learning_kind();
OracleKind a2c_kind();
OracleKind ppo_kind();
OracleKind dqn_kind();
OracleKind sac_kind();
OracleKind ddqn_kind();
OracleKind command_kind();
OracleKind python_oracle_kind();

Kinds<OracleKind>& oracle_kinds() {
  static Kinds<OracleKind> kinds(
      "oracle", {dynamic_programming_kind(), partitioned_planning_kind(), q_learning_kind(), a2c_kind(),
                 ppo_kind(), dqn_kind(), sac_kind(), ddqn_kind(), command_kind(), python_oracle_kind()});
  return kinds;
}

namespace {

/// What the kind needs and the world has not; empty where it suits.
std::string lacking(const OracleKind& kind, const World& world) {
  if (kind.needs_parts && !world.part)
    return "needs a model in parts, environment.partitioned = true; this one is none";
  if (kind.needs_parts) return "";
  if (world.part) return "cannot use a model in parts";
  if (kind.brings_world && world.can_be_acted_in())
    return "acts in a world of its own, which environment.kind = \"external\" stands for";
  if (!kind.brings_world && !world.can_be_acted_in())
    return "needs an environment that it can act in; in this one only a program of its own can";
  if (kind.needs_numbered_actions && world.controls > 0)
    return "needs an environment with numbered actions; those of this one are real numbers";
  if (kind.needs_controls && world.controls == 0)
    return "needs an environment whose actions are real numbers; those of this one are numbered";
  if (kind.needs_model && !world.model)
    return "needs an environment with finitely many states; this one can only be acted in";
  if (kind.needs_numbered_states && world.features > 0)
    return "needs an environment with numbered states; this one shows features";
  return "";
}

}  // namespace

void OracleKind::check_suits(const Config& section, const World& world) const {
  const std::string lack = lacking(*this, world);
  if (lack.empty()) return;
  std::vector<std::string> suitable;
  for (const OracleKind* other : oracle_kinds().all()) {
    if (lacking(*other, world).empty()) suitable.push_back(other->name);
  }
  section.fail("kind", suitable.empty() ? lack : lack + ", for which there is " + join(suitable, " or "));
}

std::unique_ptr<Oracle> make_oracle(const OracleKind& kind, const Config& section, const World& world,
                                    const OracleDefaults& defaults) {
  kind.check_suits(section, world);
  try {
    return kind.make(section, world, defaults);
  } catch (const InputError& error) {
    if (!error.place().file.empty()) throw;
    section.fail("kind", error);
  }
}

std::vector<std::string> trait_words(const OracleKind& kind) {
  std::vector<std::string> words = {kind.exact ? "its certificates are proofs"
                                               : "its certificates are evidence"};
  if (kind.needs_model) words.emplace_back("needs a model");
  if (kind.needs_parts) words.emplace_back("needs a model in parts: environment.partitioned = true");
  if (kind.needs_dataset) words.emplace_back("needs a dataset");
  if (kind.needs_numbered_states) words.emplace_back("needs numbered states");
  if (kind.needs_controls) words.emplace_back("needs actions that are real numbers");
  if (kind.brings_world)
    words.emplace_back("brings a world of its own: needs environment.kind = \"external\"");
  if (std::isfinite(kind.time_limit))
    words.push_back(fmt::format("its time_limit is {} unless given", format_number(kind.time_limit)));
  if (kind.can_go_on) words.emplace_back("training can go on from a policy found earlier");
  return words;
}

}  // namespace c2rl
