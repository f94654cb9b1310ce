#include "c2rl/run/experiment_report.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "c2rl/base/text.h"
#include "c2rl/base/vector.h"
#include "c2rl/run/experiment_columns.h"

namespace c2rl {
namespace {

double measure(const Series& series, const Expectation& claim, const Experiment& experiment) {
  if (claim.quantity == "final-error") return series.final_error();
  if (claim.quantity == "most-policies") return series.most_policies();
  if (claim.quantity.ends_with("-to-accuracy")) return series.reaches(claim.accuracy, claim.quantity);
  return series.exponent(experiment.accuracies);
}

/// What another method is compared with: where it never reaches the accuracy, what it had come to by its end.
double spent(const Series& series, const Expectation& claim) {
  double most = 0;
  for (const auto& rows : series.cells) {
    for (const CellRow& row : rows) most = std::max(most, column_for(claim.quantity).of(row));
  }
  return most;
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

double Series::reaches(double accuracy, std::string_view quantity) const {
  const Column& column = column_for(quantity);
  std::vector<double> values;
  for (const auto& rows : cells) {
    const auto reached =
        std::find_if(rows.begin(), rows.end(), [&](const CellRow& row) { return row.error <= accuracy; });
    values.push_back(reached == rows.end() ? kInfinity : column.of(*reached));
  }
  return quantile(values, 0.5);
}

double Series::exponent(const std::vector<double>& accuracies) const {
  std::vector<double> x, y;
  for (const double accuracy : accuracies) {
    const double calls = reaches(accuracy, "calls-to-accuracy");
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
  return collect(cells_of(experiment), directory);
}

std::vector<Series> collect(const std::vector<Cell>& cells, const std::string& directory) {
  std::vector<Series> all;
  for (const Cell& cell : cells) {
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
      const double calls = entry.reaches(accuracy, "calls-to-accuracy");
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
