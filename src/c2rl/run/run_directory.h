#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "c2rl/base/vector.h"
#include "c2rl/mdp/policy.h"
#include "c2rl/run/measured.h"
#include "c2rl/run/result.h"
#include "c2rl/solve/solver.h"

namespace c2rl {

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
  std::int64_t env_steps = 0;
  double seconds = 0;  // of the oracle
  Cycle cycle = {};
  // Not written down: the policy has a file of its own, and the mixture follows from the answers.
  PolicyPtr policy = nullptr;  // that the call found
  Mixture mixture = {};        // after the call
};

/// Fresh episodes of policies found earlier.
struct DrawRecord {
  int draw = 0;                 // from 1
  int confirmation = 0;         // the attempt to confirm a mixture that it was for, from 1; 0: to know more
  std::vector<int> calls = {};  // that found the policies
  std::vector<Measured> found = {};  // what the episodes of each said, by themselves
  double seconds = 0;
  std::vector<std::string> failures = {};  // as in a CallRecord
};

/// What a run has done, in its order.
using RunRecord = std::variant<CallRecord, DrawRecord>;

/// What a run leaves on disk:
///
///   problem.toml    the problem with all defaults filled in
///   record.jsonl    a line per finished oracle call, and per drawing of episodes
///   policies/       call-N.safetensors: the policies now in the mixture
///   result.json     how it ended
///   oracle.log      what an oracle's own program wrote to its standard error, where it has one
///
/// A run is a function of the answers and episodes it was told, so the record is the checkpoint: telling a
/// fresh one what is recorded brings it exactly to where the run stopped.
class RunDirectory {
 public:
  /// A new run; an InputError when the directory holds one already.
  static RunDirectory create(const std::string& path, const std::string& problem);
  /// A run that is there; an InputError when there is none.
  static RunDirectory open(const std::string& path);

  const std::string& path() const { return path_; }
  std::string problem_file() const;

  /// A line that was cut off while being written is left out.
  std::vector<RunRecord> read_records() const;
  void append(const RunRecord& record) const;

  static std::string policy_file(int call);  // within the directory
  void save_policy(int call, const Policy& policy) const { save_policy_as(policy_file(call), policy); }
  void save_policy_as(const std::string& file, const Policy& policy) const;
  PolicyPtr load_policy(const std::string& file) const;
  void remove_policy(int call) const;

  /// Removes what a run that was killed may have left half done: a cut-off line of the record, and policies
  /// of other calls than these.
  void clean_up(const std::vector<int>& calls_in_use) const;

  void write_result(const Result& result) const;
  Result read_result() const;

 private:
  explicit RunDirectory(std::string path) : path_(std::move(path)) {}
  std::string inside(const std::string& name) const { return path_ + "/" + name; }

  std::string path_;
};

}  // namespace c2rl
