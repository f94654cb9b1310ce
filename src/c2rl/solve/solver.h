#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "c2rl/base/error.h"
#include "c2rl/base/vector.h"
#include "c2rl/geometry/convex_set.h"
#include "c2rl/solve/certificate.h"
#include "c2rl/solve/mixture.h"

namespace c2rl {

/// How a solve ended.
enum class Status {
  running,
  feasible,    // the mixture is in the target, to the tolerance
  infeasible,  // certified: no mixture can be nearer to the target than the lower bound, which is positive
  converged,   // the gap between distance and lower bound is closed, but the bound decides nothing by itself
  budget,      // the oracle calls are used up
  oracle_failed,  // the oracle's answers no longer change anything although the gap is open
};
std::string to_string(Status status);

/// What an oracle said for a direction.
struct Answer {
  Vector point;      // J of the policy it found
  double slack = 0;  // how far above the smallest direction.J it may be, for a direction of length 1
  Grade grade = Grade::proof;  // whether point and slack are known, or estimated
  Vector standard_error = {};  // of the point's entries; empty where it is exact
};

/// One major cycle, as it stood after `tell`.
struct Cycle {
  int call = 0;                     // from 1
  int atom = 0;                     // id of the answer's atom: the call that first gave this point
  bool is_new = false;              // the answer was not among the atoms held before
  std::vector<int> dropped;         // ids of the atoms that left the mixture
  int atoms = 0;                    // atoms held now: policies that must be stored
  double distance = 0;              // of the mixture to the target
  double distance_lower_bound = 0;  // of any mixture to the target; the best so far
  double error_bound = 0;           // how far 1/2 distance^2 can be above the optimum at most
};

/// What only `appropo` knows; the defaults are those of its paper.
struct AppropoOptions {
  /// Height at which the target is set to make a cone of it. The published value.
  double kappa = 20;
  /// Part of the last step that is taken again, from 0 to below 1. Its public code has 0.9, its paper none.
  double momentum = 0;
  /// Play a stored policy that answers the current direction well enough, instead of asking the oracle.
  bool cache = false;
  /// Stored policies that meet the target together can be played for ever, each round improving a little:
  /// after so many rounds in a row the oracle is asked all the same.
  int max_cache_rounds = 1000;
};

/// What only `lagrangian` knows.
struct LagrangianOptions {
  /// B: the multipliers, with one for the slack, sum to this. What the constraints are worth at most: with
  /// less than the best multipliers sum to, the mixture stays outside the target. The published value.
  double multiplier_bound = 30;
  /// Step of the multipliers in round t: eta / (scale sqrt(t)), the scale being the largest |G - tau| so far.
  /// So that neither the units of the constraints nor the number of rounds need be known beforehand.
  double eta = 3;
  /// Duality gap at which the game ends, in units of the objective. The published value.
  double gap = 0.01;
};

/// What only `rcpo` knows.
struct RcpoOptions {
  /// How far a multiplier moves per call and unit of violation: slowly against the training between calls.
  double step = 0.1;
};

struct SolverOptions {
  /// Distance at which the mixture counts as inside the target, and gap (distance minus lower bound) at which
  /// it counts as nearest.
  double tolerance = 1e-6;
  /// Oracle calls are the expensive thing (an RL run each): stop after this many.
  int max_oracle_calls = 1000;
  /// What the first call minimises, when there is no mixture yet. Default: the outward normals of the
  /// target's bounds, where finite, else ones. Zero, which leaves the first answer to the oracle's tie rule,
  /// is what the paper's x0 = 0 asks when 0 is in the target.
  std::optional<Vector> first_direction = {};
  /// Read by the kind of solver they belong to; without them it takes its defaults.
  std::variant<std::monostate, AppropoOptions, LagrangianOptions, RcpoOptions> own = {};
};

/// The kind of solver cannot work with this target, whatever its options.
class UnsuitableTargetError : public InputError {
 public:
  using InputError::InputError;
};

/// Finds a mixture of oracle answers that meets a convex target as well as possible. Knows points of R^m
/// only; never calls the oracle itself:
///
///   while (auto direction = solver->ask()) solver->tell(oracle.minimize(*direction));
///
/// Public methods check and keep the books; a kind of solver says what to ask next and what to do with the
/// answer.
class Solver {
 public:
  virtual ~Solver() = default;
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  /// The next direction to minimise, of length 1 (or the first direction as given); nothing once ended.
  std::optional<Vector> ask() const;

  /// The oracle's answer for the direction asked. One major cycle.
  Cycle tell(const Answer& answer);

  const Mixture& mixture() const { return mixture_; }
  /// The atoms that are, or may yet come back, in the mixture: their policies must be kept.
  virtual std::vector<int> needed() const { return mixture_.ids; }
  Status status() const { return status_; }
  int calls() const { return calls_; }
  /// Most atoms held at the end of any cycle.
  int atoms_max() const { return atoms_max_; }
  double distance() const { return gradient_.norm(); }
  /// How far 1/2 distance^2 of the mixture can be above that of the best one.
  double error_bound() const;
  const Certificate& certificate() const { return certificate_; }
  const ConvexSet& target() const { return *target_; }
  const SolverOptions& options() const { return options_; }

 protected:
  Solver(SetPtr target, SolverOptions options);

  /// lambda = x - Proj(x): the gradient of 1/2 dist^2 at the mixture's point.
  const Vector& gradient() const { return gradient_; }
  /// omega = Proj(x).
  const Vector& projection() const { return projection_; }

  /// Takes the new mixture and looks where it is.
  void move_to(Mixture mixture);
  /// The oracle's answer for the gradient's direction bounds the distance from below; keeps the best bound.
  void certify(const Answer& answer) { certify(gradient_, projection_, answer); }
  /// The same for the direction of any normal to the target, `farthest` being the point it is normal at.
  void certify(const Vector& normal, const Vector& farthest, const Answer& answer);
  /// A certificate found by someone else for the same target.
  void adopt(const Certificate& certificate) { certificate_ = certificate; }
  void end(Status status) { status_ = status; }
  bool out_of_calls() const { return calls_ >= options_.max_oracle_calls; }

  /// What distances at the current point can be told apart to, and the tolerance where that is larger.
  double rounding() const;
  /// What of an answer, along the gradient's direction, may be chance.
  double noise(const Answer& answer) const;
  double tolerance() const;

  SetPtr target_;

 private:
  /// What to ask while running, of length 1.
  virtual Vector next_direction() const = 0;
  /// Does everything with an answer: moves, certifies, ends. The answer is atom `id`, which is in the mixture
  /// already unless `is_new`.
  virtual void take(const Answer& answer, int id, bool is_new) = 0;

  /// Whether an answer that measures the same as an atom is that atom: its policy need not be stored again.
  virtual bool merges_duplicates() const { return true; }

  /// An answer beyond what the certificate says is achievable refutes as much of it: an estimating oracle may
  /// have missed a policy that it finds later.
  void weaken_certificate(const Vector& point);

  SolverOptions options_;
  Mixture mixture_;
  Vector projection_;
  Vector gradient_;
  Certificate certificate_;
  Status status_ = Status::running;
  int calls_ = 0;
  int atoms_max_ = 0;
};

/// A kind of solver, for the command line and problem files.
struct SolverKind {
  std::string name;
  std::string summary;
};
const std::vector<SolverKind>& solver_kinds();

/// A solver by name; an unknown name is an InputError that suggests the nearest one, and a target the kind
/// cannot take an UnsuitableTargetError.
std::unique_ptr<Solver> make_solver(const std::string& kind, SetPtr target, const SolverOptions& options);

}  // namespace c2rl
