#include "mix_instance.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "c2rl/base/random.h"

namespace c2rl::claims {

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
