#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "c2rl/base/error.h"
#include "c2rl/base/file.h"
#include "c2rl/base/vector.h"
#include "c2rl/mdp/policy.h"
#include "c2rl/oracle/oracle.h"
#include "c2rl/run/measured.h"
#include "c2rl/run/result.h"
#include "c2rl/solve/solver.h"

namespace c2rl {

class FileLock;
class RecordFile;
struct Problem;
struct RunProblem;

/// One finished oracle call: what was asked, what was answered, and where that left the solver.
struct CallRecord {
  int call = 0;
  Vector direction;
  Measured found;                          // J of the policy it found
  double slack = 0;                        // how far that may be from the best, where the oracle knows
  bool exact = false;                      // the slack is proven
  int same_as = 0;                         // the call that found the same policy before; 0: none did
  int attempts = 1;                        // how often the oracle was asked, with growing effort
  std::vector<std::string> failures = {};  // why it had to be asked once more for the same, each time
  StepCount steps = {};
  double seconds = 0;            // of the oracle
  std::string seal = {};         // of the policy's file, where it has one
  std::string memory_seal = {};  // of what the call left to later ones, where it left something
  Cycle cycle = {};
  // Not written down: the policy has a file of its own, and the mixture follows from the answers.
  PolicyPtr policy = nullptr;          // that the call found
  std::vector<MemoryPtr> memory = {};  // what it left, attempt by attempt
  Mixture mixture = {};                // after the call
};

/// Fresh episodes of policies found earlier.
struct DrawRecord {
  int draw = 0;                 // from 1
  int confirmation = 0;         // the attempt to confirm a mixture that it was for, from 1; 0: to know more
  std::vector<int> calls = {};  // that found the policies
  std::vector<std::int64_t> counts = {};  // of episodes asked for, of each
  std::vector<Measured> found = {};       // what the episodes of each said, by themselves
  double seconds = 0;
  std::vector<std::string> failures = {};  // as in a CallRecord
};

/// What a run has done, in its order.
using RunRecord = std::variant<CallRecord, DrawRecord>;

/// What of a record could be read.
struct Recorded {
  std::vector<RunRecord> records;
  /// The line, from 1, that was cut off or damaged, and was the last; 0: none.
  int torn_line = 0;
};

/// Something wrong with a file of a run.
struct Finding {
  Place place;
  std::string what;
};

/// What a run leaves on disk:
///
///   problem.toml    the problem with all defaults filled in, and its fingerprint
///   record.jsonl    a line per finished oracle call, and per drawing of episodes
///   learning.jsonl  a line per oracle call that learned by acting: what it came to on the way (LearningCurve)
///   policies/       call-N.safetensors: the policies now in the mixture; shared-X.safetensors: what several of them
///                   have in common
///   memory/         call-N.safetensors: what the calls left to later ones, of an oracle that remembers
///   result.json     how it ended
///   checkpoint.safetensors  how far the oracle call has come that is being made
///   lock            while a process writes: which one
///   oracle.log      what an oracle's own program wrote to its standard error, where it has one
///
/// A run is a function of the answers and episodes it was told: telling a fresh one what is recorded brings it
/// exactly to where the run stopped, but for the call that was being made.
///
/// Each file, and each line of the record, has a seal by which any changed byte is noticed. A file is on the
/// disk before what it makes obsolete is removed, and nothing is removed but what a run wrote.
class RunDirectory {
 public:
  /// A new run; an InputError when the directory holds one already.
  static RunDirectory create(const std::string& path, const Problem& problem, Sync sync = Sync::yes);
  /// A run that is there, to read; an InputError when there is none.
  static RunDirectory open(const std::string& path);
  /// The same to go on with it. An InputError says which process is at it, where one is.
  static RunDirectory resume(const std::string& path, Sync sync = Sync::yes);

  /// Everything that is wrong with the files of a run: damaged, missing, or another run's.
  static std::vector<Finding> check(const std::string& path);

  const std::string& path() const { return path_; }
  /// Whether this process is the one that writes it; else it stays as it is.
  bool is_writable() const { return lock_ != nullptr; }
  std::string problem_file() const;
  RunProblem problem() const;
  const std::string& fingerprint() const { return fingerprint_; }

  /// A run is one problem. An InputError that shows what is different where this is another one, or names other
  /// contents of its files; only budgets may be raised, which is written down.
  void go_on_with(const Problem& now) const;

  Recorded read_records() const;
  /// Line `number` of the record, from 1.
  void append(const RunRecord& record, int number) const;

  static std::string policy_file(int call);  // within the directory
  /// One policy in place of the mixture, where it was asked for.
  static constexpr const char* kFlatPolicy = "policies/flat.safetensors";
  /// Both give the file's seal.
  std::string save_policy(const CallRecord& record) const;
  std::string save_policy_as(const std::string& file, const Policy& policy) const;
  /// The policy in a file with this seal, or with any where it is empty; else an InputError.
  PolicyPtr load_policy(const std::string& file, const World& world, const std::string& seal = "") const;
  void remove_policy(int call) const;
  /// Policies that the run has no more use for stay.
  void keep_all_policies() { keeps_all_policies_ = true; }

  static std::string memory_file(int call);  // within the directory
  /// What a call left to later ones; gives the file's seal.
  std::string save_memory(const CallRecord& record) const;
  /// The same from a file with this seal; else an InputError.
  std::vector<MemoryPtr> load_memory(int call, const std::string& seal) const;

  /// How far a call has come: arrays and text, to which the problem's fingerprint is added.
  void save_checkpoint(Safetensors content) const;
  /// Nothing where there is none; an InputError where it is damaged, or another run's.
  std::optional<Safetensors> read_checkpoint() const;
  void remove_checkpoint() const;

  /// Before a run goes on: removes its result, which it outgrows, and what it may have left half done when it was
  /// killed: the record after so many lines, and what it saved for other ones of its calls than these.
  void clean_up(int lines, int calls, const std::vector<int>& calls_in_use) const;
  /// Removes the files of a run, whatever became of them, and the directory where it held nothing else.
  static void remove(const std::string& path);

  void write_result(const Result& result) const;
  Result read_result() const;
  /// What is wrong with the result, where there is one.
  std::optional<std::string> fault_of_result() const;

 private:
  RunDirectory(std::string path, Sync sync) : path_(std::move(path)), sync_(sync) {}
  std::string inside(const std::string& name) const { return path_ + "/" + name; }
  Safetensors read_sealed(const std::string& file, const std::string& seal) const;
  Safetensors read_policy(const std::string& file, const std::string& seal) const;
  void remove_unshared() const;
  RecordFile record_file() const;
  void lock();

  std::string path_;
  Sync sync_;
  std::string fingerprint_;
  std::shared_ptr<const FileLock> lock_;  // of a run that is written
  bool keeps_all_policies_ = false;
};

/// The run in `folder` that was written last and can go on: it has no result, or was interrupted, or its oracle failed, or its budget
/// was used up.
std::optional<std::string> newest_unfinished_run(const std::string& folder);

}  // namespace c2rl
