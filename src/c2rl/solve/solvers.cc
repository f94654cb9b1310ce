#include "c2rl/solve/solvers.h"

#include "c2rl/base/error.h"
#include "c2rl/base/text.h"

namespace c2rl {
namespace {

struct Entry {
  SolverKind kind;
  std::unique_ptr<Solver> (*make)(SetPtr, const SolverOptions&);
};

const std::vector<Entry>& registry() {
  static const std::vector<Entry> entries = {
      {{"corrective-mnp",
        "solves the whole correction between two oracle calls; at most m + 1 policies (default)"},
       corrective_mnp},
      {{"modified-mnp", "the paper's Algorithm 2; at most m + 1 policies, may stall"}, modified_mnp},
      {{"wolfe-mnp", "Wolfe's minimum-norm-point method; targets of one point only"}, wolfe_mnp},
      {{"pairwise", "conditional gradient with pairwise steps"}, pairwise},
      {{"away-step", "conditional gradient with away steps"}, away_step},
      {{"cg-line-search", "conditional gradient with exact line search; keeps every policy"}, cg_line_search},
      {{"cg", "conditional gradient with step 2/(t+1), the paper's Algorithm 1; keeps every policy"}, cg},
      {{"appropo", "Miryoosefi et al. 2019: online gradient over a cone; keeps every policy"}, appropo},
      {{"lagrangian", "Le et al. 2019: multipliers by exponentiated gradient; targets with flat faces only"},
       lagrangian},
      {{"rcpo", "Tessler et al. 2018: one policy trained on under slow multipliers; flat faces only"}, rcpo},
  };
  return entries;
}

}  // namespace

const std::vector<SolverKind>& solver_kinds() {
  static const std::vector<SolverKind> kinds = [] {
    std::vector<SolverKind> all;
    for (const Entry& entry : registry()) all.push_back(entry.kind);
    return all;
  }();
  return kinds;
}

std::unique_ptr<Solver> make_solver(const std::string& kind, SetPtr target, const SolverOptions& options) {
  std::vector<std::string> names;
  for (const Entry& entry : registry()) {
    if (entry.kind.name == kind) return entry.make(std::move(target), options);
    names.push_back(entry.kind.name);
  }
  throw InputError({.field = "solver"}, unknown_name_message("solver", kind, names));
}

}  // namespace c2rl
