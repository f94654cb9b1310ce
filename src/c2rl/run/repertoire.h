#pragma once

#include <map>
#include <vector>

#include "c2rl/run/confirmation.h"
#include "c2rl/run/run_directory.h"
#include "c2rl/solve/mixture.h"

namespace c2rl {

/// A policy that only the record speaks of cannot be read: its call must be made again. No std::exception, as which it would be
/// taken for an oracle that fails.
struct LostPolicy {
  int call = 0;
  std::string why;
};

/// The policies that a run holds, by the call that found them, and what is known of J of each. In a run
/// directory they have files, which are read where a policy is needed that only the record speaks of.
class Repertoire {
 public:
  Repertoire(const World& world, const RunDirectory* directory) : world_(world), directory_(directory) {}

  /// Takes the policy of a call, and saves it where it was just found. What is found again must come out as it
  /// is on record.
  void add(const CallRecord& record);
  /// Counts in more episodes of a policy.
  void pool(int call, const Measured& more);
  /// Forgets the policies of other calls than these.
  void keep_only(const std::vector<int>& calls);

  /// LostPolicy where its file is missing or damaged.
  const PolicyPtr& policy(int call) const;
  /// Of its file; empty without a directory.
  const std::string& seal(int call) const { return held_.at(call).seal; }
  const Measured& measured(int call) const { return held_.at(call).measured; }
  std::vector<int> calls() const;
  /// The call whose policy does the same everywhere; 0 when there is none.
  int find_same(const Policy& policy) const;

  /// The call whose policy is best along a direction.
  int best(const Vector& direction) const;
  /// The least direction.J of all policies ever found, by what is known of them.
  double least(const Vector& direction) const;

  std::vector<Member> members(const Mixture& mixture) const;
  /// The standard error of direction.J of a mixture.
  double error_along(const Mixture& mixture, const Vector& direction) const;

 private:
  struct Held {
    mutable PolicyPtr policy;
    Measured measured;
    std::string seal;
  };

  const World& world_;
  const RunDirectory* directory_;
  std::map<int, Held> held_;
  std::map<int, Vector> points_;  // of all policies ever found
};

}  // namespace c2rl
