// The two things that a search spends: oracle calls and episodes. What is on record is not done again.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "c2rl/base/error.h"
#include "c2rl/base/random.h"
#include "c2rl/run/fresh_episodes.h"
#include "c2rl/run/search.h"

namespace c2rl {
namespace {

using Clock = std::chrono::steady_clock;

/// Standard errors that may be chance.
constexpr double kErrors = 2;
/// An oracle that is asked again is given so much more to spend.
constexpr double kGrowth = 4;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

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
  calls_ = record.call;
  env_steps_ += record.env_steps;
  const bool known = record.same_as > 0;
  const int atom = known ? record.same_as : record.call;
  if (known) {
    repertoire_.pool(atom, record.found);
  } else {
    repertoire_.add(record);
    record.seal = repertoire_.seal(atom);
  }
  const Answer answer = answer_of(record);
  const bool is_last = !record.exact && solver_->needs_improvement() && !solver_->mixture().empty() &&
                       (known || !improves(direction, record.found));
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
/// has failed. What is wrong with the input stays wrong.
template <typename Work>
auto Search::persist(Work work) {
  const auto note = [&](int failed, const std::string& reason) {
    failures_.push_back(reason);
    if (failed == problem_.limits.failures) throw OracleFailed(reason);
    listener_.failed(calls_ + 1, reason);
  };
  for (int failed = 0;; ++failed) {
    try {
      return work(failed);
    } catch (const OracleInterrupted&) {
      throw;
    } catch (const LostPolicy&) {
      throw;
    } catch (const InputError&) {
      throw;
    } catch (const std::exception& error) {
      note(failed, error.what());
    } catch (...) {
      note(failed, "threw something that is no std::exception");
    }
  }
}

CallRecord Search::minimize(const Vector& direction) {
  auto record = journal_.next_call(direction);
  if (!record) {
    begin_new_work();
    return ask_oracle(direction);
  }
  if (record->same_as == 0 && lost_.contains(record->call)) record->policy = ask_oracle(direction).policy;
  return *record;
}

CallRecord Search::ask_oracle(const Vector& direction) {
  const auto start = Clock::now();
  CallRecord record;
  record.call = calls_ + 1;
  record.direction = direction;
  const Rng stream = Rng(problem_.seed).fork("oracle", static_cast<std::uint64_t>(record.call));
  for (int attempt = 0; attempt <= retries(); ++attempt) {
    const Rng rng = stream.fork("attempt", static_cast<std::uint64_t>(attempt));
    OracleAnswer found;
    try {
      found = persist([&](int failed) {
        // A passing cause leaves no trace in the run; one that lies in what was drawn needs another draw.
        const Rng drawn = failed < 2 ? rng : rng.fork("after-failures", static_cast<std::uint64_t>(failed));
        return problem_.oracle->minimize(oracle_call(direction, drawn, std::pow(kGrowth, attempt)));
      });
    } catch (const OracleFailed&) {
      if (!record.policy) throw;
      break;  // what it found with less effort is an answer
    }
    record.env_steps += found.env_steps;
    record.attempts = attempt + 1;
    Measured measured = Measured::of(found);
    if (!measured.computed && found.episodes.totals.cols() > 0) measured.add(found.episodes, demands());
    const int same_as = measured.sampled() ? repertoire_.find_same(*found.policy) : 0;
    if (same_as == 0) measure_answer(direction, *found.policy, rng.fork("answer"), measured);
    record.env_steps += measured.env_steps - (measured.sampled() ? found.episodes.env_steps : 0);
    if (!record.policy || direction.dot(measured.point) < direction.dot(record.found.point)) {
      record.found = std::move(measured);
      record.policy = std::move(found.policy);
      record.slack = found.slack;
      record.exact = found.exact;
      record.same_as = same_as;
    }
    if (record.exact || (record.same_as == 0 && improves(direction, record.found))) break;
  }
  record.seconds = seconds_since(start);
  record.failures = std::exchange(failures_, {});
  return record;
}

/// While there are more episodes to be had, those are the cheaper way on: less room is asked for.
int Search::retries() const {
  const bool can_relax = is_tightened() && 4 * count_ < most_episodes();
  return can_relax ? 0 : problem_.patience.retries;
}

OracleCall Search::oracle_call(const Vector& direction, const Rng& rng, double effort) const {
  OracleCall call{.direction = direction, .rng = rng, .effort = effort};
  call.watcher = [this, number = calls_ + 1, deadline = Deadline(problem_.limits.time_limit)](double part) {
    deadline.check();
    return listener_.oracle_progress(number, part);
  };
  const Mixture now = mixture();
  if (now.empty()) return call;
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
  const double most = std::max(count_, first_count());
  while (static_cast<double>(found.episodes) < most) {
    const double gap = direction.dot(now.point - found.point);
    if (noise(direction, found) <= std::max(std::abs(gap), kPart * solver_->distance())) return;
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
  return kErrors * std::hypot(error, repertoire_.error_along(now, direction));
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
  } else {
    listener_.call_recalled(record);
  }
  std::vector<int> needed = solver_->needed();
  for (int& id : needed) id = call_of_[static_cast<std::size_t>(id) - 1];
  repertoire_.keep_only(needed);
  if (working_ && !listener_.call_finished(record)) throw OracleInterrupted();
}

DrawRecord Search::draw(const std::vector<int>& calls, const std::vector<std::int64_t>& counts,
                        int confirmation) {
  ++draws_;
  auto record = journal_.next_draw(calls, counts);
  if (!record) {
    begin_new_work();
    const auto start = Clock::now();
    record = DrawRecord{.draw = draws_, .confirmation = confirmation, .calls = calls, .counts = counts};
    const Rng stream = Rng(problem_.seed).fork("draw", static_cast<std::uint64_t>(draws_));
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (problem_.oracle->is_offline()) {
        record->found.push_back(judge_by_data(*repertoire_.policy(calls[i]), counts[i]));
        continue;
      }
      record->found.push_back(sample(*repertoire_.policy(calls[i]), 0, counts[i],
                                     stream.fork("policy", static_cast<std::uint64_t>(calls[i])),
                                     confirmation));
    }
    record->seconds = seconds_since(start);
    record->failures = std::exchange(failures_, {});
    journal_.append(*record);
  }
  std::int64_t recorded = 0;
  for (const Measured& found : record->found) {
    (found.sampled() ? episodes_drawn_ : recorded) += found.episodes;
    env_steps_ += found.env_steps;
  }
  // Recorded episodes told of all policies at once.
  if (!record->found.empty()) episodes_drawn_ += recorded / std::ssize(record->found);
  return *record;
}

Measured Search::judge_by_data(const Policy& policy, std::int64_t count) const {
  const std::int64_t episodes = std::min(count, problem_.oracle->judging_episodes() - episodes_drawn_);
  return Measured::of(problem_.oracle->judge(policy, episodes_drawn_, episodes), episodes);
}

Measured Search::sample(const Policy& policy, std::int64_t first, std::int64_t count, const Rng& rng,
                        int confirmation) {
  constexpr std::int64_t kChunk = 16'384;
  Measured found;
  for (std::int64_t done = 0; done < count; done += kChunk) {
    const auto part = static_cast<double>(done) / static_cast<double>(count);
    const auto chunk = static_cast<int>(std::min(kChunk, count - done));
    const auto draw = [&](int /*failed*/) {
      return fresh_episodes(problem_, policy, first + done, chunk, rng, [&] {
        if (!listener_.drawing(confirmation, part)) throw OracleInterrupted();
      });
    };
    found.add(persist(draw), demands());
  }
  return found;
}

}  // namespace c2rl
