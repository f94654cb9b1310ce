#pragma once

#include <optional>
#include <span>
#include <vector>

#include "c2rl/base/vector.h"
#include "c2rl/mdp/progress.h"
#include "c2rl/planning/policy_equations.h"

namespace c2rl {

/// Iterative refinement: x on its way to what solves x = b + discount P x, in double precision, by sweeps in single precision.
///
/// What is added to x is a number in single precision for each state and system, and one for each system that is common to all
/// states. By how much equations are off goes along in double precision, and so only numbers in single precision are ever gathered:
/// x itself, which is twice as large, would take more than twice as long to look at.
class Refinement {
 public:
  /// Keeps references. x is 0 at first. `b` has a column for each state.
  Refinement(PolicyEquations& equations, const Matrix& b);
  /// x is 0 again, and equations may be other ones; memory is kept.
  void restart() { begun_ = false; }

  PolicyEquations& equations() const { return equations_; }
  const Matrix& x() const { return x_; }

  /// x += beyond + common.
  void add(std::span<const float> beyond, const Vector& common);

  /// What sweeps in single precision work on: x = b - left + discount P x, with room for whole slices. Whoever sweeps by himself
  /// while x is 0 fills it all in, and has the outcome added by add_swept().
  struct Swept {
    std::vector<float> b, x, left;
  };
  Swept& swept();
  void add_swept();

  /// Brings x nearer by so many sweeps once, from wherever it is; nobody sees how near.
  void correct(int sweeps, const Pulse& listener);
  /// Until no equation is off by more than rounding. Returns how far off equations still are at the most, rounding included;
  /// nothing where sweeps bring x nearer so slowly that other methods are better.
  std::optional<double> finish(const Pulse& listener);

  /// From now on the equation of a state is that of this action. Its column of b is looked at again.
  void take(int state, int action);

 private:
  struct Step;

  int systems() const { return static_cast<int>(b_.rows()); }
  void make_room();
  template <int kSystems>
  void add_systems(const float* beyond, const Vector& common);
  template <int kSystems>
  Step add_to_slices(int first_slice, int last_slice, const float* beyond, const Vector& common);
  float guess();
  void sweep(int sweeps, const Pulse& listener);
  double rounding_of(double size) const;

  PolicyEquations& equations_;
  const Matrix& b_;
  Matrix x_, off_;  // by how much its equations are off
  Swept swept_;     // that in single precision, and what solves the equations for it
  bool begun_ = false;
  double most_at_once_ = 0;  // of b, absolutely
  double largest_off_ = 0, largest_ = 0;
  Vector sum_;           // of what equations are off by, over all states
  double rounding_ = 0;  // of all that was done so far, in what equations are off by
};

}  // namespace c2rl
