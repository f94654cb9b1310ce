// The oracle calls that a search makes. What is on record is not done again.

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/base/random.h"
#include "c2rl/base/stopwatch.h"
#include "c2rl/run/fresh_episodes.h"
#include "c2rl/run/search.h"

namespace c2rl {
namespace {

/// Standard errors that may be chance.
constexpr double kErrors = 2;
/// The same, while more episodes may still tell: then, answers are looked at again and again.
constexpr double kErrorsOfMany = 3;
/// An oracle that is asked again is given so much more to spend.
constexpr double kGrowth = 4;

}  // namespace

void Search::begin_new_work() {
  if (working_) return;
  working_ = true;
  if (!directory_) return;
  if (!directory_->is_writable()) throw OracleInterrupted();
  expect_policies();
  directory_->clean_up(journal_.lines(), calls_, repertoire_.calls());
}

/// Better now than after hours of work.
void Search::expect_policies() const {
  for (const int call : repertoire_.calls()) repertoire_.policy(call);
}

void Search::call(const Vector& direction) {
  CallRecord record = minimize(direction);
  const bool known = record.same_as > 0;
  const bool is_better = !known && improves(direction, record.found);
  calls_ = record.call;
  steps_ += record.steps;
  const int atom = known ? record.same_as : record.call;
  if (known) {
    repertoire_.pool(atom, record.found);
  } else {
    repertoire_.add(record);
    record.seal = repertoire_.seal(atom);
  }
  recollection_.add(record);
  const Answer answer = answer_of(record);
  const bool is_last =
      !record.exact && solver_->needs_improvement() && !solver_->mixture().empty() && !is_better;
  Cycle cycle;
  if (is_last) {
    solver_->give_up(answer);
    cycle.atom = atom;
  } else {
    cycle = tell(atom, answer);
    cycle.atom = call_of_[static_cast<std::size_t>(cycle.atom) - 1];
    for (int& id : cycle.dropped) id = call_of_[static_cast<std::size_t>(id) - 1];
  }
  if (!is_tightened()) certificate_ = solver_->certificate();
  keep(record, cycle);
}

/// Does something that the oracle may fail at, and again where it does, as often as it may. Told how often it
/// has failed, `failed` times before this. What is wrong with the input stays wrong.
void Search::persist(const std::function<void(int failed)>& work, int failed) {
  const auto note = [&](const std::string& reason) {
    failures_.push_back(reason);
    if (failed >= problem_.limits.failures) throw OracleFailed(reason);
    listener_.failed(calls_ + 1, reason);
  };
  for (;; ++failed) {
    try {
      work(failed);
      return;
    } catch (const OracleInterrupted&) {
      throw;
    } catch (const LostPolicy&) {
      throw;
    } catch (const InputError&) {
      throw;
    } catch (const std::exception& error) {
      note(error.what());
    } catch (...) {
      note("threw something that is no std::exception");
    }
  }
}

CallRecord Search::minimize(const Vector& direction) {
  auto record = journal_.next_call(direction);
  if (!record) {
    begin_new_work();
    return ask_oracle(direction);
  }
  if (lost_.contains(record->call)) {
    CallRecord again = ask_oracle(direction);
    if (record->same_as == 0) record->policy = std::move(again.policy);
    record->memory = std::move(again.memory);
  }
  return *record;
}

CallRecord Search::ask_oracle(const Vector& direction) {
  const Stopwatch watch;
  // A call that is on record, and made again for its policy, leaves the one that is not alone.
  Checkpoint now;
  if (working_) now = checkpoints_.begin(calls_ + 1, direction);
  CallRecord& record = now.record;
  const double seconds_before = record.seconds;
  failures_ = record.failures;
  learning_ = {};
  record.call = calls_ + 1;
  record.direction = direction;
  const auto count_in = [&] {
    record.seconds = seconds_before + watch.seconds();
    record.failures = failures_;
  };
  const OracleKeeper keeper = [&](const StateVisit& visit) {
    if (!checkpoints_.is_due()) return;
    count_in();
    checkpoints_.save(now, visit);
  };
  const Rng stream = Rng(problem_.seed).fork("oracle", static_cast<std::uint64_t>(record.call));
  while (now.attempt <= retries()) {
    const Rng rng = stream.fork("attempt", static_cast<std::uint64_t>(now.attempt));
    OracleAnswer found;
    try {
      const auto ask = [&](int failed) {
        now.failed = failed;
        // A passing cause leaves no trace in the run; one that lies in what was drawn needs another draw.
        const Rng drawn = failed < 2 ? rng : rng.fork("after-failures", static_cast<std::uint64_t>(failed));
        OracleCall call = oracle_call(record, drawn, std::pow(kGrowth, now.attempt));
        if (working_ && checkpoints_.are_kept()) call.keeper = keeper;
        call.learning = [&](const LearningMark& mark) { learning_.add(now.attempt, mark); };
        call.left_off = now.left_off;
        call.saved = std::exchange(now.state, nullptr);
        found = go_on(std::move(call));
      };
      persist(ask, now.failed);
    } catch (const OracleFailed&) {
      if (record.policy) break;  // what it found with less effort is an answer
      if (working_) checkpoints_.end();
      throw;
    }
    record.steps += found.steps;
    record.attempts = now.attempt + 1;
    if (found.memory) record.memory.push_back(std::move(found.memory));
    now.left_off = std::move(found.left_off);
    Measured measured = Measured::of(found);
    if (!measured.computed && found.episodes.totals.cols() > 0) measured.add(found.episodes, demands());
    const int same_as = measured.sampled() ? repertoire_.find_same(*found.policy) : 0;
    if (same_as == 0) measure_answer(direction, *found.policy, rng.fork("answer"), measured);
    record.steps.evaluation += measured.env_steps - (measured.sampled() ? found.episodes.env_steps : 0);
    if (!record.policy || direction.dot(measured.point) < direction.dot(record.found.point)) {
      record.found = std::move(measured);
      record.policy = std::move(found.policy);
      record.slack = found.slack;
      record.exact = found.exact;
      record.same_as = same_as;
    }
    if (record.exact || (record.same_as == 0 && improves(direction, record.found))) break;
    ++now.attempt;
    now.failed = 0;
    if (working_) keeper({});
  }
  count_in();
  failures_.clear();
  return record;
}

/// A state that turns out to be of no use is as good as none.
OracleAnswer Search::go_on(OracleCall call) {
  if (call.saved) {
    try {
      return problem_.oracle->minimize(call);
    } catch (const UnfitState& error) {
      listener_.noticed(
          fmt::format("the state that call {} was to go on from is of no use: {}; it begins anew", calls_ + 1,
                      error.what()));
      call.saved = nullptr;
    }
  }
  return problem_.oracle->minimize(std::move(call));
}

/// While there are more episodes to be had, those are the cheaper way on: less room is asked for.
int Search::retries() const {
  const bool can_relax = is_tightened() && !is_last_;
  return can_relax ? 0 : problem_.patience.retries;
}

namespace {

/// How far a box reaches along a direction; infinite where it has no end there, or the direction is none.
double farthest(const Bounds& box, const Vector& direction) {
  double sum = direction.isZero(0) ? kInfinity : 0;
  for (int i = 0; i < direction.size(); ++i) {
    if (direction[i] != 0) sum += direction[i] * (direction[i] > 0 ? box.upper[i] : box.lower[i]);
  }
  return sum;
}

}  // namespace

/// Of a call, of which attempts may have been made.
OracleCall Search::oracle_call(const CallRecord& so_far, const Rng& rng, double effort) const {
  const Vector& direction = so_far.direction;
  OracleCall call{.direction = direction, .rng = rng, .effort = effort, .tried = so_far.steps.training};
  call.memory = recollection_.all();
  call.memory.insert(call.memory.end(), so_far.memory.begin(), so_far.memory.end());
  call.watcher = [this, number = calls_ + 1, deadline = Deadline(problem_.limits.time_limit)](double part) {
    deadline.check();
    return listener_.oracle_progress(number, part);
  };
  const Mixture now = mixture();
  if (now.empty()) {
    // A policy beyond the plane that bounds the target there is as good a beginning as any.
    const double plane = farthest(solver_->target().bounds(), direction);
    if (std::isfinite(plane)) call.enough = plane;
    return call;
  }
  Eigen::Index best = 0;
  (now.atoms.transpose() * direction).minCoeff(&best);
  call.start = repertoire_.policy(now.ids[static_cast<std::size_t>(best)]);
  // A policy on the far side of the hyperplane that separates mixture and target takes the mixture there.
  const Vector nearest = solver_->target().project(now.point);
  const Vector gap = now.point - nearest;
  constexpr double kParallel = 1 - 1e-9;
  if (!gap.isZero(0) && gap.dot(direction) >= kParallel * gap.norm() * direction.norm())
    call.enough = direction.dot(nearest);
  return call;
}

/// An improvement that may be chance is measured better, until it is one or is not, with no more episodes than
/// the next confirmation would take.
void Search::measure_answer(const Vector& direction, const Policy& policy, const Rng& rng, Measured& found) {
  constexpr double kPart = 0.25;  // of the distance, below which an improvement is of no use
  const Mixture now = mixture();
  if (!found.sampled() || now.empty() || !solver_->needs_improvement()) return;
  const double most = most_to_measure();
  while (static_cast<double>(found.episodes) < most) {
    const double gap = direction.dot(now.point - found.point);
    const double decisive = std::abs(gap - problem_.solver.tolerance);
    if (noise(direction, found) <= std::max(decisive, kPart * solver_->distance())) return;
    const double wanted = std::min(kGrowth * static_cast<double>(found.episodes), most);
    const auto more = static_cast<std::int64_t>(std::ceil(wanted)) - found.episodes;
    found.merge(sample(policy, found.episodes, more, rng, 0));
  }
}

bool Search::improves(const Vector& direction, const Measured& found) const {
  const Mixture now = mixture();
  if (now.empty()) return true;
  const double gap = direction.dot(now.point - found.point);
  if (problem_.oracle->is_offline()) {
    // There are no more episodes to tell what is chance: what would take the mixture a good part of the way is
    // tried, and the data kept for judging will tell.
    constexpr double kPart = 0.1;
    return gap > std::max(problem_.solver.tolerance, kPart * solver_->distance());
  }
  return gap > problem_.solver.tolerance + noise(direction, found);
}

/// How far the gap along a direction between the mixture and an answer may be chance. Few episodes may not show
/// what is rare, so an answer's are taken to spread no less than those of the policies that it is to replace.
double Search::noise(const Vector& direction, const Measured& found) const {
  const Mixture now = mixture();
  double error = found.error_along(direction);
  if (found.sampled()) {
    for (const Member& member : repertoire_.members(now)) {
      if (!member.measured->sampled()) continue;
      const double ratio =
          static_cast<double>(member.measured->episodes) / static_cast<double>(found.episodes);
      error = std::max(error, member.measured->error_along(direction) * std::sqrt(ratio));
    }
  }
  const bool may_tell_more = static_cast<double>(found.episodes) < most_to_measure();
  return (may_tell_more ? kErrorsOfMany : 1) * std::hypot(error, repertoire_.error_along(now, direction));
}

/// What an estimating oracle's answer says about other policies: none is known to be better, which is no more
/// than that, and only as sure as the estimates.
Answer Search::answer_of(const CallRecord& record) const {
  const Vector& point = record.same_as > 0 ? repertoire_.measured(record.same_as).point : record.found.point;
  Answer answer{.point = point, .slack = record.slack};
  if (record.exact) return answer;
  const Vector direction = record.direction.stableNormalized();
  answer.grade = Grade::evidence;
  answer.slack += kErrors * record.found.error_along(direction) +
                  std::max(0.0, direction.dot(point) - repertoire_.least(direction));
  return answer;
}

/// Puts a finished call on record, its policy before the line that speaks of it, and forgets the policies that
/// the solver has no more use for.
void Search::keep(CallRecord& record, const Cycle& cycle) {
  record.mixture = mixture();
  record.cycle = cycle;
  record.cycle.call = record.call;
  record.cycle.atoms = record.mixture.size();
  record.cycle.distance = problem_.target.set->distance(record.mixture.point);
  record.cycle.distance_lower_bound = std::min(certificate_.bound, record.cycle.distance);
  record.cycle.error_bound = error_above(record.cycle.distance, record.cycle.distance_lower_bound);
  policies_stored_max_ = std::max(policies_stored_max_, record.mixture.size());
  if (working_) {
    journal_.append(record);
    if (directory_ && !learning_.empty()) append_learning(*directory_, record.call, learning_);
    checkpoints_.end();
  } else {
    listener_.call_recalled(record);
  }
  std::vector<int> needed = solver_->needed();
  for (int& id : needed) id = call_of_[static_cast<std::size_t>(id) - 1];
  repertoire_.keep_only(needed);
  if (working_ && !listener_.call_finished(record)) throw OracleInterrupted();
}

}  // namespace c2rl
