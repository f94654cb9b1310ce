#pragma once

#include <cstdint>

namespace c2rl {

/// Steps taken in an environment, by what they were for: what a run costs wherever steps are dear.
struct StepCount {
  std::int64_t training = 0;
  std::int64_t checks = 0;        // of policies on the way
  std::int64_t evaluation = 0;    // of answers
  std::int64_t confirmation = 0;  // of mixtures

  std::int64_t all() const { return training + checks + evaluation + confirmation; }
  StepCount& operator+=(const StepCount& more) {
    training += more.training;
    checks += more.checks;
    evaluation += more.evaluation;
    confirmation += more.confirmation;
    return *this;
  }
  bool operator==(const StepCount&) const = default;
};

}  // namespace c2rl
