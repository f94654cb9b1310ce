#include "c2rl/solve/solver_kinds.h"

#include <fmt/format.h>

namespace c2rl {

/// Each is defined beside its solver.
SolverKind corrective_mnp_kind();
SolverKind modified_mnp_kind();
SolverKind wolfe_mnp_kind();
SolverKind pairwise_kind();
SolverKind away_step_kind();
SolverKind cg_line_search_kind();
SolverKind cg_kind();
SolverKind appropo_kind();
SolverKind lagrangian_kind();
SolverKind rcpo_kind();

Kinds<SolverKind>& solver_kinds() {
  static Kinds<SolverKind> kinds("solver", {
                                               corrective_mnp_kind(),
                                               modified_mnp_kind(),
                                               wolfe_mnp_kind(),
                                               pairwise_kind(),
                                               away_step_kind(),
                                               cg_line_search_kind(),
                                               cg_kind(),
                                               appropo_kind(),
                                               lagrangian_kind(),
                                               rcpo_kind(),
                                           });
  return kinds;
}

namespace {

struct NoOptions {
  void visit(OptionVisitor& /*visitor*/) {}
};

}  // namespace

SolverKind solver_kind(std::string name, std::string summary, const SolverTraits& traits,
                       std::function<std::unique_ptr<Solver>(SetPtr, const SolverOptions&)> make) {
  return solver_kind<NoOptions>(
      std::move(name), std::move(summary), traits,
      [make = std::move(make)](SetPtr target, const SolverOptions& options, const NoOptions&) {
        return make(std::move(target), options);
      });
}

void SolverKind::check_suits(const ConvexSet& target) const {
  const auto need = [&](bool has, const char* what) {
    if (has) return;
    throw UnsuitableTargetError(fmt::format("solver '{}' needs {}; '{}' takes any target", name, what,
                                            solver_kinds().standard().name));
  };
  if (needs_one_point) {
    const Bounds bounds = target.bounds();
    need(bounds.lower == bounds.upper, "a target of one point (an equation for every measurement)");
  }
  if (needs_linear_constraints) need(target.is_polyhedral(), "a target with flat faces (linear constraints)");
}

std::unique_ptr<Solver> make_solver(const std::string& kind, SetPtr target, const SolverOptions& options) {
  return solver_kinds().find(kind).configure(nullptr).make(std::move(target), options);
}

std::vector<std::string> trait_words(const SolverKind& kind) {
  std::vector<std::string> words;
  switch (kind.keeps) {
    case Keeps::few:
      words.emplace_back("at most m + 1 policies");
      break;
    case Keeps::some:
      words.emplace_back("drops policies without weight");
      break;
    case Keeps::all:
      words.emplace_back("keeps every policy");
      break;
    case Keeps::one:
      words.emplace_back("one policy");
      break;
  }
  if (kind.trains_one_policy) words.emplace_back("each call goes on training the last policy");
  if (kind.needs_one_point) words.emplace_back("targets of one point only");
  if (kind.needs_linear_constraints) words.emplace_back("targets with flat faces only");
  return words;
}

}  // namespace c2rl
