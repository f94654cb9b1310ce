#include "c2rl/report/readable_certificate.h"

#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "c2rl/base/text.h"

namespace c2rl {
namespace {

/// What a direction, the difference of two computed points, and the bounds along it are known to, relative to
/// what they were computed from.
constexpr double kSnapped = 1e-9;
/// More digits than this tell a reader no more than decimals do.
constexpr int kLargestWhole = 100;
/// As format_number has them.
constexpr int kUsualDigits = 6;
/// A double has no more.
constexpr int kMostDigits = 17;

/// What is printed of a certificate: combination.y >= achievable_at, and combination.z <= target_at.
struct Argument {
  Vector combination;
  double achievable_at = 0, target_at = 0;
};

/// The smallest whole numbers along the direction, if there are small ones.
std::optional<Vector> whole_numbers(const Vector& direction) {
  const Vector parts = direction / direction.lpNorm<Eigen::Infinity>();
  for (int largest = 1; largest <= kLargestWhole; ++largest) {
    Vector whole = (largest * parts).array().round();
    if ((largest * parts - whole).lpNorm<Eigen::Infinity>() <= kSnapped * largest) return whole;
  }
  return std::nullopt;
}

/// The coefficients of a linear constraint that the direction is normal to.
std::optional<Vector> constraint_along(const Vector& direction, const Target& target) {
  for (const Constraint& constraint : target.constraints) {
    for (const LinearRange& range : constraint.ranges) {
      const double length = range.normal.dot(direction);
      if ((range.normal - length * direction).norm() <= kSnapped * std::abs(length))
        return length > 0 ? range.normal : Vector(-range.normal);
    }
  }
  return std::nullopt;
}

double with_digits(double value, int digits) {
  return parse_number(fmt::format("{:.{}g}", value, digits)).value_or(value);
}

/// The largest number of so many digits that is at most the value, give or take its rounding.
double rounded_down(double value, int digits, double rounding) {
  if (std::abs(value) <= rounding) return 0;
  const double near = with_digits(value, digits);
  if (near <= value + rounding) return near;
  const double last_digit = std::pow(10, std::floor(std::log10(std::abs(near))) - digits + 1);
  return with_digits(near - last_digit, digits);
}

/// The certificate along a combination near its direction: off by `allowed` at most, either way.
Argument along(const Vector& combination, const Certificate& certificate, double allowed) {
  const double length = combination.dot(certificate.direction);
  return {combination, length * certificate.achievable_at - allowed,
          length * certificate.target_at + allowed};
}

/// Decimals, as few as leave nearly all of the gap between both bounds.
Argument in_decimals(const Certificate& certificate, const Vector& sizes) {
  constexpr int kFewestDigits = 3;
  constexpr double kPartOfTheGap = 0.01;
  constexpr double kLarger = 10;  // measurements that nobody has seen yet may be larger than those seen
  const Vector parts = certificate.direction / certificate.direction.lpNorm<Eigen::Infinity>();
  for (int digits = kFewestDigits;; ++digits) {
    Vector shortened = parts;
    for (double& part : shortened) part = with_digits(part, digits);
    const double length = shortened.dot(certificate.direction);
    const double allowed = kLarger * (shortened - length * certificate.direction).cwiseAbs().dot(sizes);
    const double gap = length * (certificate.achievable_at - certificate.target_at);
    if (allowed <= kPartOfTheGap * gap || digits == kMostDigits)
      return along(shortened, certificate, allowed);
  }
}

/// With as many digits of the bounds as it takes to see that they contradict each other.
int round_bounds(Argument& argument, const Vector& sizes) {
  const double rounding = kSnapped * argument.combination.cwiseAbs().dot(sizes);
  for (int digits = kUsualDigits;; ++digits) {
    const double achievable_at = rounded_down(argument.achievable_at, digits, rounding);
    const double target_at = -rounded_down(-argument.target_at, digits, rounding);
    if (achievable_at <= target_at && digits < kMostDigits) continue;
    argument.achievable_at = achievable_at;
    argument.target_at = target_at;
    return digits;
  }
}

std::string number(double value, int digits) {
  return fmt::format("{:.{}g}", value + 0.0, digits);  // + 0 turns -0 into 0
}

bool starts_negative(const Vector& combination) {
  for (const double coefficient : combination) {
    if (coefficient != 0) return coefficient < 0;
  }
  return false;
}

}  // namespace

std::string combination_words(const Vector& combination, const std::vector<std::string>& names) {
  std::string text;
  for (int i = 0; i < combination.size(); ++i) {
    const double size = std::abs(combination[i]);
    if (size == 0) continue;
    const std::string sign = combination[i] < 0 ? "-" : "+";
    if (text.empty()) {
      text += combination[i] < 0 ? "-" : "";
    } else {
      text += " " + sign + " ";
    }
    text += size == 1 ? names[i] : fmt::format("{} {}", size, names[i]);
  }
  return text;
}

ReadableCertificate readable(const Certificate& certificate, const Target& target, const Vector& sizes) {
  std::optional<Vector> exact = whole_numbers(certificate.direction);
  if (!exact) exact = constraint_along(certificate.direction, target);
  Argument argument = exact ? along(*exact, certificate, 0) : in_decimals(certificate, sizes);
  const int digits = round_bounds(argument, sizes);
  // Rather "steps <= 5" than "-steps >= -5".
  const bool turned = starts_negative(argument.combination);
  const double sign = turned ? -1 : 1;
  const std::string left = combination_words(sign * argument.combination, target.names);
  return {fmt::format("{} {} {}", left, turned ? "<=" : ">=", number(sign * argument.achievable_at, digits)),
          fmt::format("{} {} {}", left, turned ? ">=" : "<=", number(sign * argument.target_at, digits)),
          number(rounded_down(certificate.bound, kUsualDigits, kSnapped * certificate.bound), kUsualDigits)};
}

}  // namespace c2rl
