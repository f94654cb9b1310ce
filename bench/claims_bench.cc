// Random mixtures, every claim held against a solution in quadruple precision: claims_bench [instances] [seed] [first] [show].
// Prints what was claimed, what could have been, every claim that is false, and every true one that verification
// doubts; there should be none of either. `first` is the number of the first instance: one alone is `1 SEED NUMBER`.
// With a fourth argument, also what the standard solver left undecided although the truth is plain, and of one instance
// alone the points and constraints.

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "../tests/mix_claims.h"
#include "c2rl/base/error.h"
#include "c2rl/solve/solver_kinds.h"

namespace {

using namespace c2rl;
using namespace c2rl::claims;

const char* word(Expected expected) {
  return expected == Expected::feasible     ? "room"
         : expected == Expected::infeasible ? "out of reach"
                                            : "touching";
}

}  // namespace

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 20000;
  const auto seed = static_cast<std::uint64_t>(argc > 2 ? std::atoll(argv[2]) : 1);
  const int first = argc > 3 ? std::atoi(argv[3]) : 0;
  const bool show = argc > 4;
  const std::vector<const SolverKind*> kinds = solver_kinds().all();
  std::map<std::string, int> counts;
  int claims = 0, wrong = 0, doubted = 0, left_out = 0, round = 0;
  for (int i = first; i < first + count; ++i) {
    const Instance instance = make_instance(seed, static_cast<std::uint64_t>(i));
    // Seven of ten by the standard solver, the others in turn.
    const SolverKind& kind = i % 10 < 7 ? *kinds[0] : *kinds[static_cast<size_t>(i / 10) % kinds.size()];
    if (show && count == 1) {
      fmt::print("{}\n", fmt::join(instance.points.names, ","));
      for (const auto& point : instance.points.values.colwise())
        fmt::print("{:.17g}\n", fmt::join(point, ","));
      fmt::print("{}\n", fmt::join(instance.texts, "\n"));
    }
    Result result;
    try {
      std::vector<Constraint> constraints;
      for (const std::string& text : instance.texts)
        constraints.push_back(parse_constraint(text, instance.points.names));
      const Target target = make_target(instance.points.names, constraints);
      // ApproPO searches a cone with hundreds of projections a call, slow ones in thirty dimensions or on round sets.
      const bool standard = &kind == kinds[0], wide = instance.points.names.size() > 10;
      const int calls = standard ? 300 : wide ? 10 : !instance.rounds.empty() ? 30 : 300;
      result = mix(instance.points, target, kind.name,
                   {.tolerance = instance.tolerance, .max_oracle_calls = calls}, {});
    } catch (const InputError&) {
      ++left_out;
      continue;
    }
    ++claims;
    round += !instance.rounds.empty();
    const Truth truth = true_violation(instance);
    const Expected should = expected(instance, truth);
    // Thirty measurements with a spread of 3e4 and no offset.
    const bool wide = instance.family.starts_with("wide") && !instance.family.starts_with("wide far");
    const std::string solver = &kind == kinds[0] ? kind.name + (wide ? ", wide" : "") : "others";
    ++counts[fmt::format("{:<21} {:<13} {}", solver, word(should), to_string(result.status))];
    if (show && solver != "others" && should != Expected::either && result.status != Status::feasible &&
        result.status != Status::infeasible) {
      fmt::print("instance {} ({}): {} at {}\n", i, instance.family, to_string(result.status),
                 result.distance);
    }
    const std::string fault = false_claim(instance, result, truth);
    wrong += !fault.empty();
    if (!fault.empty()) fmt::print("instance {} ({}, {}): {}\n", i, instance.family, kind.name, fault);
    const std::vector<std::string> doubts = verify_mix(instance.points, result);
    doubted += !doubts.empty();
    for (const std::string& doubt : doubts)
      fmt::print("instance {} ({}, {}) is not verified: {}\n", i, instance.family, kind.name, doubt);
    std::fflush(stdout);
  }
  fmt::print("\n{:<21} {:<13} {:<15} {}\n", "solver", "truth", "status", "instances");
  for (const auto& [key, number] : counts) fmt::print("{:<51} {}\n", key, number);
  fmt::print(
      "\n{} instances, {} of them with round constraints, {} more left out for an empty target or one that "
      "the "
      "solver cannot take:\n{} false claims, {} true ones that verification doubts\n",
      claims, round, left_out, wrong, doubted);
  return wrong == 0 && doubted == 0 ? 0 : 1;
}
