// Solvers without problem files: policies that are measured already, and the loop in one's own hands.
#include <cstdio>

#include <c2rl/c2rl.h>

namespace {

// Of three ways through the navigation map, the one with the smallest weighted sum: what a learner would be trained for.
c2rl::Vector best_way(const c2rl::Vector& direction) {
  const c2rl::Matrix ways{{8, 10, 12}, {4, 1, 0}};
  Eigen::Index best = 0;
  (direction.transpose() * ways).minCoeff(&best);
  return ways.col(best);
}

}  // namespace

int main() {
  using namespace c2rl;
  const SetPtr target = box(Vector{{0, 0}}, Vector{{11, 0.5}});

  // Policies that are measured already.
  PointOracle oracle(Matrix{{8, 10, 12}, {4, 1, 0}});  // a column a policy
  const auto mixer = make_solver("corrective-mnp", target, {.tolerance = 1e-9});
  oracle.run(*mixer);
  const Vector weights = mixer->mixture().weights;  // 1/2, 1/2

  // The loop.
  const auto solver = make_solver("corrective-mnp", target, {.tolerance = 1e-9});
  while (const auto direction = solver->ask()) solver->tell({.point = best_way(*direction)});

  std::printf("%g and %g; distance %g with %d policies\n", weights[0], weights[1], solver->distance(),
              static_cast<int>(solver->mixture().weights.size()));
  return solver->status() == Status::feasible ? 0 : 1;
}
