#pragma once

#include <map>
#include <vector>

#include "c2rl/base/json.h"
#include "c2rl/run/run_directory.h"
#include "c2rl/run/solve.h"

namespace c2rl {

/// A run after one of its oracle calls, as far as a picture needs it.
struct HistoryFrame {
  int call = 0;
  double distance = 0, bound = 0;  // of the mixture to the target, and of any mixture
  int policies = 0;                // stored
  Vector point;                    // of the mixture
  Vector direction;                // that was asked for
  int answer = 0;                  // the call that first found the policy that came back
  double seconds = 0;              // of the oracle, in this call
  std::int64_t steps = 0;          // in the environment, in this call
  int attempts = 1;
  std::vector<std::pair<int, double>> weights = {};  // the largest, by call
};

/// A policy that a call found, by what the call knew of it.
struct FoundPolicy {
  Vector point, standard_error;
};

/// Listens to what a run has done. At most kWeights weights of a frame are kept: what is left of 1 is the others'.
class RunHistory final : public SolveListener {
 public:
  static constexpr int kWeights = 16;

  void call_recalled(const CallRecord& record) override;

  const std::vector<HistoryFrame>& frames() const { return frames_; }
  const std::map<int, FoundPolicy>& found() const { return found_; }

 private:
  std::vector<HistoryFrame> frames_;
  std::map<int, FoundPolicy> found_;
};

/// Indices, rising, that stand for all `values` in a picture of so many points: all of them where they are few enough.
/// Else, in every stretch of a scale that is logarithmic in the number, where the value is smallest, where it is
/// largest, and the last; so that no peak is lost and both ends stay.
std::vector<int> thinned(const std::vector<double>& values, int most);

}  // namespace c2rl
