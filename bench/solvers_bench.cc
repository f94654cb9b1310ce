// Oracle calls of every solver on random polytopes, and the time a solver spends between two calls.
//
//   solvers_bench          all dimensions (a few minutes on one core)
//   solvers_bench quick    m = 2, 5, 20 with fewer seeds
//
// Each polytope is the hull of 2000 random points of R^m; the oracle scans them. The error of a mixture is
// 1/2 dist^2 minus its optimum, which the corrective solver's certificate proves. Points and targets are
// those of a numpy prototype of corrective-mnp, number for number, so that its figures can be held against
// these.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "c2rl/geometry/sets.h"
#include "c2rl/solve/point_oracle.h"
#include "c2rl/solve/solver_kinds.h"
#include "numpy_random.h"

namespace c2rl {
namespace {

/// The solver that the others are held against.
const std::string kReference = solver_kinds().standard().name;

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

constexpr double kErrors[2] = {1e-6, 1e-10};
constexpr int kNever = 1 << 30;
constexpr double kLargeSeconds = 60;  // what a solve with m = 1000 may take on one core

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

Trace run(const std::string& kind, const Matrix& points, const SetPtr& target, int max_calls,
          double stop_at) {
  SolverOptions options{.tolerance = 1e-13, .max_oracle_calls = max_calls};
  // As the paper starts: from x0 = 0, unless that is in the target.
  const Vector first = -target->project(Vector::Zero(target->dim()));
  options.first_direction = first.norm() > 0 ? first : NumpyRandom(12345).normal_vector(target->dim());
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

Matrix random_points(NumpyRandom& rng, int dim, int count) {
  Matrix points(dim, count);
  for (int j = 0; j < count; ++j) points.col(j) = rng.normal_vector(dim);
  const Vector scale = 0.5 + rng.uniform_vector(dim).array();
  const Vector shift = 0.3 * rng.normal_vector(dim);
  return (scale.asDiagonal() * points).colwise() + shift;
}

std::vector<Instance> instances(NumpyRandom& rng, const Matrix& points) {
  const int dim = static_cast<int>(points.rows());
  const double radius = points.colwise().norm().maxCoeff();
  std::vector<Instance> all;

  const Vector center = rng.normal_vector(dim).normalized() * radius * (dim > 2 ? 1.5 : 2.0);
  const Vector half = 0.2 * radius / std::sqrt(dim) * (0.5 + rng.uniform_vector(dim).array());
  all.push_back({"box apart", box(center - half, center + half)});
  all.push_back({"ball apart", ball(center, 0.3 * radius)});

  // Each halfspace cuts off most of the hull; their intersection lies outside of it.
  const int rows = std::min(10, dim);
  Matrix normals(rows, dim);
  for (int i = 0; i < rows; ++i) normals.row(i) = rng.normal_vector(dim).normalized();
  const Vector lowest = (normals * points).rowwise().minCoeff();
  all.push_back({"halfspaces",
                 polyhedron(normals, Vector::Constant(rows, -kInfinity), lowest * (rows > 2 ? 0.6 : 1.05))});

  // Targets that touch the hull in the point of it nearest to the center.
  const Trace nearest = run(kReference, points, point(center), 5000, 0);
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

bool takes(const SolverKind& kind, const SetPtr& target) {
  try {
    kind.check_suits(*target);
    return true;
  } catch (const UnsuitableTargetError&) {
    return false;
  }
}

/// What the prototype needed on the first `seeds` of these instances: median calls to each of kErrors.
struct PrototypeFigure {
  int dim;
  std::string target;
  size_t seeds;
  int calls[2];
};
const std::vector<PrototypeFigure> kPrototype = {{2, "corner touch", 5, {4, 4}},
                                                 {5, "ball touch", 5, {3, 3}},
                                                 {20, "halfspaces", 5, {4, 4}},
                                                 {20, "corner touch", 5, {12, 12}},
                                                 {100, "halfspaces", 2, {5, 5}}};

int median(std::vector<int> calls) {
  std::sort(calls.begin(), calls.end());
  return calls[calls.size() / 2];
}

std::string text(int calls) {
  return calls == kNever ? ">" : fmt::format("{}", calls);
}

/// All seeds of one solver on one kind of target.
struct Cell {
  std::vector<int> calls[2];
  int atoms_max = 0;
  double solver_seconds = 0, oracle_seconds = 0;
  long cycles = 0;

  void add(const Trace& trace, double optimum) {
    for (int e = 0; e < 2; ++e) calls[e].push_back(trace.calls_to(optimum, kErrors[e]));
    atoms_max = std::max(atoms_max, trace.atoms_max);
    solver_seconds += trace.solver_seconds;
    oracle_seconds += trace.oracle_seconds;
    cycles += static_cast<long>(trace.value.size());
  }
};

/// What corrective-mnp must not do, counted over all tables.
struct Failures {
  int over_prototype = 0;  // rows with a median over the prototype's; for each error, like the next two
  int over_another = 0;    // rows with a median over one call more than another solver's
  int single = 0;          // instances with over one call more than another solver
  int over_dimension = 0;  // rows with more than m + 1 atoms
};

void print_row(int dim, const std::string& target, std::map<std::string, Cell>& row,
               const std::vector<std::string>& kinds, Failures& failures) {
  fmt::print("{:18}", target);
  for (const std::string& kind : kinds) {
    const auto found = row.find(kind);
    if (found == row.end()) {
      fmt::print("{:>22}", "-");
      continue;
    }
    const Cell& cell = found->second;
    fmt::print("{:>22}", fmt::format("{} / {} [{}]", text(median(cell.calls[0])), text(median(cell.calls[1])),
                                     cell.atoms_max));
  }
  const Cell& cell = row[kReference];
  for (const auto& [kind, other] : row) {
    for (int e = 0; e < 2; ++e) {
      if (median(cell.calls[e]) > median(other.calls[e]) + 1) ++failures.over_another;
    }
  }
  if (cell.atoms_max > dim + 1) ++failures.over_dimension;
  fmt::print("{:>22}",
             fmt::format("{:.1f} ({:.2f})", 1e6 * cell.solver_seconds / static_cast<double>(cell.cycles),
                         cell.solver_seconds / cell.oracle_seconds));
  for (const PrototypeFigure& figure : kPrototype) {
    if (figure.dim != dim || figure.target != target) continue;
    int calls[2];
    for (int e = 0; e < 2; ++e) {
      const auto first = cell.calls[e].begin();
      calls[e] = median({first, first + static_cast<long>(std::min(figure.seeds, cell.calls[e].size()))});
      if (calls[e] > figure.calls[e]) ++failures.over_prototype;
    }
    fmt::print("   {} / {}, prototype {} / {} ({} seeds)", text(calls[0]), text(calls[1]), figure.calls[0],
               figure.calls[1], figure.seeds);
  }
  fmt::print("\n");
}

void table(int dim, int seeds, int max_calls, Failures& failures) {
  std::vector<std::string> order;
  std::map<std::string, std::map<std::string, Cell>> cells;
  for (int seed = 0; seed < seeds; ++seed) {
    NumpyRandom rng(1000u * dim + seed);
    const Matrix points = random_points(rng, dim, 2000);
    for (const Instance& instance : instances(rng, points)) {
      if (seed == 0) order.push_back(instance.kind);
      const Trace reference = run(kReference, points, instance.target, 5000, 0);
      const double least = *std::min_element(reference.value.begin(), reference.value.end());
      const double optimum = least < 1e-18 ? 0 : least;
      std::map<std::string, Cell>& row = cells[instance.kind];
      for (const SolverKind* kind : solver_kinds().all()) {
        if (!takes(*kind, instance.target)) continue;
        row[kind->name].add(run(kind->name, points, instance.target, max_calls, optimum + 1e-12), optimum);
        for (int e = 0; e < 2; ++e) {
          // corrective-mnp, listed first, is there already.
          if (row[kReference].calls[e].back() > row[kind->name].calls[e].back() + 1) ++failures.single;
        }
      }
    }
  }
  fmt::print(
      "\nm = {}, 2000 points, {} seeds: median oracle calls to error 1e-6 / 1e-10 [most atoms]; > is over "
      "{}, - takes no such target\n",
      dim, seeds, max_calls);
  std::vector<std::string> kinds;
  for (const std::string& kind : solver_kinds().names()) {
    if (std::any_of(cells.begin(), cells.end(), [&](const auto& row) { return row.second.contains(kind); }))
      kinds.push_back(kind);
  }
  fmt::print("{:18}", "target");
  for (const std::string& kind : kinds) fmt::print("{:>22}", kind);
  fmt::print("{:>22}   {}\n", "us per call (x scan)", "corrective-mnp on the prototype's seeds");
  for (const std::string& target : order) print_row(dim, target, cells[target], kinds, failures);
  std::fflush(stdout);
}

void large(int dim, int count) {
  fmt::print("\nm = {}, {} points, corrective-mnp to the end\n", dim, count);
  fmt::print("{:18}{:>8}{:>8}{:>12}{:>12}{:>12}{:>10}\n", "target", "calls", "atoms", "distance", "seconds",
             "ms per call", "x scan");
  NumpyRandom rng(1000u * dim);
  const Matrix points = random_points(rng, dim, count);
  double slowest = 0;
  for (const Instance& instance : instances(rng, points)) {
    const auto start = Clock::now();
    const Trace trace = run(kReference, points, instance.target, 100000, 0);
    const double calls = static_cast<double>(trace.value.size());
    const double seconds = seconds_since(start);
    slowest = std::max(slowest, seconds);
    fmt::print("{:18}{:>8}{:>8}{:>12.3g}{:>12.2f}{:>12.2f}{:>10.1f}\n", instance.kind, trace.value.size(),
               trace.atoms_max, trace.gradient.norm(), seconds, 1e3 * trace.solver_seconds / calls,
               trace.solver_seconds / trace.oracle_seconds);
    std::fflush(stdout);
  }
  fmt::print("slowest: {:.1f} s of the {:.0f} s allowed\n", slowest, kLargeSeconds);
}

}  // namespace
}  // namespace c2rl

int main(int argc, char** argv) {
  const bool quick = argc > 1 && std::string_view(argv[1]) == "quick";
  fmt::print(
      "Solvers on random polytopes. 'us per call': mean time of corrective-mnp between two oracle calls;\n"
      "'x scan': the same over the time of one oracle call, which streams all points through memory once.\n");
  c2rl::Failures failures;
  for (const int dim : {2, 5, 20}) c2rl::table(dim, quick ? 5 : 10, 3000, failures);
  if (!quick) c2rl::table(100, 10, 3000, failures);
  fmt::print(
      "\ncorrective-mnp above the prototype: {} rows\n"
      "corrective-mnp more than one call above another solver: {} rows, {} single instances\n"
      "corrective-mnp with more than m + 1 atoms: {} rows\n",
      failures.over_prototype, failures.over_another, failures.single, failures.over_dimension);
  if (!quick) c2rl::large(1000, 5000);
  return 0;
}
