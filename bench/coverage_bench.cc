// How often limits for the mean of what episodes measure hold, and how wide they are beside Student's t.
//
//   coverage_bench [samples [part of a name]]   4000 a row by default: a coverage is known to about 0.007

#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include "c2rl/base/quantiles.h"
#include "c2rl/base/random.h"
#include "c2rl/mdp/limits.h"

namespace {

using c2rl::Rng;
using c2rl::ScalarSample;
using c2rl::Stratum;
using c2rl::TotalRange;

/// One number per episode, with its true mean.
struct Totals {
  std::string name;
  std::function<double(Rng&)> draw;
  double mean;
  TotalRange range;
};

double normal_probability(double x) {
  return std::erfc(-x / std::sqrt(2.0)) / 2;
}

Totals event(double p, bool known) {
  return {fmt::format("event of {}{}", p, known ? "" : ", not said to be one"),
          [p](Rng& rng) { return rng.uniform() < p ? 1.0 : 0.0; },
          p,
          {0, 1, known}};
}

/// 12 steps, each repeated with probability 0.1; with probability `stuck` until the cut.
Totals walk(double stuck) {
  static constexpr double kSteps = 12, kSlip = 0.1, kCut = 500;
  const auto draw = [stuck](Rng& rng) {
    if (stuck > 0 && rng.uniform() < stuck) return kCut;
    double steps = kSteps;
    for (int i = 0; i < kSteps; ++i) steps += std::floor(std::log1p(-rng.uniform()) / std::log(kSlip));
    return steps;
  };
  const double mean = kSteps / (1 - kSlip);
  return {stuck > 0 ? fmt::format("slippery walk, stuck with {}", stuck) : "slippery walk of 12 steps",
          draw,
          mean * (1 - stuck) + kCut * stuck,
          {kSteps, kCut}};
}

Totals exponential() {
  return {"exponential, cut at 20",
          [](Rng& rng) { return std::min(20.0, -std::log1p(-rng.uniform())); },
          -std::expm1(-20.0),
          {0, 20}};
}

Totals lognormal() {
  static constexpr double kSpread = 2, kCut = 1000;
  const double edge = std::log(kCut) / kSpread;
  return {
      "lognormal(0, 2), cut at 1000",
      [](Rng& rng) { return std::min(kCut, std::exp(kSpread * rng.normal())); },
      std::exp(kSpread * kSpread / 2) * normal_probability(edge - kSpread) + kCut * normal_probability(-edge),
      {0, kCut}};
}

Totals constant() {
  return {"constant", [](Rng&) { return 12.0; }, 12, {0, 500}};
}

/// Members with their weights and their parts of the episodes. The range is that of all.
struct Mixture {
  std::string name;
  std::vector<Totals> members;
  std::vector<double> weights, shares;

  Mixture(Totals totals) : name(totals.name), members{std::move(totals)}, weights{1}, shares{1} {}
  Mixture(std::string of, std::vector<Totals> all, std::vector<double> by, std::vector<double> parts)
      : name(std::move(of)), members(std::move(all)), weights(std::move(by)), shares(std::move(parts)) {}

