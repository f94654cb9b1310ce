#include "c2rl/cli/print_result.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "c2rl/base/text.h"
#include "c2rl/cli/table.h"
#include "c2rl/report/claim_words.h"
#include "c2rl/report/result_words.h"

namespace c2rl {
namespace {

double size_of(const Vector& point) {
  return std::max(1.0, point.norm());
}

bool is_noisy(const Result& result) {
  return result.standard_error.size() > 0 && result.standard_error.maxCoeff() > 0;
}

std::string mixture_table(const Result& result) {
  const Vector sizes = sizes_of(result);
  const bool noisy = is_noisy(result);
  const auto row = [&](const std::string& name, double weight, const Vector& values, const Vector& errors) {
    std::vector<std::string> cells = {name, format_number(weight, 1)};
    for (int i = 0; i < values.size(); ++i) {
      cells.push_back(format_number(values[i], sizes[i]) + (noisy ? " ± " + format_number(errors[i]) : ""));
    }
    return cells;
  };
  std::vector<std::vector<std::string>> rows = {{"policy", "weight"}};
  rows[0].insert(rows[0].end(), result.names.begin(), result.names.end());
  for (const ResultPolicy& policy : result.policies) {
    rows.push_back(row(policy.id, policy.weight, policy.measurement, policy.standard_error));
  }
  rows.push_back(row("mixture", 1, result.measurement, result.standard_error));
  if (result.simulated) {
    rows.push_back({"simulated", "1"});
    for (const double value : result.simulated->measurement) rows.back().push_back(format_number(value));
  }
  return format_table(rows) + (noisy ? "  ± one standard error\n" : "");
}

std::string constraint_table(const Result& result, const Target& target) {
  if (target.constraints.empty()) return "";
  std::vector<std::vector<std::string>> rows = {{"constraint", ""}};
  for (const Constraint& constraint : target.constraints) {
    rows.push_back({constraint.text, constraint_words(constraint, result)});
  }
  return format_table(rows) + "\n";
}

std::string describe(const Result& result, const Target& target) {
  std::string text =
      headline(result) + "\n\n" + mixture_table(result) + "\n" + constraint_table(result, target);
  text += certificate_words(result, target);
  text += bracket_words(result);
  text += claim_words(result) + cut_words(result);
  if (result.simulated) {
    text += fmt::format(
        "All of this is estimated from data. In the simulator, which the run did not see, the mixture is {} "
        "away.\n",
        format_number(result.simulated->distance));
  }
  text += fmt::format("{} with {}; {} stored at any time; distance {}.\n",
                      counted(result.oracle_calls, "oracle call"), result.solver,
                      result.policies_stored_max == 1
                          ? "1 policy"
                          : fmt::format("at most {} policies", result.policies_stored_max),
                      format_number(result.distance, size_of(sizes_of(result))));
  if (result.steps.all() > 0) {
    const auto words = [](std::int64_t steps) { return with_commas(static_cast<double>(steps)); };
    text += fmt::format(
        "{} environment steps: {} of training, {} of checks, {} of evaluation, {} of confirmation.\n",
        words(result.steps.all()), words(result.steps.training), words(result.steps.checks),
        words(result.steps.evaluation), words(result.steps.confirmation));
  }
  return text;
}

}  // namespace

std::string print(const Result& result, const Target& target, Format format) {
  return format == Format::json ? to_json_text(result) : describe(result, target);
}

}  // namespace c2rl
