#include "c2rl/run/search.h"

#include <algorithm>
#include <cmath>

#include "c2rl/base/error.h"

namespace c2rl {
namespace {

/// As good as no limit, and allowed as one.
constexpr int kUnlimited = 1'000'000'000;
/// Answers of policies known already that a solver is told at most, when it begins anew.
constexpr int kMostKnown = 10'000;
/// Room that is asked for, in half-widths of the region that a confirmation is expected to have. With one,
/// every other confirmation would fail; with two, hardly any, once the estimates are right.
constexpr double kAim = 2;
/// Of the last one, where that much is not to be had: what it should need, and little more.
constexpr double kLastAim = 1.1;

}  // namespace

Search::Search(const Problem& problem, const RunDirectory* directory, SolveListener& listener,
               std::set<int> lost)
    : Search(problem, directory, Journal(directory, listener), listener, std::move(lost)) {}

Search::Search(const Problem& problem, const RunDirectory& directory, const Recorded& recorded,
               SolveListener& listener)
    : Search(problem, &directory, Journal(&directory, recorded, listener), listener, {}) {}

Search::Search(const Problem& problem, const RunDirectory* directory, Journal journal,
               SolveListener& listener, std::set<int> lost)
    : problem_(problem),
      directory_(directory),
      listener_(listener),
      lost_(std::move(lost)),
      journal_(std::move(journal)),
      checkpoints_(problem, directory, listener),
      repertoire_(problem.world, directory),
      recollection_(directory),
      solver_(make_solver(problem)),
      tolerance_(problem.solver.tolerance) {}

const Demands& Search::demands() const {
  if (!demands_) {
    demands_.emplace(problem_.target, problem_.world, problem_.solver.tolerance, [this] {
      if (!listener_.checking()) throw OracleInterrupted();
    });
  }
  return *demands_;
}

void Search::run() {
  status_ = find();
  journal_.end();
  repertoire_.keep_only(mixture().ids);
  expect_policies();
}

Status Search::find() {
  while (true) {
    const Status found = solve_on_estimates();
    if (!is_tightened()) bracket_ = solver_->maximum();
    if (holds(found)) {
      const std::vector<Member> members = repertoire_.members(mixture());
      const bool computed = std::ranges::all_of(members, [](auto& m) { return m.measured->computed; });
      if (computed || confirm()) return found;
    } else if (!is_tightened()) {
      return judge_at_the_target(found);
    } else if (!spend(4) && !aim_lower()) {  // the room may be out of reach, and not the target
      count_ = 0;
    }
    if (count_ > 0 && tighten()) continue;
    // No more episodes: what is there to say about the target as it was given?
    margins_.resize(0);
    restart();
    const Status left = solve_on_estimates();
    if (holds(left))
      episodes_needed_ = episodes_to_confirm(demands(), repertoire_.members(mixture()), next_risk());
    return judge_at_the_target(left);
  }
}

Status Search::judge_at_the_target(Status found) const {
  if (holds(found)) return Status::undecided;
  if (found != Status::stuck) return found;
  // What cannot be told from being inside is not stuck outside.
  constexpr double kErrors = 2;
  const Vector away = solver_->mixture().point - problem_.target.set->project(solver_->mixture().point);
  const double error = repertoire_.error_along(mixture(), away.stableNormalized());
  return away.norm() <= kErrors * error ? Status::undecided : found;
}

Status Search::solve_on_estimates() {
  while (const auto direction = solver_->ask()) {
    if (tell_known(*direction)) continue;
    if (calls_ >= problem_.solver.max_oracle_calls || steps_left() <= 0) return Status::budget;
    if (measure_members(*direction)) continue;
    call(*direction);
  }
  return solver_->status();
}

void Search::restart() {
  SetPtr target = is_tightened() ? demands().tightened(margins_) : problem_.target.set;
  if (!is_tightened()) tolerance_ = problem_.solver.tolerance;
  solver_ = make_solver(problem_, std::move(target), kUnlimited, tolerance_);
  call_of_.clear();
  feeding_ = true;
}

bool Search::tell_known(const Vector& direction) {
  if (!feeding_) return false;
  const int best = repertoire_.best(direction);
  const Measured& measured = repertoire_.measured(best);
  const Mixture& mixture = solver_->mixture();
  const bool helps = mixture.empty() || direction.dot(mixture.point - measured.point) > tolerance_;
  if (!helps || solver_->calls() >= kMostKnown) {
    feeding_ = false;
    return false;
  }
  tell(best, {.point = measured.point,
              .slack = kInfinity,
              .grade = measured.computed ? Grade::proof : Grade::evidence});
  return true;
}

Cycle Search::tell(int call, const Answer& answer) {
  call_of_.push_back(call);
  return solver_->tell(answer);
}

Mixture Search::mixture() const {
  Mixture mixture = solver_->mixture();
  for (int& id : mixture.ids) id = call_of_[static_cast<std::size_t>(id) - 1];
  return mixture;
}

Certificate Search::certificate() const {
  return is_tightened() ? certificate_ : solver_->certificate();
}

std::optional<Bracket> Search::bracket() const {
  if (!problem_.objective || !solver_->maximum()) return std::nullopt;
  Bracket bracket = bracket_ ? *bracket_ : *solver_->maximum();
  const Mixture found = mixture();
  const Vector uphill = problem_.objective->uphill();
  bracket.value = 0;
  for (const Member& member : repertoire_.members(found))
    bracket.value += member.weight * uphill.dot(member.measured->point);
  // What the mixture has is no more than there is.
  bracket.upper_bound = std::max(bracket.upper_bound, bracket.value);
  return bracket;
}

double Search::next_risk() const {
  return attempt_risk(1 - problem_.confirmation.confidence, attempts_ + 1);
}

bool Search::tighten() {
  while (true) {
    const std::vector<Member> members = repertoire_.members(mixture());
    const std::vector<std::int64_t> counts = share_out(demands(), members, count_);
    const Vector risks = risks_of(demands(), members, counts, next_risk());
    const Vector half_widths = expected_half_widths(demands(), members, counts, risks);
    const double aim = is_last_ ? kLastAim : kAim;
    margins_ = aim * half_widths;
    tolerance_ = tolerance_with_room((aim - 1) * half_widths);
    tightened_for_ = count_;
    try {
      restart();
      return true;
    } catch (const EmptySetError&) {
      if (!spend(4) && !aim_lower()) return false;  // the target has not that much room anywhere
    }
  }
}

/// A solver ends as far from a tightened target as its tolerance allows, which must not take back the room that was
/// asked for: of what each demand has beyond the region that is expected, it may leave half.
double Search::tolerance_with_room(const Vector& room) const {
  constexpr double kLeastPart =
      1e-3;  // of the tolerance that was given; less is in the rounding of some solvers
  double tolerance = problem_.solver.tolerance;
  for (int i = 0; i < demands().size(); ++i) {
    if (room[i] > 0) tolerance = std::min(tolerance, 0.5 * room[i] / demands()[i].combination.norm());
  }
  return std::max(tolerance, kLeastPart * problem_.solver.tolerance);
}

double Search::episodes_left() const {
  return most_episodes() - static_cast<double>(episodes_drawn_);
}

/// So many times as many episodes for the next confirmation; all that are left, where there would be no more for
/// another. False when there are hardly more left than the last had.
bool Search::spend(double factor) {
  const double left = episodes_left();
  if (left < 1.2 * count_) return false;
  count_ *= factor;
  if (2 * count_ > left) count_ = left;
  return true;
}

/// All that is left for one more confirmation, with less room than is sure to do. False when that is what the last
/// one was.
bool Search::aim_lower() {
  if (is_last_ || episodes_left() < 1) return false;
  is_last_ = true;
  count_ = episodes_left();
  return true;
}

/// As many episodes as all calls together took steps for: that many cost no more than was spent already.
double Search::first_count() const {
  constexpr double kFewest = 1000;
  constexpr double kPart = 0.1;  // of the episodes allowed, so that there are some for a second attempt
  constexpr double kRecordedPart = 0.25;
  const double most = most_episodes();
  if (problem_.oracle->is_offline()) return std::max(1.0, kRecordedPart * most);
  return std::min(
      std::max(kFewest, std::min(static_cast<double>(steps_.all()) / episode_length(), kPart * most)), most);
}

/// A policy is measured no better than the next confirmation would, which most of what is left is kept for.
double Search::most_to_measure() const {
  constexpr double kPart = 0.25;
  const double most = std::max(count_, first_count());
  return problem_.oracle->is_offline() ? most : std::min(most, kPart * episodes_left());
}

double Search::steps_left() const {
  return problem_.limits.max_env_steps - static_cast<double>(steps_.all());
}

double Search::episode_length() const {
  double episodes = 0, steps = 0;
  for (const int call : repertoire_.calls()) {
    episodes += static_cast<double>(repertoire_.measured(call).episodes);
    steps += static_cast<double>(repertoire_.measured(call).env_steps);
  }
  // Before any was seen, they may be as long as they can be.
  return std::max(1.0, episodes > 0 ? steps / episodes : static_cast<double>(problem_.world.episode_limit));
}

double Search::most_episodes() const {
  const double allowed = std::min(static_cast<double>(problem_.confirmation.max_episodes),
                                  static_cast<double>(problem_.confirmation.max_steps) / episode_length());
  if (!problem_.oracle->is_offline()) {
    const auto drawn = static_cast<double>(episodes_drawn_);
    return std::min(allowed, drawn + std::max(0.0, steps_left() / episode_length()));
  }
  return std::min(allowed, static_cast<double>(problem_.oracle->judging_episodes()));
}

bool Search::confirm() {
  const Mixture found = mixture();
  const std::vector<Member> members = repertoire_.members(found);
  if (count_ == 0) count_ = first_count();
  count_ = std::min(count_, episodes_left());
  if (count_ < 1) {
    count_ = 0;
    return false;
  }
  const double risk = next_risk();
  std::vector<std::int64_t> counts = share_out(demands(), members, count_);
  const Vector risks = risks_of(demands(), members, counts, risk);
  const Vector expected = expected_half_widths(demands(), members, counts, risks);
  episodes_needed_ = episodes_to_confirm(demands(), members, risk);
  if (!demands().met(demands().at(found.point) + expected)) {
    if (count_ <= tightened_for_ && !spend(2)) count_ = 0;
    return false;
  }
  // Where there is much room, a first attempt takes little more than what should do, if that can be told: an oracle may
  // say how large its errors are, and not how many episodes they are of.
  constexpr double kAmple = 1.5;
  const double ample = kAmple * episodes_needed_.value_or(count_);
  const bool is_told =
      std::ranges::all_of(members, [](auto& m) { return m.measured->computed || m.measured->episodes > 0; });
  const bool sparing =
      attempts_ == 0 && ample < count_ && is_told && !problem_.objective && !problem_.oracle->is_offline();
  if (sparing) counts = share_out(demands(), members, ample);
  ++attempts_;
  const DrawRecord fresh = draw(found.ids, counts, attempts_);
  std::vector<Member> judged;
  Confirmed confirmed{.attempt = attempts_, .risk = risk};
  for (std::size_t i = 0; i < members.size(); ++i) {
    const bool computed = members[i].measured->computed;
    judged.push_back({members[i].weight, computed ? members[i].measured : &fresh.found[i]});
    confirmed.episodes += fresh.found[i].episodes;
  }
  confirmed.upper_limits = upper_limits(demands(), judged, risks);
  const bool met = demands().met(confirmed.upper_limits);
  for (std::size_t i = 0; i < members.size(); ++i) repertoire_.pool(found.ids[i], fresh.found[i]);
  if (met) {
    confirmed_ = confirmed;
    return true;
  }
  if (!sparing && !spend(2)) count_ = 0;
  return false;
}

/// Before the oracle is asked for something nearer, it must be known where the mixture is: as long as chance
/// may have moved it by half its distance, its policies are measured better. False when they are known well
/// enough, or as well as the next confirmation would measure them.
bool Search::measure_members(const Vector& direction) {
  constexpr double kPart = 0.25;  // of the distance, that a standard error may be
  constexpr int kGrowth = 4;
  const Mixture now = mixture();
  if (now.empty() || !solver_->needs_improvement() || problem_.oracle->is_offline()) return false;
  const double distance = solver_->distance();
  if (distance <= tolerance_) return false;  // inside, and climbing
  if (repertoire_.error_along(now, direction) <= kPart * distance) return false;
  const double most = most_to_measure();
  std::vector<std::int64_t> counts;
  std::int64_t all = 0;
  for (const Member& member : repertoire_.members(now)) {
    const auto known = static_cast<double>(member.measured->episodes);
    const double wanted = member.measured->sampled() ? std::min(kGrowth * known, most) - known : 0;
    counts.push_back(wanted > 0 ? static_cast<std::int64_t>(std::ceil(wanted)) : 0);
    all += counts.back();
  }
  if (all == 0) return false;
  const DrawRecord fresh = draw(now.ids, counts, 0);
  for (std::size_t i = 0; i < now.ids.size(); ++i) repertoire_.pool(now.ids[i], fresh.found[i]);
  restart();
  return true;
}

}  // namespace c2rl
