#include "c2rl/cli/print_result.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "c2rl/base/text.h"
#include "c2rl/cli/claim_words.h"
#include "c2rl/cli/readable_certificate.h"
#include "c2rl/cli/table.h"

namespace c2rl {
namespace {

/// A constraint with less room than this, relative to the size of its terms, is called tight.
constexpr double kTight = 1e-7;

double size_of(const Vector& point) {
  return std::max(1.0, point.norm());
}

/// The constraints that stop the target where the certificate's direction leaves it.
std::vector<std::string> constraints_in_the_way(const Certificate& certificate, const Target& target) {
  std::vector<std::string> found;
  const double size = size_of(certificate.target_point);
  const Vector beyond = certificate.target_point + 1e-3 * certificate.bound * certificate.direction;
  for (const Constraint& constraint : target.constraints) {
    const bool tight = constraint.violation(certificate.target_point) >= -kTight * size;
    if (tight && constraint.violation(beyond) > constraint.violation(certificate.target_point)) {
      found.push_back(fmt::format("\"{}\"", constraint.text));
    }
  }
  return found;
}

std::string quoted_list(const std::vector<std::string>& items) {
  if (items.size() < 2) return join(items, "");
  const std::vector<std::string> head(items.begin(), items.end() - 1);
  return join(head, ", ") + " and " + items.back();
}

/// What the best value lies between, from below.
std::string bracket_words(const Result& result) {
  if (!result.optimum) return "";
  const Optimum& optimum = *result.optimum;
  const double size = size_of(optimum, result);
  const auto [low, high] = std::minmax(optimum.value, optimum.bound);
  return fmt::format("The {} of {} inside the target lies between {} and {} ({}).\n",
                     optimum.sense == Sense::maximize ? "most" : "least", optimum.name,
                     format_number(low, size), format_number(high, size), to_string(optimum.grade));
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
  const Vector sizes = sizes_of(result);
  for (const Constraint& constraint : target.constraints) {
    // Whether it is violated is a matter of distance, which the tolerance is; by how much, of its own units.
    const Excess excess = constraint.excess(result.measurement, sizes);
    std::string word = "holds, slack " + format_number(-excess.amount);
    if (constraint.violation(result.measurement) >
        std::max(result.tolerance, kRounding * constraint.size(result.measurement)))
      word = "violated by " + format_number(excess.amount);
    else if (excess.amount >= -kTight * excess.terms)
      word = "tight";
    rows.push_back({constraint.text, word});
  }
  return format_table(rows) + "\n";
}

/// Both halves of the argument, the constraints that make it, and what it rests on.
std::string certificate_words(const Result& result, const Target& target) {
  const Certificate& certificate = result.certificate;
  if (result.status != Status::infeasible && result.status != Status::stuck) return "";
  if (certificate.bound == 0) return "";
  const Vector sizes = sizes_of(result).cwiseMax(certificate.target_point.cwiseAbs());
  const ReadableCertificate argument = readable(certificate, target, sizes);
  const std::vector<std::string> in_the_way = constraints_in_the_way(certificate, target);
  const char* subject = certificate.grade == Grade::proof || result.status == Status::infeasible
                            ? "No mixture can"
                            : "It seems that no mixture can";
  std::string text = in_the_way.size() == 1
                         ? fmt::format("{} satisfy {}.\n", subject, in_the_way[0])
                         : fmt::format("{} satisfy {} together.\n", subject, quoted_list(in_the_way));
  text +=
      fmt::format("Every mixture has    {}\nthe target asks for  {}\n", argument.achievable, argument.asked);
  text += fmt::format("so the distance is at least {} ({}).\n", argument.distance,
                      certificate.grade == Grade::proof ? "proof"
                      : !result.claim.proven && result.status == Status::infeasible
                          ? fmt::format("with {:g}% confidence", 100 * result.claim.level)
                          : "evidence: it rests on estimates, two standard errors are allowed for");
  return text;
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
