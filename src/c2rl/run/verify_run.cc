#include "c2rl/run/verify_run.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/base/text.h"
#include "c2rl/environments/environment_kinds.h"
#include "c2rl/mdp/evaluate.h"
#include "c2rl/run/evaluation.h"
#include "c2rl/run/result_json.h"
#include "c2rl/run/run_problem.h"
#include "c2rl/run/solve.h"
#include "c2rl/run/verify_bounds.h"
#include "c2rl/solve/verify.h"

namespace c2rl {
namespace {

/// What a number may be off by that was computed in another order, relative to the size of what it is made of.
constexpr double kAgreement = 1e-9;
/// Standard errors that an estimate may be off by: once in a million.
constexpr double kErrors = 5;
/// That an interval which does not hold is chance.
constexpr double kRisk = 1e-4;

std::string list(const Vector& values) {
  std::vector<std::string> words;
  for (const double value : values) words.push_back(format_number(value));
  return fmt::format("({})", join(words, ", "));
}

/// Whether two pieces of JSON say the same, numbers to rounding; else where they do not.
bool same(const Json& one, const Json& other, std::string& where) {
  if (one.is_number() && other.is_number()) {
    const double a = one.get<double>(), b = other.get<double>();
    return std::abs(a - b) <= kAgreement * std::max(std::abs(a), std::abs(b));
  }
  if (one.type() != other.type() || one.size() != other.size()) return false;
  if (!one.is_structured()) return one == other;
  for (auto [i, j] = std::pair(one.begin(), other.begin()); i != one.end(); ++i, ++j) {
    if (one.is_object() && i.key() != j.key()) return false;
    std::string below;
    if (same(*i, *j, below)) continue;
    const std::string here = one.is_object() ? i.key() : std::to_string(i - one.begin());
    where = below.empty() ? here : fmt::format("{}.{}", here, below);
    return false;
  }
  return true;
}

class Verifier {
 public:
  Verifier(const std::string& path, const VerifyOptions& options, const Provided& provided)
      : path_(path), options_(options), provided_(provided) {}

  std::vector<Checked> run() {
    check_files();
    if (!holds(checks_)) return checks_;  // the rest would be about something else
    try {
      const RunDirectory directory = RunDirectory::open(path_);
      const Problem problem = read_problem(Config::read(directory.problem_file()), provided_);
      check_problem(directory, problem);
      const Result result = directory.read_result();
      check_record(directory, problem, result);
      if (result.policies.empty()) {
        add("mixture", Standing::evidence, "the run ended before it found a policy; it claims nothing");
        return checks_;
      }
      check_weights(result);
      const Problem judged = in_one_piece(problem, directory);
      const MixedPolicy mixed = load_mixture(directory, judged.world);
      check_members(judged, result, mixed);
      check_claim(judged, result, mixed);
    } catch (const InputError& error) {
      add("run", Standing::failed, error.what());
    }
    return checks_;
  }

 private:
  void add(const std::string& subject, Standing standing, const std::string& words) {
    checks_.push_back({subject, standing, words});
  }

  /// A model in parts is put together here, and planned on by other means than the run had.
  static Problem in_one_piece(Problem problem, const RunDirectory& directory) {
    if (!problem.world.part) return problem;
    Config config = Config::read(directory.problem_file());
    config.override_value("environment.partitioned=false");
    problem.world = make_world(config.section("environment"));
    return problem;
  }

  void check_files() {
    for (const Finding& finding : RunDirectory::check(path_))
      add("files", Standing::failed, to_string(finding.place) + finding.what);
    if (checks_.empty()) add("files", Standing::proven, "all are as they were written, by their seals");
  }

  void check_problem(const RunDirectory& directory, const Problem& problem) {
    const std::vector<Difference> changed = differences(directory.problem(), run_problem(problem));
    for (const Difference& difference : changed)
      add("problem", Standing::failed, fmt::format("what {} names has changed since", difference.key));
    if (changed.empty())
      add("problem", Standing::proven, "the run is of this problem, and the files it names are the same");
  }

