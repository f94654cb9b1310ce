#include "c2rl/report/claim_words.h"

#include <cmath>

#include <fmt/format.h>

#include "c2rl/base/text.h"
#include "c2rl/report/readable_certificate.h"

namespace c2rl {
namespace {

/// A share of cut episodes that is worth a word.
constexpr double kWorthAWord = 0.01;

/// "0.31", or "0.31 ± 0.02"
std::string away(const Result& result) {
  if (result.distance_error == 0) return format_number(result.distance);
  return fmt::format("{} ± {}", format_number(result.distance), format_number(result.distance_error));
}

std::string with_confidence(const Result& result) {
  return result.claim.proven ? "" : fmt::format(" with {:g}% confidence", 100 * result.claim.level);
}

std::string optimum_headline(const Result& result) {
  const ObjectiveOptimum& optimum = *result.optimum;
  const std::string value =
      fmt::format("{} = {}", optimum.name, format_number(optimum.value, size_of(optimum, result)));
  const char* most = optimum.sense == Sense::maximize ? "most" : "least";
  if (optimum.grade == Grade::proof)
    return fmt::format("optimal: {} is the {} that any mixture inside the target reaches.", value, most);
  return fmt::format("optimal: {} is the {} that the oracle finds inside the target{}.", value, most,
                     with_confidence(result));
}

std::string undecided_headline(const Result& result) {
  if (result.model && result.model->contradicts) {
    return "undecided: fresh episodes put this mixture inside the target, but the model puts it outside.";
  }
  const bool sampled = result.standard_error.size() > 0 && result.standard_error.maxCoeff() > 0;
  if (!sampled) {
    return fmt::format(
        "undecided: this mixture is {} away, and nothing nearer is ruled out; a smaller solver.tolerance may "
        "decide.",
        away(result));
  }
  if (result.distance <= result.tolerance)
    return "undecided: the estimates put this mixture inside the target, but fresh episodes did not confirm "
           "it.";
  return fmt::format("undecided: this mixture is {} away, which may be chance.", away(result));
}

/// "steps <= 10.9"
std::string limit_words(const ShownLimit& limit, const std::vector<std::string>& names) {
  double first = 0;
  for (const double coefficient : limit.combination) {
    if (first == 0) first = coefficient;
  }
  const double sign = first < 0 ? -1 : 1;
  return fmt::format("{} {} {}", combination_words(sign * limit.combination, names),
                     sign > 0 ? "<=" : ">=", format_number(sign * limit.at_most));
}

std::string confirmation_words(const Result& result) {
  const ResultClaim& claim = result.claim;
  std::vector<std::string> limits;
  limits.reserve(claim.limits.size());
  for (const ShownLimit& limit : claim.limits) limits.push_back(limit_words(limit, result.names));
  std::string text = fmt::format("Confirmed on {} fresh episodes: {}.\n",
                                 with_commas(static_cast<double>(claim.episodes)), join(limits, ", "));
  if (!claim.assumes_nothing_unseen) return text;
  // With this confidence, what was never seen is as rare as that.
  const double rarely = static_cast<double>(claim.episodes) / -std::log(1 - claim.level);
  return text + fmt::format(
                    "This assumes that what happened in none of them does not matter; with {:g}% "
                    "confidence it happens in fewer than 1 of {} episodes.\n",
                    100 * claim.level, with_commas(std::floor(rarely)));
}

std::string model_words(const Result& result) {
  if (!result.model) return "";
  const ModelCheck& model = *result.model;
  if (holds(result.status))
    return result.claim.proven ? "" : "Confirmed by the model: as it computes J, the mixture is inside.\n";
  if (model.contradicts) {
    return fmt::format("By the model the mixture is {} away.\n", format_number(model.distance));
  }
  if (result.status == Status::stuck) {
    return model.distance_lower_bound > result.tolerance
               ? fmt::format("The model, asked afterwards, proves that no mixture is nearer than {}.\n",
                             format_number(model.distance_lower_bound))
               : "The model, asked afterwards, knows better policies in this direction: the learner missed "
                 "them.\n";
  }
  return fmt::format("By the model, asked afterwards, the mixture is {}.\n",
                     model.distance <= result.tolerance
                         ? std::string("inside")
                         : fmt::format("{} away", format_number(model.distance)));
}

std::string needed_words(const Result& result) {
  if (result.status != Status::undecided || (result.model && result.model->contradicts)) return "";
  if (result.distance > result.tolerance) return "";
  if (result.episodes_needed) {
    return fmt::format(
        "About {} more fresh episodes would be needed; target.max_episodes and target.max_steps allow for "
        "them.\n",
        with_commas(*result.episodes_needed));
  }
  return "No number of episodes would confirm it: the mixture lies on the boundary of the target.\n";
}

std::string failure_headline(const Result& result) {
  const int times = static_cast<int>(result.failures.size());
  const std::string text = fmt::format(
      "oracle-failed{}: {}", times == 1 ? "" : fmt::format(", {} times", times), result.failures.back());
  if (result.policies.empty()) return text + "\nThere is no mixture yet; the run can be resumed.";
  return text + fmt::format("\nThe best mixture so far is {} away; the run can be resumed.", away(result));
}

}  // namespace

Vector sizes_of(const Result& result) {
  Vector sizes = result.measurement.cwiseAbs();
  for (const ResultPolicy& policy : result.policies) sizes = sizes.cwiseMax(policy.measurement.cwiseAbs());
  return sizes;
}

double size_of(const ObjectiveOptimum& optimum, const Result& result) {
  const LinearExpression expression = parse_linear(optimum.name, result.names);
  return expression.coefficients.cwiseAbs().dot(sizes_of(result)) + std::abs(expression.constant);
}

std::string with_commas(double count) {
  std::string digits = fmt::format("{:.0f}", count);
  for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

std::string counted(int count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string headline(const Result& result) {
  switch (result.status) {
    case Status::optimal:
      if (result.optimum) return optimum_headline(result);
      [[fallthrough]];
    case Status::feasible:
      return fmt::format("{}{}: this mixture satisfies every constraint.", to_string(result.status),
                         with_confidence(result));
    case Status::infeasible:
      return fmt::format("infeasible{}: no mixture satisfies the constraints; the nearest is {} away.",
                         with_confidence(result), format_number(result.distance));
    case Status::stuck:
      return fmt::format(
          "stuck: the oracle finds nothing nearer than this mixture, which is {} away; nothing proves that "
          "none exists.",
          away(result));
    case Status::undecided:
      return undecided_headline(result);
    case Status::budget:
      if (result.interrupted) {
        return fmt::format("interrupted after {}; the best mixture so far is {} away.",
                           counted(result.oracle_calls, "oracle call"), away(result));
      }
      return fmt::format(
          "budget: {}{} {} used up; the best mixture so far is {} away.",
          counted(result.oracle_calls, "oracle call"),
          result.steps.all() > 0
              ? fmt::format(" and {} environment steps", with_commas(static_cast<double>(result.steps.all())))
              : "",
          result.oracle_calls == 1 && result.steps.all() == 0 ? "is" : "are", away(result));
    case Status::oracle_failed:
      if (!result.failures.empty()) return failure_headline(result);
      return fmt::format(
          "oracle-failed: the oracle's answers no longer improve the mixture, which is {} away.",
          away(result));
    case Status::running:
      break;
  }
  return "running";
}

std::string claim_words(const Result& result) {
  std::string text;
  if (holds(result.status) && !result.claim.proven && result.claim.episodes > 0)
    text += confirmation_words(result);
  return text + needed_words(result) + model_words(result);
}

std::string cut_words(const Result& result) {
  double share = 0, episodes = 0;
  for (const ResultPolicy& policy : result.policies) {
    if (policy.episodes == 0) continue;
    share += policy.weight * static_cast<double>(policy.cut) / static_cast<double>(policy.episodes);
    episodes += static_cast<double>(policy.episodes);
  }
  if (share <= kWorthAWord) return "";
  return fmt::format(
      "Of the mixture's episodes {:.1f}% were cut at the horizon, before they had reached an end "
      "({} were run).\n",
      100 * share, with_commas(episodes));
}

}  // namespace c2rl
