#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "c2rl/run/experiment.h"

namespace c2rl {

/// All finished cells of one method on one problem and variant of each axis, one per seed.
struct Series {
  std::string method, problem;
  std::vector<std::string> variants;
  std::vector<int> seeds;
  std::vector<std::vector<CellRow>> cells;

  /// A cell that ended early keeps its last row for the calls after it.
  const CellRow& row(size_t cell, int call) const;
  int calls() const;  // of the longest cell

  double final_error() const;  // mean over seeds
  int most_policies() const;   // over all seeds and calls
  /// The median over the cells of calls, policies, steps or seconds (calls-to-accuracy, ...) when an error is first
  /// reached; infinity when half of them never get there.
  double reaches(double accuracy, std::string_view quantity) const;
  /// The slope of log calls against log 1/error over these accuracies: 1 for calls that grow as 1/error. Not
  /// a number when fewer than three of them were reached after the first call.
  double exponent(const std::vector<double>& accuracies) const;
};

/// Of those of the cells that are finished.
std::vector<Series> collect(const std::vector<Cell>& cells, const std::string& directory);
std::vector<Series> collect(const Experiment& experiment, const std::string& directory);

/// results.csv (a row per cell and oracle call); mean, standard deviation, median and quartiles of the error, and the
/// stored policies, per method and oracle call in summary.csv, per environment steps and seconds since the start in
/// summary_steps.csv and summary_seconds.csv.
void write_tables(const Experiment& experiment, const std::vector<Series>& series,
                  const std::string& directory);

/// One row a series for the terminal.
std::vector<std::vector<std::string>> overview(const Experiment& experiment,
                                               const std::vector<Series>& series);

/// One row a claim: what is said, what came out, and whether it holds. `all_hold` is set to false where one
/// does not.
std::vector<std::vector<std::string>> judge_claims(const Experiment& experiment,
                                                   const std::vector<Series>& series, bool& all_hold);

}  // namespace c2rl
