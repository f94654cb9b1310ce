#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "c2rl/base/kinds.h"
#include "c2rl/solve/solver.h"

namespace c2rl {

/// A kind of solver with its own options settled: makes solvers.
struct SolverMaker {
  std::function<std::unique_ptr<Solver>(SetPtr target, const SolverOptions& options)> make;
  /// The best value of a linear objective inside the target, by a method of the kind's own; empty: by climbing (see
  /// make_maximizer).
  std::function<std::unique_ptr<Solver>(SetPtr target, const Vector& objective, const SolverOptions& options)>
      maximize = {};
};

/// How many policies a solver keeps at any time.
enum class Keeps {
  few,   // at most m + 1
  some,  // those with weight, however many; the others leave
  all,   // every one, unless a single one will do
  one,   // the latest
};

/// What decides where a kind of solver applies.
struct SolverTraits {
  Keeps keeps = Keeps::all;
  bool needs_one_point = false;           // a target of one point only
  bool needs_linear_constraints = false;  // a target with flat faces
  /// Its calls are stretches of one training run: each goes on from the last policy, none is asked again.
  bool trains_one_policy = false;
};

/// A kind of solver. Each is defined in the file of its solver, by `solver_kind` below.
struct SolverKind : KindInfo, SolverTraits {
  /// Reads its own keys of a [solver] section; without a section they have their defaults. The maker refuses
  /// targets that do not suit.
  std::function<SolverMaker(const Config* section)> configure = {};

  /// An UnsuitableTargetError where the target is not of the sort that the kind needs.
  void check_suits(const ConvexSet& target) const;
};
Kinds<SolverKind>& solver_kinds();

/// A solver by name, its own options at their defaults. An unknown name is an InputError that suggests the
/// nearest one, and a target the kind cannot take an UnsuitableTargetError.
std::unique_ptr<Solver> make_solver(const std::string& kind, SetPtr target, const SolverOptions& options);

/// What the traits of a kind mean, for listings: "at most m + 1 policies".
std::vector<std::string> trait_words(const SolverKind& kind);

/// A kind from its own options, a struct with `visit` (see OptionVisitor), and what makes a solver of them.
template <typename Own>
SolverKind solver_kind(
    std::string name, std::string summary, const SolverTraits& traits,
    std::function<std::unique_ptr<Solver>(SetPtr, const SolverOptions&, const Own&)> make,
    std::function<std::unique_ptr<Solver>(SetPtr, const Vector&, const SolverOptions&, const Own&)> maximize =
        {}) {
  SolverKind kind{{std::move(name), std::move(summary), list_options<Own>()}, traits};
  kind.configure = [kind, make = std::move(make), maximize = std::move(maximize)](const Config* section) {
    const Own own = section ? read_options<Own>(*section) : Own{};
    SolverMaker maker;
    maker.make = [kind, make, own](SetPtr target, const SolverOptions& options) {
      auto solver = make(std::move(target), options, own);
      kind.check_suits(solver->target());
      return solver;
    };
    if (maximize) {
      maker.maximize = [kind, maximize, own](SetPtr target, const Vector& objective,
                                             const SolverOptions& options) {
        auto solver = maximize(std::move(target), objective, options, own);
        kind.check_suits(solver->target());
        return solver;
      };
    }
    return maker;
  };
  return kind;
}

/// A kind without options of its own.
SolverKind solver_kind(std::string name, std::string summary, const SolverTraits& traits,
                       std::function<std::unique_ptr<Solver>(SetPtr, const SolverOptions&)> make);

}  // namespace c2rl
