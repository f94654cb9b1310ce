#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "c2rl/base/file.h"
#include "c2rl/run/experiment_columns.h"
#include "c2rl/run/experiment_report.h"

namespace c2rl {
namespace {

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

std::string summary_header(const Experiment& experiment, std::string_view against) {
  return fmt::format(
      "method,problem{},{},cells,error_mean,error_sd,error_median,error_q1,error_q3,policies_mean,policies_"
      "max\n",
      axis_columns(experiment), against);
}

/// Of what the cells of a series had come to at the same time, by whatever clock.
std::string summary_line(const Series& series, double at, const std::vector<CellRow>& rows) {
  std::vector<double> errors, policies;
  for (const CellRow& row : rows) {
    errors.push_back(row.error);
    policies.push_back(row.policies);
  }
  return fmt::format("{},{},{},{},{},{},{},{},{},{}\n", label(series), at, errors.size(), mean(errors),
                     deviation(errors), quantile(errors, 0.5), quantile(errors, 0.25), quantile(errors, 0.75),
                     mean(policies), *std::max_element(policies.begin(), policies.end()));
}

std::string summary_by_calls(const Experiment& experiment, const std::vector<Series>& series) {
  std::string text = summary_header(experiment, "call");
  for (const Series& entry : series) {
    for (int call = 1; call <= entry.calls(); ++call) {
      std::vector<CellRow> rows;
      rows.reserve(entry.cells.size());
      for (size_t cell = 0; cell < entry.cells.size(); ++cell) rows.push_back(entry.row(cell, call));
      text += summary_line(entry, call, rows);
    }
  }
  return text;
}

/// At ten places a decade, from where every cell has its first row to where the last has its last.
std::string summary_by(const Experiment& experiment, const std::vector<Series>& series,
                       std::string_view against, const Column& column) {
  std::string text = summary_header(experiment, against);
  for (const Series& entry : series) {
    double first = 0, last = 0;
    for (const auto& rows : entry.cells) {
      first = std::max(first, column.of(rows.front()));
      last = std::max(last, column.of(rows.back()));
    }
    if (!(first > 0)) continue;  // an exact oracle takes no steps
    constexpr int kPlaces = 10;
    for (int place = static_cast<int>(std::ceil(kPlaces * std::log10(first)));; ++place) {
      const double at = std::pow(10, static_cast<double>(place) / kPlaces);
      std::vector<CellRow> by_then;
      for (const auto& rows : entry.cells) {
        const auto after = std::find_if(rows.begin() + 1, rows.end(),
                                        [&](const CellRow& row) { return column.of(row) > at; });
        by_then.push_back(*(after - 1));
      }
      text += summary_line(entry, at, by_then);
      if (at >= last) break;
    }
  }
  return text;
}

}  // namespace

void write_tables(const Experiment& experiment, const std::vector<Series>& series,
                  const std::string& directory) {
  std::string results = "method,problem" + axis_columns(experiment) +
                        ",seed,call,error,estimated_error,distance,lower_bound,policies,env_steps,seconds\n";
  for (const Series& entry : series) {
    const std::string prefix = label(entry);
    for (size_t cell = 0; cell < entry.cells.size(); ++cell) {
      for (const CellRow& row : entry.cells[cell]) {
        results += fmt::format("{},{},{},{},{},{},{},{},{},{:.6f}\n", prefix, entry.seeds[cell], row.call,
                               row.error, row.estimated_error, row.distance, row.lower_bound, row.policies,
                               row.env_steps, row.seconds);
      }
    }
  }
  write_file(directory + "/results.csv", results);
  write_file(directory + "/summary.csv", summary_by_calls(experiment, series));
  write_file(directory + "/summary_steps.csv",
             summary_by(experiment, series, "env_steps", column_for("steps-to-accuracy")));
  write_file(directory + "/summary_seconds.csv",
             summary_by(experiment, series, "seconds", column_for("seconds-to-accuracy")));
}

}  // namespace c2rl
