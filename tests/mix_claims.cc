#include "mix_claims.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "quadruple.h"

namespace c2rl::claims {
namespace {

std::vector<Quad> mixed(const Matrix& points, const std::vector<Quad>& weights) {
  std::vector<Quad> x(static_cast<size_t>(points.rows()), 0);
  for (Eigen::Index i = 0; i < points.cols(); ++i) {
    for (Eigen::Index j = 0; j < points.rows(); ++j)
      x[static_cast<size_t>(j)] += weights[static_cast<size_t>(i)] * Quad(points(j, i));
  }
  return x;
}

Quad violation(const Row& row, const std::vector<Quad>& x) {
  Quad value = -Quad(row.b), square = 0;
  for (size_t j = 0; j < x.size(); ++j) {
    const Quad a = row.a[static_cast<Eigen::Index>(j)];
    value += a * x[j];
    square += a * a;
  }
  return value / root(square);
}

Quad violation(const Round& round, const std::vector<Quad>& x) {
  Quad square = 0;
  for (size_t k = 0; k < round.coordinates.size(); ++k) {
    const Quad off =
        x[static_cast<size_t>(round.coordinates[k])] - Quad(round.center[static_cast<Eigen::Index>(k)]);
    square += off * off;
  }
  return root(square) - Quad(round.radius);
}

/// The distance of x to rows alone, by trying every set of them that could hold its projection: x less a
/// combination of their normals, with multipliers that are not negative, that satisfies all rows. The least that
/// any set comes to is the answer; rounding of dependent rows only adds sets that are farther.
Quad distance_to_rows(const std::vector<Row>& rows, const std::vector<Quad>& x) {
  const size_t count = rows.size(), m = x.size();
  std::vector<std::vector<Quad>> normals(count, std::vector<Quad>(m));
  std::vector<Quad> beyond(count);
  Quad largest = 0;
  for (size_t k = 0; k < count; ++k) {
    Quad square = 0;
    for (size_t j = 0; j < m; ++j)
      square += Quad(rows[k].a[static_cast<Eigen::Index>(j)]) * Quad(rows[k].a[static_cast<Eigen::Index>(j)]);
    for (size_t j = 0; j < m; ++j)
      normals[k][j] = Quad(rows[k].a[static_cast<Eigen::Index>(j)]) / root(square);
    beyond[k] = violation(rows[k], x);
    largest = std::max(largest, size(beyond[k]));
  }
  Quad best = -1;
  for (size_t set = 0; set < (size_t{1} << count); ++set) {
    std::vector<size_t> held;
    for (size_t k = 0; k < count; ++k) {
      if ((set >> k) & 1) held.push_back(k);
    }
    // N N' u = beyond, by elimination with pivoting.
    const size_t n = held.size();
    std::vector<std::vector<Quad>> t(n, std::vector<Quad>(n + 1, 0));
    for (size_t i = 0; i < n; ++i) {
      for (size_t k = 0; k < n; ++k) {
        for (size_t j = 0; j < m; ++j) t[i][k] += normals[held[i]][j] * normals[held[k]][j];
      }
      t[i][n] = beyond[held[i]];
    }
    bool regular = true;
    for (size_t c = 0; c < n && regular; ++c) {
      size_t pivot = c;
      for (size_t i = c + 1; i < n; ++i) {
        if (size(t[i][c]) > size(t[pivot][c])) pivot = i;
      }
      std::swap(t[c], t[pivot]);
      regular = size(t[c][c]) > Quad(1e-28);
      for (size_t i = 0; i < n && regular; ++i) {
        if (i == c) continue;
        const Quad factor = t[i][c] / t[c][c];
        for (size_t k = c; k <= n; ++k) t[i][k] -= factor * t[c][k];
      }
    }
    if (!regular) continue;
    std::vector<Quad> push(m, 0);
    bool fits = true;
    for (size_t i = 0; i < n; ++i) {
      const Quad u = t[i][n] / t[i][i];
      fits = fits && u >= 0;
      for (size_t j = 0; j < m; ++j) push[j] += u * normals[held[i]][j];
    }
    Quad square = 0;
    for (size_t j = 0; j < m; ++j) square += push[j] * push[j];
    for (size_t k = 0; k < count && fits; ++k) {
      Quad left = beyond[k];
      for (size_t j = 0; j < m; ++j) left -= normals[k][j] * push[j];
      fits = left <= Quad(1e-22) * (largest + root(square));
    }
    if (fits && (best < 0 || root(square) < best)) best = root(square);
  }
  return best;
}

/// How large the numbers are that a constraint compares, `sizes` being those of the measurements.
double numbers(const Row& row, const Vector& sizes) {
  return (row.a.cwiseAbs().dot(sizes) + std::abs(row.b)) / row.a.stableNorm();
}
double numbers(const Round& round, const Vector& sizes) {
  return Vector(sizes(round.coordinates) + round.center.cwiseAbs()).norm() + round.radius;
}

double largest_numbers(const Instance& instance, const Vector& sizes) {
  double largest = 0;
  for (const Row& row : instance.rows) largest = std::max(largest, numbers(row, sizes));
  for (const Round& round : instance.rounds) largest = std::max(largest, numbers(round, sizes));
  return largest;
}

}  // namespace

Truth true_violation(const Instance& instance) {
  const Matrix& points = instance.points.values;
  const auto count = static_cast<size_t>(points.cols());
  std::vector<std::vector<Quad>> columns(count);
  for (size_t i = 0; i < count; ++i) {
    std::vector<Quad> unit(count, 0);
    unit[i] = 1;
    columns[i] = mixed(points, unit);
  }
  std::vector<std::vector<Quad>> g;
  for (const Row& row : instance.rows) {
    g.emplace_back();
    for (const auto& column : columns) g.back().push_back(violation(row, column));
  }
  // The tangent of a round constraint at x, first of all at the middle of the points.
  const auto cut = [&](const Round& round, const std::vector<Quad>& x) {
    std::vector<Quad> normal;
    Quad square = 0;
    for (size_t k = 0; k < round.coordinates.size(); ++k) {
      normal.push_back(x[static_cast<size_t>(round.coordinates[k])] -
                       Quad(round.center[static_cast<Eigen::Index>(k)]));
      square += normal.back() * normal.back();
    }
    if (square == 0) normal[0] = square = 1;
    g.emplace_back();
    for (const auto& column : columns) {
      Quad value = -Quad(round.radius);
      for (size_t k = 0; k < normal.size(); ++k) {
        value += normal[k] / root(square) *
                 (column[static_cast<size_t>(round.coordinates[k])] -
                  Quad(round.center[static_cast<Eigen::Index>(k)]));
      }
      g.back().push_back(value);
    }
  };
  const std::vector<Quad> middle = mixed(points, std::vector<Quad>(count, Quad(1) / Quad(count)));
  for (const Round& round : instance.rounds) cut(round, middle);

  constexpr int kMostCuts = 30;
  const double scale = points.cwiseAbs().maxCoeff();
  Truth truth{-kInfinity, kInfinity};
  for (int step = 0; step < kMostCuts; ++step) {
    std::vector<Quad> mu;
    const Quad value = game_value(g, mu);
    const std::vector<Quad> x = mixed(points, mu);
    Quad worst = -Quad(1e300);
    for (const Row& row : instance.rows) worst = std::max(worst, violation(row, x));
    bool is_cut = false;
    for (const Round& round : instance.rounds) {
      const Quad here = violation(round, x);
      worst = std::max(worst, here);
      if (here <= value + Quad(scale) * Quad(1e-27)) continue;
      cut(round, x);
      is_cut = true;
    }
    truth.at_least = static_cast<double>(value);
    truth.at_most = std::min(truth.at_most, static_cast<double>(worst));
    if (!is_cut) break;
  }
  return truth;
}

std::string false_claim(const Instance& instance, const Result& result, const Truth& truth) {
  constexpr double kRoundings = 72 * kEpsilon;  // 64 are the rule; the rest is for computing what it compares
  if (!std::isfinite(result.distance)) return fmt::format("a distance of {}", result.distance);
  if (result.certificate.bound > result.distance * (1 + 1e-9) + 1e-12 * result.distance)
    return fmt::format("a bound of {} above the distance {}", result.certificate.bound, result.distance);
  if (result.status == Status::infeasible && truth.at_most <= 0)
    return fmt::format("infeasible, and a mixture has {} of room", -truth.at_most);

  const Matrix& points = instance.points.values;
  std::vector<Quad> weights(static_cast<size_t>(points.cols()), 0);
  Vector sizes = Vector::Zero(points.rows());
  Quad sum = 0;
  for (const ResultPolicy& policy : result.policies) {
    const size_t column = std::stoul(policy.id) - 1;
    weights[column] += Quad(policy.weight);
    sum += Quad(policy.weight);
    sizes += policy.weight * points.col(static_cast<Eigen::Index>(column)).cwiseAbs();
  }
  for (Quad& weight : weights) weight /= sum;
  const std::vector<Quad> x = mixed(points, weights);
  constexpr size_t kFewRows = 7;
  if (instance.rounds.empty() && instance.rows.size() <= kFewRows) {
    const auto distance = static_cast<double>(distance_to_rows(instance.rows, x));
    if (distance >= 0 &&
        result.certificate.bound > distance * (1 + 1e-9) + kRoundings * largest_numbers(instance, sizes))
      return fmt::format("a bound of {}, and the mixture's distance is {}", result.certificate.bound,
                         distance);
  }
  if (result.status != Status::feasible && result.status != Status::optimal) return "";

  const auto broken = [&](const auto& constraint) {
    const Quad allowed = Quad(instance.tolerance) + Quad(kRoundings * numbers(constraint, sizes));
    const Quad by = violation(constraint, x);
    return by > allowed ? fmt::format("feasible, and a constraint is broken by {}, {} is allowed",
                                      static_cast<double>(by), static_cast<double>(allowed))
                        : "";
  };
  for (const Row& row : instance.rows) {
    if (std::string fault = broken(row); !fault.empty()) return fault;
  }
  for (const Round& round : instance.rounds) {
    if (std::string fault = broken(round); !fault.empty()) return fault;
  }
  return "";
}

Expected expected(const Instance& instance, const Truth& truth) {
  // Well beyond the tolerance and the rounding of all numbers that are constrained.
  constexpr double kClear = 1e-12;
  const Vector sizes = instance.points.values.cwiseAbs().rowwise().maxCoeff();
  const double size = largest_numbers(instance, sizes);
  if (truth.at_most < -kClear * size) return Expected::feasible;
  if (truth.at_least > 10 * instance.tolerance + kClear * size) return Expected::infeasible;
  return Expected::either;
}

}  // namespace c2rl::claims
