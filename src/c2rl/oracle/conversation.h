#pragma once

#include <string>
#include <vector>

#include "c2rl/base/json.h"
#include "c2rl/base/subprocess.h"
#include "c2rl/mdp/progress.h"

namespace c2rl {

/// One run of the program of a command oracle, spoken to as docs/command-oracle.md says. What goes wrong is a
/// SubprocessFailed, or an InputError about a line of the program's; after that, nothing more can be asked.
class Conversation {
 public:
  /// Starts the program and hears its greeting, in which it must measure these.
  Conversation(const SubprocessOptions& options, const std::vector<std::string>& measurements,
               const Pulse& listener);

  /// The answer to a question. `progress` is called all the while, with what the program last said of it.
  Json ask(Json question, const Progress& progress);

  /// Whether it runs episodes when asked.
  bool evaluates() const { return evaluates_; }

 private:
  Json receive(const Pulse& listener);

  Subprocess program_;
  std::int64_t asked_ = 0;
  bool evaluates_ = true;
};

}  // namespace c2rl
