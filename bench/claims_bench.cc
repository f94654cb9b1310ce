// Random mixtures, every claim held against a solution in quadruple precision: claims_bench [instances] [seed].
// Prints what was claimed, what could have been, and every claim that is false, of which there should be none.

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include <fmt/format.h>

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
  const std::vector<const SolverKind*> kinds = solver_kinds().all();
  std::map<std::string, int> counts;
  int claims = 0, wrong = 0, empty = 0, round = 0;
  for (int i = 0; i < count; ++i) {
    const Instance instance = make_instance(seed, static_cast<std::uint64_t>(i));
    // Seven of ten by the standard solver, the others in turn.
    const SolverKind& kind = i % 10 < 7 ? *kinds[0] : *kinds[static_cast<size_t>(i / 10) % kinds.size()];
    Result result;
    try {
      std::vector<Constraint> constraints;
      for (const std::string& text : instance.texts)
        constraints.push_back(parse_constraint(text, instance.points.names));
      const Target target = make_target(instance.points.names, constraints);
      result = mix(instance.points, target, kind.name,
                   {.tolerance = instance.tolerance, .max_oracle_calls = 300}, {});
    } catch (const UnsuitableTargetError&) {
      continue;
    } catch (const InputError&) {
      ++empty;
      continue;
    }
    ++claims;
    round += !instance.rounds.empty();
    const Truth truth = true_violation(instance);
    const Expected should = expected(instance, truth);
    const bool standard = &kind == kinds[0];
    ++counts[fmt::format("{:<15} {:<13} {}", standard ? kind.name : "others", word(should),
                         to_string(result.status))];
    std::string fault = false_claim(instance, result, truth);
    if (fault.empty()) {
      for (const std::string& found : verify_mix(instance.points, result))
        fault += "not verified: " + found + "; ";
    }
    if (fault.empty()) continue;
    ++wrong;
    std::fflush(stdout);
    fmt::print("instance {} ({}, {}): {}\n", i, instance.family, kind.name, fault);
  }
  fmt::print("\n{:<15} {:<13} {:<15} {}\n", "solver", "truth", "status", "instances");
  for (const auto& [key, number] : counts) fmt::print("{:<45} {}\n", key, number);
  fmt::print(
      "\n{} instances, {} of them with round constraints, {} left out for an empty target: {} false claims\n",
      claims, round, empty, wrong);
  return wrong == 0 ? 0 : 1;
}
