#include "c2rl/base/quantiles.h"

#include <cmath>
#include <numbers>
#include <stdexcept>

#include <fmt/format.h>

#include "c2rl/base/vector.h"

namespace c2rl {
namespace {

void check_probability(const char* function, double p) {
  if (!(p > 0 && p < 1))
    throw std::logic_error(fmt::format("{}: {} is no probability in (0, 1)", function, p));
}

/// What Stirling's formula leaves out: log Gamma(x + 1) - (x + 1/2) log x + x - log(2 pi) / 2.
double stirling_error(double x) {
  constexpr double kAsymptotic = 16;  // where the series has the last digit
  if (x < kAsymptotic) {
    // Up to where the series holds by Gamma(x + 1) = Gamma(x + 1 + steps) / product.
    double y = x, product = 1;
    while (y < kAsymptotic) product *= ++y;
    return stirling_error(y) + (y + 0.5) * std::log(y) - y - (x > 0 ? (x + 0.5) * std::log(x) : 0) + x -
           std::log(product);
  }
  const double square = 1 / (x * x);
  return (1.0 / 12 -
          (1.0 / 360 -
           (1.0 / 1260 - (1.0 / 1680 - (1.0 / 1188 - 691.0 / 360360 * square) * square) * square) * square) *
              square) /
         x;
}

/// x log(x / y) + y - x without the cancellation when they are close (Loader 2000).
double deviance(double x, double y) {
  constexpr double kClose = 0.1;
  if (std::abs(x - y) >= kClose * (x + y)) return x * std::log(x / y) + y - x;
  const double v = (x - y) / (x + y);
  double sum = (x - y) * v, term = 2 * x * v;
  for (int k = 3;; k += 2) {
    term *= v * v;
    const double next = sum + term / k;
    if (next == sum) return sum;
    sum = next;
  }
}

/// A number in (0, 1) that is known as well near 1 as near 0.
struct Part {
  double x = 0, rest = 0;
  explicit Part(double logit) : x(1 / (1 + std::exp(-logit))), rest(1 / (1 + std::exp(logit))) {}
};

/// log(x^a rest^b / B(a, b)), the density of the logit. All digits for any a and b, where differences of log
/// Gamma would lose those that their size takes.
double log_logit_density(const Part& at, double a, double b) {
  const double n = a + b;
  return stirling_error(n) - stirling_error(a) - stirling_error(b) - deviance(a, n * at.x) -
         deviance(b, n * at.rest) + std::log(a * (b / n) / (2 * std::numbers::pi)) / 2;
}

/// The continued fraction of the incomplete beta function I_x(a, b), which is logit_density times it; for x
/// up to the mean a / (a + b). In the form of DiDonato and Morris (1992), whose terms do not cancel when x is
/// close to 1.
double beta_fraction(const Part& at, double a, double b) {
  constexpr int kMost = 1000000;  // it takes about the square root of the larger of a and b
  const double n = a + b;
  const double below_mean = a > b ? n * at.rest - b : a - n * at.x;
  // Successive approximants, scaled so that the denominator of the last one is 1.
  double fraction = (a + 1) / (a * (1 + below_mean));
  double numerator_before = 0, denominator_before = fraction;
  for (int i = 1; i <= kMost; ++i) {
    const double s = a + 2 * i - 1;
    const double w = i * (b - i) * at.x;
    const double alpha = (a + i - 1) / s * ((n + i - 1) / s) * w * at.x;
    const double beta = i + w / s + (a + i) / (a + 2 * i + 1) * (1 + below_mean + i * (1 + at.rest));
    const double denominator = alpha * denominator_before + beta;
    const double next = (alpha * numerator_before + beta * fraction) / denominator;
    if (std::abs(next - fraction) <= kEpsilon * next) return next;
    numerator_before = fraction / denominator;
    denominator_before = 1 / denominator;
    fraction = next;
  }
  throw std::logic_error(fmt::format("beta_quantile: no end of the fraction for a = {}, b = {}", a, b));
}

/// The logarithm of a distribution function and its derivative.
struct LogProbability {
  double value, slope;
};

LogProbability log_beta_probability(double logit, double a, double b) {
  const Part at(logit);
  const double log_density = log_logit_density(at, a, b);
  if (logit <= std::log(a / b)) {
    const double fraction = beta_fraction(at, a, b);
    return {log_density + std::log(fraction), 1 / fraction};
  }
  const double density = std::exp(log_density);
  const double probability = 1 - density * beta_fraction(Part(-logit), b, a);
  return {std::log(probability), density / probability};
}

/// Where an increasing concave function is `goal`, by Newton's method: after the first step it comes from
/// below and never goes too far.
template <typename Function>
double concave_root(double start, double goal, const Function& function) {
  double x = start;
  for (int step = 0; step < 200; ++step) {
    const LogProbability here = function(x);
    const double next = x + (goal - here.value) / here.slope;
    if (std::abs(next - x) <= 4 * kEpsilon * std::abs(next) || (step > 0 && next <= x)) return next;
    x = next;
  }
  return x;
}

/// The logit of the beta quantile. The density of the logit is log-concave, and so is its distribution.
double logit_quantile(double p, double a, double b) {
  if (p > 0.5) return -logit_quantile(1 - p, b, a);
  return concave_root(std::log(a / b), std::log(p),
                      [&](double logit) { return log_beta_probability(logit, a, b); });
}

}  // namespace

double normal_quantile(double p) {
  check_probability("normal_quantile", p);
  if (p > 0.5) return -normal_quantile(1 - p);
  if (p == 0.5) return 0;
  // P(X < -z) <= exp(-z^2 / 2) / 2: that bound's root lies below.
  return concave_root(-std::sqrt(-2 * std::log(2 * p)), std::log(p), [](double x) {
    const double probability = std::erfc(-x / std::numbers::sqrt2) / 2;
    const double density = std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
    return LogProbability{std::log(probability), density / probability};
  });
}

double student_quantile(double p, double degrees) {
  check_probability("student_quantile", p);
  if (!(degrees > 0)) throw std::logic_error(fmt::format("student_quantile: {} degrees", degrees));
  if (p > 0.5) return -student_quantile(1 - p, degrees);
  if (p == 0.5) return 0;
  constexpr double kNormal = 1e14;  // the quantiles differ by less than their last digit
  if (degrees > kNormal) return normal_quantile(p);
  // degrees / (degrees + t^2) has the beta distribution.
  return -std::sqrt(degrees * std::exp(-logit_quantile(2 * p, degrees / 2, 0.5)));
}

double beta_quantile(double p, double a, double b) {
  check_probability("beta_quantile", p);
  if (!(a > 0 && b > 0 && a < kInfinity && b < kInfinity))
    throw std::logic_error(fmt::format("beta_quantile: a = {}, b = {}", a, b));
  return Part(logit_quantile(p, a, b)).x;
}

}  // namespace c2rl