  void check_record(const RunDirectory& directory, const Problem& problem, const Result& result) {
    SolveListener silent;
    Result again = solve(problem, &directory, silent);
    again.seconds = result.seconds;
    again.interrupted = result.interrupted;
    if (!result.model) again.model.reset();  // the user did not wait for it
    std::string where;
    if (same(to_json(result), to_json(again), where)) {
      add("record", Standing::proven,
          fmt::format("what was asked, answered and drawn, told again, comes to the same result; lines: {}",
                      result.records));
    } else {
      add("record", Standing::failed, fmt::format("comes to another result: {} is different", where));
    }
  }

  void check_weights(const Result& result) {
    double sum = 0, least = 0;
    std::set<std::string> ids;
    for (const ResultPolicy& policy : result.policies) {
      sum += policy.weight;
      least = std::min(least, policy.weight);
      ids.insert(policy.id);
    }
    const bool fine = std::abs(sum - 1) <= kAgreement && least >= 0 && ids.size() == result.policies.size();
    add("weights", fine ? Standing::proven : Standing::failed,
        fmt::format(
            "of {} together, which sum to {}{}",
            result.policies.size() == 1 ? "one policy" : std::to_string(result.policies.size()) + " policies",
            format_number(sum), least < 0 ? ", and one is negative" : ""));
  }

  /// Computed where there is a model; where there is none, on fresh episodes, which decide the claim, too.
  void check_members(const Problem& problem, const Result& result, const MixedPolicy& mixed) {
    if (!problem.world.model) {
      Problem strict = problem;
      strict.confirmation.confidence = 1 - kRisk;
      evaluation_ = evaluate_run(strict, mixed, episodes(result), Rng(options_.seed).fork("verify"));
    }
    exact_ = Vector::Zero(problem.world.dim());
    for (int i = 0; i < mixed.size(); ++i) {
      const ResultPolicy& policy = result.policies[static_cast<std::size_t>(i)];
      if (problem.world.model) {
        const Vector computed = evaluate(*problem.world.model, mixed.policy(i)).measurement;
        exact_ += mixed.weights()[i] * computed;
        compare(policy, computed, Vector::Zero(computed.size()), true);
      } else {
        const Measured& fresh = evaluation_->members[static_cast<std::size_t>(i)];
        if (fresh.computed) exact_ += mixed.weights()[i] * fresh.point;
        compare(policy, fresh.point, fresh.standard_error, fresh.computed);
      }
    }
  }

  int episodes(const Result& result) const {
    constexpr std::int64_t kFewest = 1000, kMost = 100'000'000;
    const std::int64_t share = result.claim.episodes / std::ssize(result.policies);
    return static_cast<int>(std::clamp(options_.episodes > 0 ? options_.episodes : std::max(kFewest, share),
                                       std::int64_t{2}, kMost));
  }

  void compare(const ResultPolicy& policy, const Vector& found, const Vector& error, bool computed) {
    const Vector both = (policy.standard_error.cwiseAbs2() + error.cwiseAbs2()).cwiseSqrt();
    // An estimate may have missed what is rare: one more episode of the largest size.
    const double rare = policy.episodes > 0 ? 1 / static_cast<double>(policy.episodes) : 0;
    const Vector sizes = found.cwiseAbs().cwiseMax(policy.measurement.cwiseAbs());
    const Vector allowed = kErrors * both + (kAgreement + kErrors * rare) * sizes +
                           Vector::Constant(sizes.size(), both.isZero(0) ? 0 : kErrors * rare);
    const bool agrees = ((found - policy.measurement).cwiseAbs().array() <= allowed.array()).all();
    const bool exactly = computed && policy.standard_error.isZero(0);
    const std::string words =
        fmt::format("J {} {}, stored as {}", computed ? "computed:" : "on fresh episodes:", list(found),
                    list(policy.measurement) +
                        (policy.standard_error.isZero(0) ? "" : " ± " + list(policy.standard_error)));
    add(policy.id, !agrees ? Standing::failed : exactly ? Standing::proven : Standing::evidence, words);
  }