  double mean() const {
    double sum = 0;
    for (std::size_t i = 0; i < members.size(); ++i) sum += weights[i] * members[i].mean;
    return sum;
  }
  TotalRange range() const {
    TotalRange all = members[0].range;
    for (const Totals& member : members) {
      all.lowest = std::min(all.lowest, member.range.lowest);
      all.highest = std::max(all.highest, member.range.highest);
      all.event = all.event && member.range.event;
    }
    return all;
  }
  std::vector<Stratum> draw(int episodes, Rng rng) const {
    std::vector<Stratum> strata;
    for (std::size_t i = 0; i < members.size(); ++i) {
      strata.push_back({weights[i], {}});
      const int count = static_cast<int>(std::lround(episodes * shares[i]));
      for (int k = 0; k < count; ++k) strata.back().sample.add(members[i].draw(rng));
    }
    return strata;
  }
};

double student_half_width(const std::vector<Stratum>& strata, double risk) {
  double variance = 0, least = c2rl::kInfinity;
  for (const auto& [weight, sample] : strata) {
    variance += weight * weight * sample.variance() / static_cast<double>(sample.count);
    least = std::min(least, static_cast<double>(sample.count));
  }
  return -c2rl::student_quantile(risk, least - 1) * std::sqrt(variance);
}

double mean_of(const std::vector<Stratum>& strata) {
  double sum = 0;
  for (const auto& [weight, sample] : strata) sum += weight * sample.mean;
  return sum;
}

constexpr std::array kLevels = {0.95, 0.99, 0.999};

/// Student's t, both limits with the range, and the upper one without.
struct Row {
  double student_holds = 0, upper_holds = 0, lower_holds = 0, blind_holds = 0;
  double student_width = 0, upper_width = 0, lower_width = 0, blind_width = 0;
};

/// A row per level, of the same samples.
std::vector<Row> measure(const Mixture& mixture, int episodes, int samples, const Rng& rng) {
  std::vector<std::vector<Row>> rows(samples);
  const double truth = mixture.mean(), rounding = 1e-12 * (1 + std::abs(truth));
  const auto holds = [&](double limit) { return truth <= limit + rounding ? 1.0 : 0.0; };
  tbb::parallel_for(0, samples, [&](int i) {
    const std::vector<Stratum> strata = mixture.draw(episodes, rng.fork("sample", i));
    const double mean = mean_of(strata);
    for (const double level : kLevels) {
      const double risk = 1 - level, half = student_half_width(strata, risk);
      const double upper = c2rl::upper_limit(strata, mixture.range(), risk);
      const double lower = c2rl::lower_limit(strata, mixture.range(), risk);
      const double blind = c2rl::upper_limit(strata, {}, risk);
      rows[i].push_back({holds(mean + half), holds(upper), truth >= lower - rounding ? 1.0 : 0.0,
                         holds(blind), half, upper - mean, mean - lower, blind - mean});
    }
  });
  std::vector<Row> sums(kLevels.size());
  for (const auto& of_sample : rows) {
    for (std::size_t k = 0; k < kLevels.size(); ++k) {
      const Row& row = of_sample[k];
      sums[k].student_holds += row.student_holds / samples;
      sums[k].upper_holds += row.upper_holds / samples;
      sums[k].lower_holds += row.lower_holds / samples;
      sums[k].blind_holds += row.blind_holds / samples;
      sums[k].student_width += row.student_width / samples;
      sums[k].upper_width += row.upper_width / samples;
      sums[k].lower_width += row.lower_width / samples;
      sums[k].blind_width += row.blind_width / samples;
    }
  }
  return sums;
}

std::vector<Mixture> all_mixtures() {
  return {
      event(1e-3, true),
      event(1e-2, true),
      event(0.3, true),
      event(1e-3, false),
      event(1e-2, false),
      event(0.3, false),
      walk(0),
      walk(1e-3),
      walk(1e-2),
      exponential(),
      lognormal(),
      constant(),
      {"two events, .3 and 1e-3", {event(0.3, true), event(1e-3, true)}, {0.4, 0.6}, {0.7, 0.3}},
      {"walk and stuck walk", {walk(0), walk(1e-3)}, {0.8, 0.2}, {0.6, 0.4}},
      {"stuck walks of 1e-3 and 1e-2", {walk(1e-3), walk(1e-2)}, {0.5, 0.5}, {0.5, 0.5}},
      {"three stuck walks of 1e-3", {walk(1e-3), walk(1e-3), walk(1e-3)}, {0.3, 0.3, 0.4}, {0.3, 0.3, 0.4}},
      {"stuck walks, the rarest counts most", {walk(1e-2), walk(3e-4)}, {0.3, 0.7}, {0.8, 0.2}},
      {"stuck walks, the rarest counts less", {walk(1e-2), walk(3e-4)}, {0.7, 0.3}, {0.5, 0.5}},
      {"five events of 1e-2, not said to be",
       std::vector<Totals>(5, event(1e-2, false)),
       {0.1, 0.1, 0.2, 0.2, 0.4},
       {0.2, 0.2, 0.2, 0.2, 0.2}},
      {"five events of 1e-2",
       std::vector<Totals>(5, event(1e-2, true)),
       {0.1, 0.1, 0.2, 0.2, 0.4},
       {0.2, 0.2, 0.2, 0.2, 0.2}},
      {"walk, constant and stuck walk", {walk(0), constant(), walk(1e-3)}, {0.2, 0.3, 0.5}, {0.4, 0.2, 0.4}},
      {"lognormal, exponential, constant",
       {lognormal(), exponential(), constant()},
       {0.3, 0.3, 0.4},
       {0.6, 0.2, 0.2}}};
}

}  // namespace

int main(int argc, char** argv) {
  const int samples = argc > 1 ? std::atoi(argv[1]) : 4000;
  fmt::print(
      "How often limits hold, of {} samples a row, and how far they are from the mean, for Student's t, the\n"
      "limits with the range known, and the upper one without. *: too seldom, by more than 3 standard "
      "errors.\n\n",
      samples);
  fmt::print("{:<36}{:>6}{:>6} | {:^31} | {:^42}\n", "", "", "", "holds", "mean half-width");
  fmt::print("{:<36}{:>6}{:>6} | {:>7}{:>8}{:>8}{:>8} | {:>9}{:>11}{:>11}{:>11}\n", "totals", "n", "level",
             "t", "upper", "lower", "blind", "t", "upper", "lower", "blind");
  std::uint64_t index = 0;
  for (const Mixture& mixture : all_mixtures()) {
    if (argc > 2 && mixture.name.find(argv[2]) == std::string::npos) continue;
    for (const int episodes : {100, 1000, 10000}) {
      const std::vector<Row> rows = measure(mixture, episodes, samples, Rng(1).fork("row", index++));
      for (std::size_t k = 0; k < kLevels.size(); ++k) {
        const double level = kLevels[k], least = level - 3 * std::sqrt(level * (1 - level) / samples);
        const Row& row = rows[k];
        const auto shown = [&](double holds) {
          return fmt::format("{:.4f}{}", holds, holds < least ? '*' : ' ');
        };
        fmt::print("{:<36}{:>6}{:>6} | {:>7}{:>8}{:>8}{:>8} | {:>9.4g}{:>11.4g}{:>11.4g}{:>11.4g}\n",
                   mixture.name, episodes, level, shown(row.student_holds), shown(row.upper_holds),
                   shown(row.lower_holds), shown(row.blind_holds), row.student_width, row.upper_width,
                   row.lower_width, row.blind_width);
      }
    }
  }
}
