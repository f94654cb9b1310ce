#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "c2rl/run/checkpoint.h"
#include "c2rl/run/demands.h"
#include "c2rl/run/journal.h"
#include "c2rl/run/learning_curve.h"
#include "c2rl/run/problem.h"
#include "c2rl/run/recollection.h"
#include "c2rl/run/repertoire.h"
#include "c2rl/run/solve.h"

namespace c2rl {

/// What fresh episodes have shown of a mixture.
struct Confirmed {
  int attempt = 0;            // from 1
  double risk = 0;            // of this attempt
  std::int64_t episodes = 0;  // of this attempt
  Vector upper_limits = {};   // for every demand
};

/// The search behind a solve. An exact oracle's answers decide at once; with sampled ones
///
///   loop
///     the mixture nearest to the tightened target, on the estimates
///     inside:  fresh episodes put a confidence region inside the target: feasible.
///              Else they are pooled into the estimates, and the target is tightened by what the next
///              confirmation, with more episodes, is expected to need.
///     outside: nothing nearer is found: the room asked for may be out of reach, so ask for less, which takes
///              more episodes to confirm; or, where none was asked for, the search is stuck.
///
/// until the episodes allowed are used up: undecided.
class Search {
 public:
  /// The policies of the `lost` calls have no file, so that these calls are made again although they are on
  /// record.
  Search(const Problem& problem, const RunDirectory* directory, SolveListener& listener, std::set<int> lost);
  /// Told a record that was read already.
  Search(const Problem& problem, const RunDirectory& directory, const Recorded& recorded,
         SolveListener& listener);

  /// Runs to the end. OracleInterrupted when the listener asks to stop, OracleFailed when the oracle has failed as
  /// often as it may, LostPolicy where one is needed that cannot be read.
  void run();

  /// running, when it was stopped.
  Status status() const { return status_; }
  const Solver& solver() const { return *solver_; }
  /// The solver's mixture, each policy known by the call that found it.
  Mixture mixture() const;
  /// The lower bound on the distance to the target itself.
  Certificate certificate() const;
  /// What is known of the best value of the objective inside the target itself: the value of the mixture, and
  /// the bound. Nothing without an objective, or before a mixture is inside.
  std::optional<Bracket> bracket() const;
  const Repertoire& repertoire() const { return repertoire_; }
  /// What must be shown of sampled measurements; found when it is first asked for, which takes a large model a
  /// while.
  const Demands& demands() const;
  const std::optional<Confirmed>& confirmed() const { return confirmed_; }
  /// What would be expected to decide an undecided search; nothing where no number would.
  std::optional<double> episodes_needed() const { return episodes_needed_; }
  int calls() const { return calls_; }
  /// Why the oracle failed, each time since what was last recorded.
  const std::vector<std::string>& failures() const { return failures_; }
  int policies_stored_max() const { return policies_stored_max_; }
  std::int64_t episodes_drawn() const { return episodes_drawn_; }
  const StepCount& steps() const { return steps_; }
  /// Of the record.
  int lines() const { return journal_.lines(); }

 private:
  Search(const Problem& problem, const RunDirectory* directory, Journal journal, SolveListener& listener,
         std::set<int> lost);

  // The loop
  Status find();
  Status solve_on_estimates();
  Status judge_at_the_target(Status found) const;

  // The solver, for the target as tightened now
  void restart();
  bool tell_known(const Vector& direction);
  Cycle tell(int call, const Answer& answer);
  bool is_tightened() const { return margins_.size() > 0; }

  // The oracle
  void call(const Vector& direction);
  CallRecord minimize(const Vector& direction);
  CallRecord ask_oracle(const Vector& direction);
  void persist(const std::function<void(int failed)>& work, int failed = 0);
  OracleCall oracle_call(const CallRecord& so_far, const Rng& rng, double effort) const;
  int retries() const;
  OracleAnswer go_on(OracleCall call);
  void measure_answer(const Vector& direction, const Policy& policy, const Rng& rng, Measured& found);
  bool improves(const Vector& direction, const Measured& found) const;
  double noise(const Vector& direction, const Measured& found) const;
  Answer answer_of(const CallRecord& record) const;
  void keep(CallRecord& record, const Cycle& cycle);

  // Episodes
  bool measure_members(const Vector& direction);
  bool confirm();
  double next_risk() const;
  bool tighten();
  double tolerance_with_room(const Vector& room) const;
  bool spend(double factor);
  bool aim_lower();
  double first_count() const;
  double most_to_measure() const;
  double steps_left() const;
  DrawRecord draw(const std::vector<int>& calls, const std::vector<std::int64_t>& counts, int confirmation);
  Measured sample(const Policy& policy, std::int64_t first, std::int64_t count, const Rng& rng,
                  int confirmation);
  /// What recorded episodes say that nothing has seen before.
  Measured judge_by_data(const Policy& policy, std::int64_t count) const;
  double most_episodes() const;
  double episodes_left() const;
  double episode_length() const;
  void begin_new_work();
  void expect_policies() const;

  const Problem& problem_;
  const RunDirectory* directory_;
  SolveListener& listener_;
  std::set<int> lost_;
  mutable std::optional<Demands> demands_;
  Journal journal_;
  Checkpoints checkpoints_;
  Repertoire repertoire_;
  Recollection recollection_;
  std::unique_ptr<Solver> solver_;
  std::vector<int> call_of_;  // the call that found each of the solver's atoms
  bool feeding_ = false;      // the solver does not know all policies yet
  Vector margins_;            // that each demand is tightened by; empty: the target is as it was given
  double tolerance_;          // of the solver, for the target as tightened now
  double count_ = 0;          // episodes of the next confirmation; 0: not thought about yet
  double tightened_for_ = 0;  // the count that the margins are for
  bool is_last_ = false;      // the next confirmation has all episodes that are left
  Status status_ = Status::running;
  Certificate certificate_;         // for the target itself
  std::optional<Bracket> bracket_;  // likewise
  std::optional<Confirmed> confirmed_;
  std::optional<double> episodes_needed_;
  int calls_ = 0, draws_ = 0, attempts_ = 0, policies_stored_max_ = 0;
  std::int64_t episodes_drawn_ = 0;
  StepCount steps_;
  bool working_ = false;  // the record is used up
  std::vector<std::string> failures_;
  LearningCurve learning_;  // of the call that is being made
};

}  // namespace c2rl
