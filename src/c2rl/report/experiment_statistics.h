#pragma once

#include <string>
#include <vector>

#include "c2rl/run/experiment_report.h"

namespace c2rl {

/// What is said of the same quantity of many runs.
struct Spread {
  double mean = 0, deviation = 0;  // sample standard deviation; 0 of one
  double median = 0, quartile1 = 0, quartile3 = 0;
  double middle = 0;                       // mean of the middle half
  double middle_low = 0, middle_high = 0;  // its 95% bootstrap interval, over the runs
};

/// Resamples of so many runs, drawn once: the same for all places and quantities, so that curves are smooth.
class Bootstrap {
 public:
  explicit Bootstrap(int runs);
  Spread spread(const std::vector<double>& values) const;

 private:
  int runs_;
  std::vector<std::vector<int>> draws_;
};

/// The mean of the values but the quarter that is lowest and the quarter that is highest.
double interquartile_mean(std::vector<double> values);

/// What the cells of a series had come to, at rising places of a clock: calls, environment steps or seconds.
struct Course {
  std::vector<double> places;
  std::vector<Spread> error, policies;
};

enum class Clock { calls, steps, seconds };
/// At every call where they are few, else at so many that a picture shows no fewer; at ten places a decade of steps and
/// seconds, from where every cell has its first row. No places where nothing is counted, as with an exact oracle's steps.
Course course_of(const Series& series, Clock clock, const Bootstrap& bootstrap);

}  // namespace c2rl
