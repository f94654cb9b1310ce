#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "c2rl/oracle/oracle.h"

namespace c2rl {

class RunDirectory;

/// What learning came to on the way in one oracle call, attempt by attempt. Of a long call every second mark is left
/// out, and again, so that it never has many; policies that were tried stay.
class LearningCurve {
 public:
  static constexpr std::size_t kMost = 200;  // of an attempt

  void add(int attempt, const LearningMark& mark);
  bool empty() const { return attempts_.empty(); }
  /// By the number of the attempt, from 0.
  const std::map<int, std::vector<LearningMark>>& attempts() const { return attempts_; }

 private:
  std::map<int, std::vector<LearningMark>> attempts_;
  int every_ = 1, skipped_ = 0;  // of the last attempt
};

/// For people to look at; no answer depends on it. So it has no seal, may be lost with the power, and tells of a call
/// that went on after a kill only what came after.
void append_learning(const RunDirectory& directory, int call, const LearningCurve& curve);

/// The curves of a run by their calls, as far as they can be read.
std::map<int, LearningCurve> read_learning(const std::string& directory);
/// The same for the text of the file.
std::map<int, LearningCurve> parse_learning(std::string_view text);

}  // namespace c2rl
