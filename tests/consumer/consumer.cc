// The library from another project: three measured policies and a box.
#include <cstdio>

#include "c2rl/geometry/sets.h"
#include "c2rl/solve/point_oracle.h"
#include "c2rl/solve/solver.h"

int main() {
  using namespace c2rl;
  const auto solver =
      make_solver("corrective-mnp", box(Vector{{0, 0}}, Vector{{11, 0.5}}), {.tolerance = 1e-9});
  PointOracle oracle(Matrix{{8, 10, 12}, {4, 1, 0}});
  oracle.run(*solver);
  const Vector& x = solver->mixture().point;
  std::printf("%s %g %g\n", to_string(solver->status()).c_str(), x[0], x[1]);
}
