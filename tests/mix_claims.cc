#include "mix_claims.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "c2rl/base/random.h"

namespace c2rl::claims {
namespace {

/// 34 digits.
__extension__ typedef __float128 Quad;

Quad root(Quad square) {
  if (square <= 0) return 0;
  Quad x = std::sqrt(static_cast<double>(square));
  if (x == 0) return 0;
  for (int i = 0; i < 3; ++i) x = (x + square / x) / 2;
  return x;
}

Quad size(Quad x) {
  return x < 0 ? -x : x;
}

/// min over mu on the simplex of the largest entry of G mu, for the rows g of G: with entries made positive by
/// a shift, it is 1 / max sum z over G z <= 1, z >= 0. Primal simplex.
Quad game_value(const std::vector<std::vector<Quad>>& g, std::vector<Quad>& mu) {
  const size_t rows = g.size(), columns = g[0].size();
  Quad shift = 0, scale = 0;
  for (const auto& row : g) {
    for (const Quad x : row) {
      shift = x < shift ? x : shift;
      scale = size(x) > scale ? size(x) : scale;
    }
  }
  if (scale == 0) scale = 1;
  const Quad lift = scale - shift;  // every entry is now at least `scale`
  std::vector<std::vector<Quad>> t(rows + 1, std::vector<Quad>(columns + rows + 1, 0));
  std::vector<size_t> basis(rows);
  for (size_t i = 0; i < rows; ++i) {
    for (size_t j = 0; j < columns; ++j) t[i][j] = (g[i][j] + lift) / scale;
    t[i][columns + i] = 1;
    t[i].back() = 1;
    basis[i] = columns + i;
  }
  for (size_t j = 0; j < columns; ++j) t[rows][j] = -1;
  const Quad zero = Quad(1e-29);
  for (int pivots = 0; pivots < 2000; ++pivots) {
    // The steepest column, and after many pivots, which may go round in circles, Bland's first one.
    const auto& prices = t[rows];
    size_t enter = 0;
    if (pivots < 200) {
      enter = static_cast<size_t>(std::min_element(prices.begin(), prices.end() - 1) - prices.begin());
    } else {
      while (enter < columns + rows && prices[enter] >= -zero) ++enter;
    }
    if (enter == columns + rows || prices[enter] >= -zero) break;
    size_t leave = rows;
    for (size_t i = 0; i < rows; ++i) {
      if (t[i][enter] <= zero) continue;
      if (leave == rows) {
        leave = i;
        continue;
      }
      const Quad here = t[i].back() / t[i][enter], best = t[leave].back() / t[leave][enter];
      if (here < best || (here == best && basis[i] < basis[leave])) leave = i;
    }
    if (leave == rows) break;
    const Quad pivot = t[leave][enter];
    for (Quad& x : t[leave]) x /= pivot;
    for (size_t i = 0; i <= rows; ++i) {
      const Quad factor = t[i][enter];
      if (i == leave || factor == 0) continue;
      for (size_t j = 0; j < t[i].size(); ++j) {
        if (t[leave][j] != 0) t[i][j] -= factor * t[leave][j];
      }
    }
    basis[leave] = enter;
  }
  mu.assign(columns, 0);
  Quad sum = 0;
  for (size_t i = 0; i < rows; ++i) {
    if (basis[i] >= columns) continue;
    mu[basis[i]] = t[i].back() < 0 ? 0 : t[i].back();
    sum += mu[basis[i]];
  }
  for (Quad& x : mu) x /= sum;
  return scale / sum - lift;
}

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

Instance make_instance(std::uint64_t seed, std::uint64_t index) {
  Rng rng = Rng(seed).fork("instance", index);
  const auto pick = [&](int n) { return static_cast<int>(rng.below(static_cast<std::uint64_t>(n))); };
  const auto power = [&](double low, double high) {
    return std::pow(10, low + (high - low) * rng.uniform());
  };
  Instance instance;
  const bool wide = pick(40) == 0;  // many measurements of mixed scales
  const int m = wide ? 30 : 1 + pick(6), n = wide ? 40 : 2 + pick(11);

  // Scales and offsets of the measurements; some that no constraint will name.
  const bool mixed_scales = pick(2) == 0;
  const double common = power(-6, 9), offset = pick(3) == 0 ? power(0, 6) : 0;
  Vector scale(m), base(m);
  std::vector<int> named;
  for (int j = 0; j < m; ++j) {
    scale[j] = wide ? power(-2, 2.5) : mixed_scales ? power(-6, 9) : common;
    base[j] = offset * scale[j] * rng.normal();
    if (wide || m == 1 || pick(4) > 0) {
      named.push_back(j);
    } else if (pick(2) == 0) {
      scale[j] = 1e12;
    }
  }
  if (named.empty()) named.push_back(0);
  Points& points = instance.points;
  points.values.resize(m, n);
  for (int i = 0; i < n; ++i) {
    points.ids.push_back(std::to_string(i + 1));
    points.values.col(i) = base + scale.cwiseProduct(rng.normal_vector(m));
    if (pick(10) == 0 && i > 0) points.values.col(i) = points.values.col(i - 1);
  }
  points.standard_errors = Matrix::Zero(m, n);
  for (int j = 0; j < m; ++j) points.names.push_back(fmt::format("x{}", j));

  // A mixture of a few points, which the constraints will hold, touch or miss.
  Vector mu = Vector::Zero(n);
  for (int k = 1 + pick(std::min(n, m + 1)); k > 0; --k) mu[pick(n)] += rng.uniform();
  mu /= mu.sum();
  const Vector x = points.values * mu;
  const int relation = pick(4);
  const char* const names[] = {"room", "touching", "vertex", "outside"};
  instance.family = std::string(wide ? "wide " : "") + (offset > 0 ? "far " : "") + names[relation];
  const double margin = power(-12, 0);
  const auto bound_for = [&](const Vector& a) {  // of a.x
    const double size = a.cwiseAbs().dot(scale);
    const Vector values = (a.transpose() * points.values).transpose();
    if (relation == 0) return a.dot(x) + margin * size;
    if (relation == 1) return a.dot(x);
    if (relation == 2) return values.minCoeff();
    return values.minCoeff() - margin * size;
  };

  const int shape = pick(3);  // sides, rows, or rounds with either
  const int rounds = shape == 2 && named.size() >= 2 && !wide ? 1 + pick(2) : 0;
  for (int k = 0; k < rounds; ++k) {
    Round round;
    for (const int j : named) {
      if (named.size() == 2 || pick(2) == 0) round.coordinates.push_back(j);
    }
    if (round.coordinates.size() < 2) round.coordinates = {named[0], named[1]};
    const Vector at = x(round.coordinates), sizes = scale(round.coordinates);
    round.center = at + sizes.cwiseProduct(rng.normal_vector(static_cast<int>(sizes.size())));
    double nearest = kInfinity;  // of single points; mixtures may be nearer
    for (int i = 0; i < n; ++i)
      nearest = std::min(nearest, (Vector(points.values.col(i)(round.coordinates)) - round.center).norm());
    const double through = (at - round.center).norm();
    round.radius = relation == 0   ? through + margin * sizes.norm()
                   : relation == 1 ? through
                   : relation == 2 ? nearest
                                   : std::max(0.0, through * (1 - margin));
    std::string text = "norm(";
    for (size_t c = 0; c < round.coordinates.size(); ++c) {
      const double center = round.center[static_cast<Eigen::Index>(c)];
      text += fmt::format("{}x{} {} {}", c > 0 ? ", " : "", round.coordinates[c], center < 0 ? "+" : "-",
                          std::abs(center));
    }
    instance.texts.push_back(text + fmt::format(") <= {}", round.radius));
    instance.rounds.push_back(std::move(round));
  }
  const auto add = [&](const Vector& a) {
    Row row{a, bound_for(a)};
    std::string text;
    for (const int j : named) {
      if (a[j] == 0) continue;
      const char* sign = a[j] < 0 ? (text.empty() ? "-" : " - ") : (text.empty() ? "" : " + ");
      text += std::abs(a[j]) == 1 ? fmt::format("{}x{}", sign, j)
                                  : fmt::format("{}{}*x{}", sign, std::abs(a[j]), j);
    }
    instance.texts.push_back(text + fmt::format(" <= {}", row.b));
    instance.rows.push_back(std::move(row));
  };
  for (int k = rounds > 0 ? pick(3) : 1 + pick(wide ? 40 : 6); k > 0; --k) {
    Vector a = Vector::Zero(m);
    if (shape == 0 || pick(3) == 0) {
      a[named[static_cast<size_t>(pick(static_cast<int>(named.size())))]] = pick(2) == 0 ? 1 : -1;
    } else {
      for (const int j : named) a[j] = pick(3) == 0 ? 0 : rng.normal() / (pick(2) == 0 ? scale[j] : 1);
      if (a.isZero(0)) a[named[0]] = 1;
    }
    const bool equation = relation == 1 && pick(8) == 0;
    add(a);
    if (equation) {
      add(-a);
      instance.rows.back().b = -instance.rows[instance.rows.size() - 2].b;
      instance.texts.pop_back();
      std::string& text = instance.texts.back();
      text.replace(text.find("<="), 2, "==");
    }
  }
  if (pick(4) == 0) instance.tolerance = 1e-6 * common;
  return instance;
}

}  // namespace c2rl::claims
