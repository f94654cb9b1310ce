#include "c2rl/report/result_words.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "c2rl/base/text.h"
#include "c2rl/report/claim_words.h"
#include "c2rl/report/readable_certificate.h"

namespace c2rl {
namespace {

/// A constraint with less room than this, relative to the size of its terms, is called tight.
constexpr double kTight = 1e-7;

/// The constraints that stop the target where the certificate's direction leaves it.
std::vector<std::string> constraints_in_the_way(const Certificate& certificate, const Target& target) {
  std::vector<std::string> found;
  const double size = std::max(1.0, certificate.target_point.norm());
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

}  // namespace

ConstraintState state_of(const Constraint& constraint, const Result& result) {
  // Whether it is violated is a matter of distance, which the tolerance is; by how much, of its own units.
  const Excess excess = constraint.excess(result.measurement, sizes_of(result));
  if (constraint.violation(result.measurement) >
      std::max(result.tolerance, kRounding * constraint.size(result.measurement)))
    return ConstraintState::violated;
  return excess.amount >= -kTight * excess.terms ? ConstraintState::tight : ConstraintState::holds;
}

std::string constraint_words(const Constraint& constraint, const Result& result) {
  const double amount = constraint.excess(result.measurement, sizes_of(result)).amount;
  switch (state_of(constraint, result)) {
    case ConstraintState::violated:
      return "violated by " + format_number(amount);
    case ConstraintState::tight:
      return "tight";
    case ConstraintState::holds:
      break;
  }
  return "holds, slack " + format_number(-amount);
}

std::string bracket_words(const Result& result) {
  if (!result.optimum) return "";
  const ObjectiveOptimum& optimum = *result.optimum;
  const double size = size_of(optimum, result);
  const auto [low, high] = std::minmax(optimum.value, optimum.bound);
  return fmt::format("The {} of {} inside the target lies between {} and {} ({}).\n",
                     optimum.sense == Sense::maximize ? "most" : "least", optimum.name,
                     format_number(low, size), format_number(high, size), to_string(optimum.grade));
}

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

}  // namespace c2rl