  void check_claim(const Problem& problem, const Result& result, const MixedPolicy& mixed) {
    check_arithmetic(problem, result);
    const bool computed = problem.world.model || all_computed();
    if (holds(result.status)) {
      if (computed) {
        const double distance = problem.target.set->distance(exact_);
        const bool inside = distance <= result.tolerance * (1 + kAgreement) + kAgreement * exact_.norm();
        add("claim", inside ? Standing::proven : Standing::failed,
            fmt::format("{}: J of the mixture, computed, is {}, {}", to_string(result.status), list(exact_),
                        inside ? "inside the target" : fmt::format("{} away", format_number(distance))));
      } else {
        check_by_episodes(problem, result, mixed);
      }
    } else if (result.status != Status::infeasible) {
      add("claim", Standing::evidence,
          fmt::format("{}: neither that the target can be met nor that it cannot is claimed",
                      to_string(result.status)));
    }
    if (const auto checked = check_bound(problem, result)) checks_.push_back(*checked);
    if (result.optimum) checks_.push_back(check_optimum(problem, result));
  }

  bool all_computed() const {
    return evaluation_ && std::ranges::all_of(evaluation_->members, &Measured::computed);
  }

  void check_by_episodes(const Problem& problem, const Result& result, const MixedPolicy& mixed) {
    const RunEvaluation usual =
        evaluate_run(problem, mixed, episodes(result), Rng(options_.seed).fork("verify"));
    if (evaluation_->verdict == Verdict::outside) {
      add("claim", Standing::failed,
          fmt::format("{}: fresh episodes put the mixture outside, with {:g}% confidence",
                      to_string(result.status), 100 * evaluation_->confidence));
    } else if (usual.verdict == Verdict::inside) {
      add("claim", Standing::evidence,
          fmt::format("{}: {} fresh episodes of each policy put the mixture inside, with {:g}% confidence",
                      to_string(result.status), episodes(result), 100 * usual.confidence));
    } else {
      add("claim", Standing::evidence,
          fmt::format(
              "{}: confirmed when it was found; {} fresh episodes of each policy neither contradict it "
              "nor would confirm it by themselves",
              to_string(result.status), episodes(result)));
    }
  }

  /// The mixture of what is stored, and its distance; what is claimed of J and bounds is for others to check.
  void check_arithmetic(const Problem& problem, const Result& result) {
    Claim claim;
    claim.status = result.claim.proven && holds(result.status) ? result.status : Status::budget;
    const auto members = static_cast<Eigen::Index>(result.policies.size());
    claim.points.resize(problem.world.dim(), members);
    claim.weights.resize(members);
    for (Eigen::Index i = 0; i < members; ++i) {
      const ResultPolicy& policy = result.policies[static_cast<std::size_t>(i)];
      if (policy.measurement.size() != problem.world.dim())
        throw InputError({.field = "policies.measurement"}, "has another size than the problem says");
      claim.points.col(i) = policy.measurement;
      claim.weights[i] = policy.weight;
    }
    claim.measurement = result.measurement;
    claim.distance = result.distance;
    claim.tolerance = result.tolerance;
    std::vector<std::string> faults = verify(claim, *problem.target.set);
    const double error = std::max(0.0, error_above(result.distance, result.certificate.bound));
    if (!(std::abs(error - result.error) <= kAgreement * std::max(1.0, error)))
      faults.push_back(fmt::format("the error is {}, not {}", error, result.error));
    for (const std::string& fault : faults) add("mixture", Standing::failed, fault);
    if (faults.empty()) {
      add("mixture", Standing::proven,
          fmt::format("what is stored of its policies adds up to {}, {} from the target",
                      list(result.measurement), format_number(result.distance)));
    }
  }

  std::string path_;
  VerifyOptions options_;
  const Provided& provided_;
  std::vector<Checked> checks_;
  Vector exact_;                             // J of the mixture, where it is computed
  std::optional<RunEvaluation> evaluation_;  // on fresh episodes, where there is no model
};

}  // namespace

std::string to_string(Standing standing) {
  switch (standing) {
    case Standing::proven:
      return "proven";
    case Standing::evidence:
      return "evidence";
    case Standing::failed:
      return "FAILED";
  }
  return "";
}

bool holds(const std::vector<Checked>& checks) {
  return std::ranges::none_of(checks, [](const Checked& c) { return c.standing == Standing::failed; });
}

std::vector<Checked> verify_run(const std::string& path, const VerifyOptions& options,
                                const Provided& provided) {
  return Verifier(path, options, provided).run();
}

}  // namespace c2rl
