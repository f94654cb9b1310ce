#include "c2rl/cli/print_result.h"

#include <cmath>

#include <fmt/format.h>

#include "c2rl/base/text.h"
#include "c2rl/cli/table.h"

namespace c2rl {
namespace {

/// A constraint with less room than this, relative to the size of the point, is called tight.
constexpr double kTight = 1e-7;

double size_of(const Vector& point) {
  return std::max(1.0, point.norm());
}

/// "0.832 steps + 0.555 risk"
std::string combination(const Vector& direction, const std::vector<std::string>& names) {
  std::string text;
  for (int i = 0; i < direction.size(); ++i) {
    if (std::abs(direction[i]) < 1e-9) continue;
    const std::string term = std::abs(std::abs(direction[i]) - 1) < 1e-9
                                 ? names[i]
                                 : fmt::format("{} {}", format_number(std::abs(direction[i])), names[i]);
    text += text.empty() ? (direction[i] < 0 ? "-" : "") : (direction[i] < 0 ? " - " : " + ");
    text += term;
  }
  return text;
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

/// "1 oracle call", "2 oracle calls"
std::string counted(int count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

/// " with 95% confidence", where there is no proof.
std::string confidence(const Result& result) {
  return result.claim.proven ? "" : fmt::format(" with {:g}% confidence", 100 * result.claim.level);
}

std::string headline(const Result& result) {
  switch (result.status) {
    case Status::feasible:
      return fmt::format("feasible{}: this mixture satisfies every constraint.", confidence(result));
    case Status::infeasible:
      return fmt::format("infeasible{}: no mixture satisfies the constraints; the nearest is {} away.",
                         confidence(result), format_number(result.distance));
    case Status::optimal:
      if (!result.maximum) return "optimal: this mixture satisfies every constraint.";
      if (result.maximum->interval.size() == 2) {
        return fmt::format(
            "optimal{}: this mixture satisfies every constraint, with {} from {} to {}; none has more than "
            "{}.",
            confidence(result), result.maximum->name, format_number(result.maximum->interval[0]),
            format_number(result.maximum->interval[1]), format_number(result.maximum->bracket.upper_bound));
      }
      return fmt::format("optimal: {} = {} is the most that any mixture inside the target reaches.",
                         result.maximum->name, format_number(result.maximum->bracket.value));
    case Status::stuck:
      return fmt::format(
          "stuck: the oracle finds nothing nearer than this mixture, which is {} away; nothing proves that "
          "none exists.",
          format_number(result.distance));
    case Status::undecided:
      return fmt::format(
          "undecided: neither inside the target nor proven out of reach; this mixture is {} away.",
          format_number(result.distance));
    case Status::budget:
      if (result.interrupted) {
        return fmt::format("interrupted after {}; the best mixture so far is {} away.",
                           counted(result.oracle_calls, "oracle call"), format_number(result.distance));
      }
      return fmt::format("budget: {} {} used up; the best mixture so far is {} away.",
                         counted(result.oracle_calls, "oracle call"), result.oracle_calls == 1 ? "is" : "are",
                         format_number(result.distance));
    case Status::oracle_failed:
      return fmt::format(
          "oracle-failed: the oracle's answers no longer improve the mixture, which is {} away.",
          format_number(result.distance));
    case Status::running:
      break;
  }
  return "running";
}

std::string mixture_table(const Result& result) {
  const bool noisy = result.standard_error.size() > 0 && result.standard_error.maxCoeff() > 0;
  const auto row = [&](const std::string& name, double weight, const Vector& values, const Vector& errors) {
    std::vector<std::string> cells = {name, format_number(weight)};
    for (int i = 0; i < values.size(); ++i) {
      cells.push_back(format_number(values[i]) + (noisy ? " ± " + format_number(errors[i]) : ""));
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
  return format_table(rows);
}

std::string constraint_table(const Result& result, const Target& target) {
  std::vector<std::vector<std::string>> rows = {{"constraint", ""}};
  for (const Constraint& constraint : target.constraints) {
    const double violation = constraint.violation(result.measurement);
    const double size = constraint.size(result.measurement);
    std::string word = "holds, slack " + format_number(-violation);
    if (violation > std::max(result.tolerance, kRounding * size))
      word = "violated by " + format_number(violation);
    else if (violation >= -kTight * size)
      word = "tight";
    rows.push_back({constraint.text, word});
  }
  return format_table(rows);
}

/// Both halves of the argument, the constraints that make it, and what it rests on.
std::string certificate_words(const Result& result, const Target& target) {
  const Certificate& certificate = result.certificate;
  if (result.status != Status::infeasible && result.status != Status::stuck) return "";
  if (certificate.bound == 0) return "";
  const std::string expression = combination(certificate.direction, result.names);
  const std::vector<std::string> in_the_way = constraints_in_the_way(certificate, target);
  const char* subject = certificate.grade == Grade::proof || result.status == Status::infeasible
                            ? "No mixture can"
                            : "It seems that no mixture can";
  std::string text = in_the_way.size() == 1
                         ? fmt::format("{} satisfy {}.\n", subject, in_the_way[0])
                         : fmt::format("{} satisfy {} together.\n", subject, quoted_list(in_the_way));
  text +=
      fmt::format("Every mixture has    {} >= {}\nthe target asks for  {} <= {}\n", expression,
                  format_number(certificate.achievable_at), expression, format_number(certificate.target_at));
  text += fmt::format("so the distance is at least {} ({}).\n", format_number(certificate.bound),
                      certificate.grade == Grade::proof ? "proof"
                      : !result.claim.proven && result.status == Status::infeasible
                          ? confidence(result).substr(1)
                          : "evidence: it rests on estimates, two standard errors are allowed for");
  return text;
}

std::string describe(const Result& result, const Target& target) {
  std::string text =
      headline(result) + "\n\n" + mixture_table(result) + "\n" + constraint_table(result, target) + "\n";
  text += certificate_words(result, target);
  if (result.maximum && result.maximum->interval.size() == 0) {
    text += fmt::format("The best {} inside the target lies between {} and {} ({}).\n", result.maximum->name,
                        format_number(result.maximum->bracket.value),
                        format_number(result.maximum->bracket.upper_bound),
                        to_string(result.maximum->bracket.grade));
  }
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
                      format_number(result.distance));
  return text;
}

}  // namespace

std::string print(const Result& result, const Target& target, Format format) {
  return format == Format::json ? to_json_text(result) : describe(result, target);
}

}  // namespace c2rl
