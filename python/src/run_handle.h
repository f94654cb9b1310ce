#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "c2rl/run/problem.h"
#include "c2rl/run/result.h"
#include "c2rl/run/run_directory.h"
#include "policy.h"
#include "problem.h"

namespace c2rl::python {

/// How a run ended, and what it ended with, as Python holds it.
struct RunHandle {
  Result result;
  Target target;
  std::vector<std::string> history = {};   // a JSON object per oracle call, as record.jsonl has it
  std::vector<RunRecord> records = {};     // what record.jsonl holds, of a run without a directory
  std::map<int, PolicyPtr> policies = {};  // by the calls that found them, as far as they are at hand
  /// Without what Python brought to it; none where only points were given.
  std::shared_ptr<const Problem> problem = {};
  std::shared_ptr<KeeperLink> keeper = std::make_shared<KeeperLink>();  // that its policies know
  std::shared_ptr<Failure> failure = std::make_shared<Failure>();
  std::optional<RunDirectory> directory = {};  // where it is saved, if it is

  void is_of(const ProblemHandle& handle);
  /// The policy of a member of the mixture; none where only its measurement is known.
  std::optional<PolicyHandle> policy(int member) const;
  /// Leaves a run without a directory in one, as if it had been made there.
  void save_copy(const std::string& path) const;
};

}  // namespace c2rl::python
