#pragma once

#include <Eigen/Dense>

#include "c2rl/mdp/model.h"

namespace c2rl {

/// The reference that solvers and oracles are compared with: which measurement vector of any policy is
/// nearest to a polyhedron, found as one quadratic program over occupancy measures instead of by mixing
/// policies.
///
/// rho(s, a) >= 0, or rho(t, s, a) with a horizon, is how often a policy takes action a in state s,
/// discounted. What some policy can have is exactly what conserves flow: what leaves a state is what starts
/// there plus what arrives. J = C rho is linear in it, so
///
///   min 1/2 |C rho - w|^2   over   rho >= 0,   F rho = start,   lower <= A w <= upper
///
/// has the optimum that mixtures approach from above and certificates from below.
///
/// It is independent of what it judges: of the library it reads the arrays of TabularModel and nothing else.
/// It projects on no set, holds no atoms, asks no oracle, runs no dynamic program and evaluates no policy.
/// The two agree only where both are right.
struct LinearTarget {
  Eigen::MatrixXd a;  // one row a constraint
  Eigen::VectorXd lower,
      upper;  // lower <= a w <= upper; infinite where there is no bound, equal for equations
};

struct NearestOccupancy {
  Eigen::VectorXd point;         // C rho: the nearest achievable measurement vector, not unique in general
  Eigen::VectorXd target_point;  // w
  double distance = 0;           // |C rho - w|: from above, as rho and w are feasible
  double lower_bound = 0;        // on the distance, by weak duality; 0 when the multipliers show nothing
};

/// Throws when the interior-point method does not converge.
NearestOccupancy nearest_occupancy(const TabularModel& model, const LinearTarget& target);

/// The smallest direction.J of any policy, for a direction of length 1 and a model with a horizon or
/// discount.
double least_value(const TabularModel& model, const Eigen::VectorXd& direction);

}  // namespace c2rl
