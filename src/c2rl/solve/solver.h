#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "c2rl/base/enum_names.h"
#include "c2rl/base/error.h"
#include "c2rl/base/options.h"
#include "c2rl/base/vector.h"
#include "c2rl/geometry/convex_set.h"
#include "c2rl/solve/certificate.h"
#include "c2rl/solve/mixture.h"

namespace c2rl {

/// How a solve ended.
enum class Status {
  running,
  feasible,       // the mixture is in the target, to the tolerance
  optimal,        // the same, and no mixture in the target has more of the objective, to the tolerance
  infeasible,     // proven: no mixture can be nearer to the target than the lower bound, which is positive
  stuck,          // the oracle finds nothing nearer, which is evidence that there is nothing, and no proof
  undecided,      // neither inside nor out of reach could be shown with the accuracy allowed
  budget,         // the oracle calls are used up
  oracle_failed,  // the oracle fails, or its answers no longer change anything although the gap is open
};
const EnumNames<Status>& status_names();
std::string to_string(Status status);

/// What an oracle said for a direction.
struct Answer {
  Vector point;  // J of the policy it found
  /// How far above the smallest direction.J it may be, for a direction of length 1; infinite for a policy that
  /// was not looked for in this direction, which says nothing about others.
  double slack = 0;
  Grade grade = Grade::proof;  // whether point and slack are known, or estimated
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

/// What every kind of solver is told. Some have options of their own besides: see appropo.h, lagrangian.h and
/// rcpo.h.
struct SolverOptions {
  double tolerance = 1e-6;
  int max_oracle_calls = 1000;
  std::optional<Vector> first_direction = {};

  void visit(OptionVisitor& visitor);
};

/// What is known about the best value of an objective inside the target.
struct Bracket {
  double value = 0;            // of the mixture, which is inside
  double upper_bound = 0;      // what no mixture inside the target exceeds
  Grade grade = Grade::proof;  // what the upper bound rests on
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

  /// The oracle's answer for the direction asked. One major cycle. What no oracle may answer is an
  /// InputError; once ended, any answer is a std::logic_error.
  Cycle tell(const Answer& answer);

  /// Ends the solve instead: the oracle's best answer for the direction asked is an estimate, and what it is
  /// better than the mixture may be chance.
  void give_up(const Answer& answer);
  /// Whether an answer that is no better than the mixture, along the direction asked, is the last: there is
  /// nothing else to ask then.
  virtual bool needs_improvement() const { return false; }

  const Mixture& mixture() const { return mixture_; }
  /// The atoms that are, or may yet come back, in the mixture: their policies must be kept.
  virtual std::vector<int> needed() const { return mixture_.ids; }
  Status status() const { return status_; }
  int calls() const { return calls_; }
  /// Most atoms held at the end of any cycle.
  int atoms_max() const { return atoms_max_; }
  double distance() const { return outward_.vector.stableNorm(); }
  /// How far 1/2 distance^2 of the mixture can be above that of the best one.
  double error_bound() const { return error_above(distance(), certificate_.bound); }
  /// The best value of the objective; nothing for a solver that has none, and before a mixture is inside the
  /// target.
  virtual std::optional<Bracket> maximum() const { return std::nullopt; }
  const Certificate& certificate() const { return certificate_; }
  const ConvexSet& target() const { return *target_; }
  const SolverOptions& options() const { return options_; }

 protected:
  Solver(SetPtr target, SolverOptions options);

  /// lambda = x - Proj(x): the gradient of 1/2 dist^2 at the mixture's point.
  const Vector& gradient() const { return outward_.vector; }
  /// omega = Proj(x).
  const Vector& projection() const { return projection_; }

  /// Takes the new mixture and looks where it is.
  void move_to(Mixture mixture);
  /// The oracle's answer for the gradient's direction bounds the distance from below; keeps the best bound.
  void certify(const Answer& answer) { certify(outward_, projection_, answer); }
  /// The same for the direction of any normal to the target, `farthest` being the point it is normal at.
  void certify(const Outward& normal, const Vector& farthest, const Answer& answer);
  /// A certificate found by someone else for the same target.
  void adopt(const Certificate& certificate) { certificate_ = certificate; }
  void end(Status status) { status_ = status; }
  /// How a solve ends whose mixture is outside the target and the nearest one, as far as the oracle can tell.
  Status nearest_status() const;
  bool out_of_calls() const { return calls_ >= options_.max_oracle_calls; }

  /// Whether the mixture counts as inside the target: to the tolerance, beyond what the numbers of each
  /// constraint are good to (see ConvexSet::excess).
  bool inside() const;
  /// The same for an answer by itself.
  bool inside(const Vector& answer) const;
  /// What distances at the current point can be told apart to, and the tolerance where that is larger.
  double rounding() const;
  double tolerance() const;

  SetPtr target_;

 private:
  /// What to ask while running, of length 1.
  virtual Vector next_direction() const = 0;
  /// Does everything with an answer: moves, certifies, ends. The answer is atom `id`, which is in the mixture
  /// already unless `is_new`.
  virtual void take(const Answer& answer, int id, bool is_new) = 0;
  /// Draws the conclusion of an answer that is no improvement, as far as it can be told from chance.
  virtual void conclude(const Answer& /*answer*/) { end(Status::stuck); }

  /// Whether an answer that measures the same as an atom is that atom: its policy need not be stored again.
  virtual bool merges_duplicates() const { return true; }

  void check(const Answer& answer) const;

  /// An answer beyond what the certificate says is achievable refutes as much of it: an estimating oracle may
  /// have missed a policy that it finds later.
  void weaken_certificate(const Vector& point);

  SolverOptions options_;
  Mixture mixture_;
  Vector projection_;
  Outward outward_;
  Certificate certificate_;
  Status status_ = Status::running;
  int calls_ = 0;
  int atoms_max_ = 0;
};

}  // namespace c2rl
