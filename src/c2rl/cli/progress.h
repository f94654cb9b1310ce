#pragma once

#include <chrono>

#include "c2rl/cli/command_line.h"
#include "c2rl/cli/interrupt.h"
#include "c2rl/run/solve.h"

namespace c2rl {

/// Shows how a solve goes: on a terminal one line that is drawn over, elsewhere a line per oracle call.
/// Notices Ctrl-C while it lives, and asks the solve to stop; see InterruptGuard.
class ProgressDisplay final : public SolveListener {
 public:
  ProgressDisplay(const Console& console, bool quiet);
  ~ProgressDisplay() override;

  bool oracle_progress(int call, double part) override;
  void failed(int call, const std::string& reason) override;
  bool call_finished(const CallRecord& record) override;
  bool drawing(int confirmation, double part) override;
  void noticed(const std::string& what) override;
  bool checking() override;

 private:
  void draw(int call, double part);

  InterruptGuard interrupt_;
  Console console_;
  bool quiet_;
  std::chrono::steady_clock::time_point start_, drawn_;
  CallRecord last_;  // the last finished call
};

}  // namespace c2rl
