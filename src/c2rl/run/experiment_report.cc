#include "c2rl/run/experiment_report.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "c2rl/base/file.h"
#include "c2rl/base/text.h"
#include "c2rl/base/vector.h"

namespace c2rl {
namespace {

/// Linear interpolation between the sorted values.
double quantile(std::vector<double> values, double part) {
  std::sort(values.begin(), values.end());
  const double position = part * static_cast<double>(values.size() - 1);
  const auto below = static_cast<size_t>(position);
  const double rest = position - static_cast<double>(below);
  if (rest == 0 || values[below] == values[below + 1]) return values[below];  // values may be infinite
  return values[below] + rest * (values[below + 1] - values[below]);
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double deviation(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  const double middle = mean(values);
  double sum = 0;
  for (const double value : values) sum += (value - middle) * (value - middle);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

/// The median over the cells of what their first row at the error says; infinity for a cell without one.
double median_when_reached(const Series& series, double error, int CellRow::*column) {
  std::vector<double> values;
  for (const auto& rows : series.cells) {
    const auto reached =
        std::find_if(rows.begin(), rows.end(), [&](const CellRow& row) { return row.error <= error; });
    values.push_back(reached == rows.end() ? kInfinity : (*reached).*column);
  }
  return quantile(values, 0.5);
}

std::string label(const Series& series) {
  std::string text = series.method + "," + series.problem;
  for (const std::string& variant : series.variants) text += "," + variant;
  return text;
}

std::string axis_columns(const Experiment& experiment) {
  std::string text;
  for (const Experiment::Axis& axis : experiment.axes) text += "," + axis.name;
  return text;
}

double measure(const Series& series, const Expectation& claim, const Experiment& experiment) {
  if (claim.quantity == "final-error") return series.final_error();
  if (claim.quantity == "most-policies") return series.most_policies();
  if (claim.quantity == "calls-to-accuracy") return series.calls_to(claim.accuracy);
  if (claim.quantity == "policies-to-accuracy") return series.policies_to(claim.accuracy);
  return series.exponent(experiment.accuracies);
}

/// What another method is compared with: where it never reaches the accuracy, what it had come to by its end.
double spent(const Series& series, const Expectation& claim) {
  if (claim.quantity == "calls-to-accuracy") return series.calls();
  return series.most_policies();
}

bool concerns(const Expectation& claim, const Series& series, const Experiment& experiment) {
  if (!claim.problem.empty() && claim.problem != series.problem) return false;
  if (claim.where.empty()) return true;
  for (size_t i = 0; i < experiment.axes.size(); ++i) {
    if (claim.where == experiment.axes[i].name + "=" + series.variants[i]) return true;
  }
  return false;
}

}  // namespace

const CellRow& Series::row(size_t cell, int call) const {
  const auto& rows = cells[cell];
  return rows[std::min<size_t>(static_cast<size_t>(call), rows.size()) - 1];
}

int Series::calls() const {
  size_t longest = 0;
  for (const auto& rows : cells) longest = std::max(longest, rows.size());
  return static_cast<int>(longest);
}

double Series::final_error() const {
  double sum = 0;
  for (const auto& rows : cells) sum += rows.back().error;
  return sum / static_cast<double>(cells.size());
}

int Series::most_policies() const {
  int most = 0;
  for (const auto& rows : cells) {
    for (const CellRow& row : rows) most = std::max(most, row.policies);
  }
  return most;
}

double Series::calls_to(double accuracy) const {
  return median_when_reached(*this, accuracy, &CellRow::call);
}

double Series::policies_to(double accuracy) const {
  return median_when_reached(*this, accuracy, &CellRow::policies);
}

double Series::exponent(const std::vector<double>& accuracies) const {
  std::vector<double> x, y;
  for (const double accuracy : accuracies) {
    const double calls = calls_to(accuracy);
    if (!std::isfinite(calls) || calls <= 1) continue;  // what the first answer meets says nothing of growth
    x.push_back(-std::log(accuracy));
    y.push_back(std::log(calls));
  }
  if (x.size() < 3) return std::nan("");
  const double middle_x = mean(x), middle_y = mean(y);
  double covariance = 0, variance = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    covariance += (x[i] - middle_x) * (y[i] - middle_y);
    variance += (x[i] - middle_x) * (x[i] - middle_x);
  }
  return covariance / variance;
}

std::vector<Series> collect(const Experiment& experiment, const std::string& directory) {
  std::vector<Series> all;
  for (const Cell& cell : cells_of(experiment)) {
    auto rows = read_cell(directory, cell);
    if (!rows || rows->empty()) continue;
    const bool continues = !all.empty() && all.back().method == cell.method &&
                           all.back().problem == cell.problem && all.back().variants == cell.variants;
    if (!continues) all.push_back({cell.method, cell.problem, cell.variants, {}, {}});
    all.back().seeds.push_back(cell.seed);
    all.back().cells.push_back(std::move(*rows));
  }
  return all;
}

void write_tables(const Experiment& experiment, const std::vector<Series>& series,
                  const std::string& directory) {
  std::string results = "method,problem" + axis_columns(experiment) +
                        ",seed,call,error,estimated_error,distance,lower_bound,policies,env_steps,seconds\n";
  std::string summary =
      "method,problem" + axis_columns(experiment) +
      ",call,cells,error_mean,error_sd,error_median,error_q1,error_q3,policies_mean,policies_max\n";
  for (const Series& entry : series) {
    const std::string prefix = label(entry);
    for (size_t cell = 0; cell < entry.cells.size(); ++cell) {
      for (const CellRow& row : entry.cells[cell]) {
        results += fmt::format("{},{},{},{},{},{},{},{},{},{:.6f}\n", prefix, entry.seeds[cell], row.call,
                               row.error, row.estimated_error, row.distance, row.lower_bound, row.policies,
                               row.env_steps, row.seconds);
      }
    }
    for (int call = 1; call <= entry.calls(); ++call) {
      std::vector<double> errors, policies;
      for (size_t cell = 0; cell < entry.cells.size(); ++cell) {
        errors.push_back(entry.row(cell, call).error);
        policies.push_back(entry.row(cell, call).policies);
      }
      summary += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", prefix, call, errors.size(), mean(errors),
                             deviation(errors), quantile(errors, 0.5), quantile(errors, 0.25),
                             quantile(errors, 0.75), mean(policies),
                             *std::max_element(policies.begin(), policies.end()));
    }
  }
  write_file(directory + "/results.csv", results);
  write_file(directory + "/summary.csv", summary);
}

std::vector<std::vector<std::string>> overview(const Experiment& experiment,
                                               const std::vector<Series>& series) {
  std::vector<std::string> header = {"method", "problem"};
  for (const Experiment::Axis& axis : experiment.axes) header.push_back(axis.name);
  header.insert(header.end(), {"seeds", "final error", "policies", "exponent"});
  for (const double accuracy : experiment.accuracies) header.push_back("calls to " + format_number(accuracy));
  std::vector<std::vector<std::string>> rows = {header};
  for (const Series& entry : series) {
    std::vector<std::string> row = {entry.method, entry.problem};
    row.insert(row.end(), entry.variants.begin(), entry.variants.end());
    const double exponent = entry.exponent(experiment.accuracies);
    row.insert(row.end(), {fmt::format("{}", entry.cells.size()), format_number(entry.final_error()),
                           fmt::format("{}", entry.most_policies()),
                           std::isnan(exponent) ? "-" : fmt::format("{:.2f}", exponent)});
    for (const double accuracy : experiment.accuracies) {
      const double calls = entry.calls_to(accuracy);
      row.push_back(std::isfinite(calls) ? format_number(calls) : fmt::format("> {}", entry.calls()));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<std::vector<std::string>> judge_claims(const Experiment& experiment,
                                                   const std::vector<Series>& series, bool& all_hold) {
  std::vector<std::vector<std::string>> rows = {{"claim", "came out", "holds"}};
  for (const Expectation& claim : experiment.expectations) {
    bool holds = true, seen = false;
    std::string came_out;
    for (const Series& entry : series) {
      if (entry.method != claim.method || !concerns(claim, entry, experiment)) continue;
      const double value = measure(entry, claim, experiment);
      double limit = claim.at_most;
      std::string compared = fmt::format("{} <= {}", format_number(value), format_number(limit));
      if (!claim.than.empty()) {
        const auto peer = std::find_if(series.begin(), series.end(), [&](const Series& other) {
          return other.method == claim.than && other.problem == entry.problem &&
                 other.variants == entry.variants;
        });
        if (peer == series.end()) continue;
        const double other = measure(*peer, claim, experiment);
        const bool reached = !std::isinf(other);
        limit = (reached ? other : spent(*peer, claim)) / claim.factor;
        compared = format_number(value) + " against " +
                   (reached ? format_number(other) : "> " + format_number(spent(*peer, claim)));
      }
      seen = true;
      holds = holds && std::isfinite(value) && value <= limit;  // that neither got there shows nothing
      came_out += (came_out.empty() ? "" : "; ") + compared;
    }
    holds = holds && seen;
    all_hold = all_hold && holds;
    rows.push_back({claim.says, seen ? came_out : "not run", holds ? "yes" : "NO"});
  }
  return rows;
}

}  // namespace c2rl
