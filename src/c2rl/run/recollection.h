#pragma once

#include <map>
#include <string>
#include <vector>

#include "c2rl/run/run_directory.h"

namespace c2rl {

/// What the calls of a run have left to later ones, where its oracle remembers. In a run directory each has a file,
/// which is read where a call is made after what only the record speaks of.
class Recollection {
 public:
  explicit Recollection(const RunDirectory* directory) : directory_(directory) {}

  /// Takes what a call has left, and saves it where that was just now, noting its seal. What is left again must be as
  /// it is on record.
  void add(CallRecord& record);
  /// All of it, in order of the calls. LostPolicy where a file is missing or damaged: its call must be made again.
  std::vector<MemoryPtr> all() const;

 private:
  struct Held {
    mutable std::vector<MemoryPtr> left;
    std::string seal;
  };

  const RunDirectory* directory_;
  std::map<int, Held> held_;  // by call
};

}  // namespace c2rl
