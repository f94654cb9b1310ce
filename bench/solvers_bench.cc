// Oracle calls of every solver on random polytopes, and the time a solver spends between two calls.
//
//   solvers_bench          all dimensions (a few minutes on one core)
//   solvers_bench quick    m = 2, 5, 20 with fewer seeds
//
// Each polytope is the hull of 2000 random points of R^m; the oracle scans them. The error of a mixture is
// 1/2 dist^2 minus its optimum, which the corrective solver's certificate proves.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "c2rl/base/random.h"
#include "c2rl/geometry/sets.h"
#include "c2rl/solve/point_oracle.h"
#include "c2rl/solve/solver.h"

namespace c2rl {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

constexpr double kErrors[2] = {1e-6, 1e-10};
constexpr int kNever = 1 << 30;

struct Trace {
  std::vector<double> value;  // 1/2 dist^2 after each call
  int atoms_max = 0;
  double solver_seconds = 0, oracle_seconds = 0;
  Vector point, gradient;

  int calls_to(double optimum, double error) const {
    for (size_t i = 0; i < value.size(); ++i) {
      if (value[i] - optimum <= error) return static_cast<int>(i) + 1;
    }
    return kNever;
  }
};

Trace run(const std::string& kind, const Matrix& points, const SetPtr& target, int max_calls, double stop_at) {
  SolverOptions options{.tolerance = 1e-13, .max_oracle_calls = max_calls};
  // As the paper starts: from x0 = 0, unless that is in the target.
  const Vector first = -target->project(Vector::Zero(target->dim()));
  if (first.norm() > 0) options.first_direction = first;
  const auto solver = make_solver(kind, target, options);
  PointOracle oracle(points);
  Trace trace;
  while (true) {
    auto start = Clock::now();
    const auto direction = solver->ask();
    trace.solver_seconds += seconds_since(start);
    if (!direction) break;
    start = Clock::now();
    const Answer answer = oracle.minimize(*direction);
    trace.oracle_seconds += seconds_since(start);
    start = Clock::now();
    const Cycle cycle = solver->tell(answer);
    trace.solver_seconds += seconds_since(start);
    trace.value.push_back(0.5 * cycle.distance * cycle.distance);
    trace.atoms_max = std::max(trace.atoms_max, cycle.atoms);
    if (trace.value.back() <= stop_at) break;
  }
  trace.point = solver->mixture().point;
  trace.gradient = trace.point - target->project(trace.point);
  return trace;
}

struct Instance {
  std::string kind;
  SetPtr target;
};

Matrix random_points(Rng& rng, int dim, int count) {
  Matrix points(dim, count);
  const Vector shift = 0.3 * rng.normal_vector(dim);
  Vector scale(dim);
  for (double& s : scale) s = 0.5 + rng.uniform();
  for (int j = 0; j < count; ++j) points.col(j) = rng.normal_vector(dim).cwiseProduct(scale) + shift;
  return points;
}

std::vector<Instance> instances(Rng& rng, const Matrix& points) {
  const int dim = static_cast<int>(points.rows());
  const double radius = points.colwise().norm().maxCoeff();
  std::vector<Instance> all;

  const Vector center = rng.normal_vector(dim).normalized() * radius * (dim > 2 ? 1.5 : 2.0);
  Vector half(dim);
  for (double& h : half) h = 0.2 * radius / std::sqrt(dim) * (0.5 + rng.uniform());
  all.push_back({"box", box(center - half, center + half)});
  all.push_back({"ball", ball(center, 0.3 * radius)});

  // Each halfspace cuts off most of the hull; their intersection lies outside of it.
  const int rows = std::min(10, dim);
  Matrix normals(rows, dim);
  for (int i = 0; i < rows; ++i) normals.row(i) = rng.normal_vector(dim).normalized();
  const Vector lowest = (normals * points).rowwise().minCoeff();
  all.push_back({"halfspaces", polyhedron(normals, Vector::Constant(rows, -kInfinity), lowest * (rows > 2 ? 0.6 : 1.05))});

  // Targets that touch the hull in the point of it nearest to the center.
  const Trace nearest = run("corrective-mnp", points, point(center), 5000, 0);
  const Vector& x = nearest.point;
  const Vector& normal = nearest.gradient;
  all.push_back({"ball touch", ball(x - 0.3 * radius * normal.normalized(), 0.3 * radius)});
  const auto corner_at = [&](const Vector& corner) {
    Vector lower = Vector::Constant(dim, -kInfinity), upper = Vector::Constant(dim, kInfinity);
    for (int i = 0; i < dim; ++i) (normal[i] > 0 ? upper : lower)[i] = corner[i];
    return box(lower, upper);
  };
  all.push_back({"corner touch", corner_at(x)});
  all.push_back({"corner inside", corner_at(x + 1e-3 * radius * normal.normalized())});
  const Vector middle = points.rowwise().mean() + 0.1 * rng.normal_vector(dim);
  all.push_back({"small box inside", box(middle.array() - 1e-3, middle.array() + 1e-3)});
  return all;
}

bool takes(const std::string& kind, const SetPtr& target) {
  try {
    make_solver(kind, target, {});
    return true;
  } catch (const UnsuitableTargetError&) {
    return false;
  }
}

std::string median_text(std::vector<int> calls) {
  std::sort(calls.begin(), calls.end());
  const int median = calls[calls.size() / 2];
  return median == kNever ? ">" : fmt::format("{}", median);
}

void table(int dim, int seeds, int max_calls) {
  struct Cell {
    std::vector<int> calls[2];
    int atoms_max = 0;
    double solver_seconds = 0, oracle_seconds = 0;
    long cycles = 0;
  };
  std::vector<std::string> order;
  std::map<std::string, std::map<std::string, Cell>> cells;
  int above = 0;  // instances on which corrective-mnp needed over one call more than another solver
  for (int seed = 0; seed < seeds; ++seed) {
    Rng rng = Rng(1).fork("polytope", 1000u * dim + seed);
    const Matrix points = random_points(rng, dim, 2000);
    for (const Instance& instance : instances(rng, points)) {
      if (seed == 0) order.push_back(instance.kind);
      const Trace reference = run("corrective-mnp", points, instance.target, 5000, 0);
      const double least = *std::min_element(reference.value.begin(), reference.value.end());
      const double optimum = least < 1e-18 ? 0 : least;
      int corrective[2] = {0, 0};
      for (const SolverKind& kind : solver_kinds()) {
        if (!takes(kind.name, instance.target)) continue;
        const Trace trace = run(kind.name, points, instance.target, max_calls, optimum + 1e-12);
        Cell& cell = cells[instance.kind][kind.name];
        for (int e = 0; e < 2; ++e) {
          const int calls = trace.calls_to(optimum, kErrors[e]);
          cell.calls[e].push_back(calls);
          if (kind.name == "corrective-mnp") corrective[e] = calls;
          else if (corrective[e] > calls + 1) ++above;
        }
        cell.atoms_max = std::max(cell.atoms_max, trace.atoms_max);
        cell.solver_seconds += trace.solver_seconds;
        cell.oracle_seconds += trace.oracle_seconds;
        cell.cycles += static_cast<long>(trace.value.size());
      }
    }
  }
  fmt::print("\nm = {}, 2000 points, {} seeds: median oracle calls to error 1e-6 / 1e-10 [most atoms]; > is over {}, - takes no such target\n", dim,
             seeds, max_calls);
  fmt::print("{:18}", "target");
  const auto ran = [&](const std::string& kind) {
    return std::any_of(cells.begin(), cells.end(), [&](const auto& row) { return row.second.contains(kind); });
  };
  for (const SolverKind& kind : solver_kinds()) {
    if (ran(kind.name)) fmt::print("{:>22}", kind.name);
  }
  fmt::print("{:>26}\n", "us per call (x scan)");
  for (const std::string& target : order) {
    fmt::print("{:18}", target);
    for (const SolverKind& kind : solver_kinds()) {
      if (!ran(kind.name)) continue;
      const auto found = cells[target].find(kind.name);
      if (found == cells[target].end()) {
        fmt::print("{:>22}", "-");
        continue;
      }
      const Cell& cell = found->second;
      fmt::print("{:>22}", fmt::format("{} / {} [{}]", median_text(cell.calls[0]), median_text(cell.calls[1]),
                                       cell.atoms_max));
    }
    const Cell& cell = cells[target]["corrective-mnp"];
    fmt::print("{:>26}\n", fmt::format("{:.1f} ({:.2f})", 1e6 * cell.solver_seconds / static_cast<double>(cell.cycles),
                                       cell.solver_seconds / cell.oracle_seconds));
  }
  fmt::print("instances and errors where corrective-mnp needed over one call more than another solver: {}\n", above);
  std::fflush(stdout);
}

void large(int dim, int count) {
  fmt::print("\nm = {}, {} points, corrective-mnp to the end\n", dim, count);
  fmt::print("{:18}{:>8}{:>8}{:>12}{:>12}{:>12}{:>10}\n", "target", "calls", "atoms", "distance", "seconds", "ms per call",
             "x scan");
  Rng rng = Rng(2).fork("large", 0);
  const Matrix points = random_points(rng, dim, count);
  for (const Instance& instance : instances(rng, points)) {
    const auto start = Clock::now();
    const Trace trace = run("corrective-mnp", points, instance.target, 100000, 0);
    const double calls = static_cast<double>(trace.value.size());
    fmt::print("{:18}{:>8}{:>8}{:>12.3g}{:>12.2f}{:>12.2f}{:>10.1f}\n", instance.kind, trace.value.size(), trace.atoms_max,
               trace.gradient.norm(), seconds_since(start), 1e3 * trace.solver_seconds / calls,
               trace.solver_seconds / trace.oracle_seconds);
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace c2rl

int main(int argc, char** argv) {
  const bool quick = argc > 1 && std::string_view(argv[1]) == "quick";
  fmt::print("Solvers on random polytopes. 'us per call': mean time of corrective-mnp between two oracle calls;\n"
             "'x scan': the same over the time of one oracle call, which streams all points through memory once.\n");
  for (const int dim : {2, 5, 20}) c2rl::table(dim, quick ? 3 : 5, 3000);
  if (quick) return 0;
  c2rl::table(100, 3, 3000);
  c2rl::large(1000, 5000);
  return 0;
}
