#include "c2rl/cli/progress.h"

#include <ostream>

#include <fmt/format.h>

#include "c2rl/base/text.h"
#include "c2rl/cli/live_line.h"

namespace c2rl {
namespace {

using Clock = std::chrono::steady_clock;

/// Often enough to look alive.
constexpr auto kRedraw = std::chrono::milliseconds(100);

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string summary(const CallRecord& record) {
  return fmt::format("distance {}  lower bound {}  policies {}", format_number(record.cycle.distance),
                     format_number(record.cycle.distance_lower_bound), record.cycle.atoms);
}

}  // namespace

ProgressDisplay::ProgressDisplay(const Console& console, bool quiet)
    : console_(console), quiet_(quiet), start_(Clock::now()), drawn_(start_) {}

ProgressDisplay::~ProgressDisplay() {
  if (console_.live && !quiet_) clear_line(console_);
}

bool ProgressDisplay::oracle_progress(int call, double part) {
  if (console_.live && !quiet_ && Clock::now() - drawn_ >= kRedraw) draw(call, part);
  return !interrupt_.requested();
}

bool ProgressDisplay::call_finished(const CallRecord& record) {
  last_ = record;
  if (!quiet_) {
    if (console_.live) {
      if (Clock::now() - drawn_ >= kRedraw) draw(record.call + 1, 0);
    } else {
      console_.err << fmt::format("call {}  {}  {:.1f} s\n", record.call, summary(record),
                                  seconds_since(start_))
                   << std::flush;
    }
  }
  return !interrupt_.requested();
}

void ProgressDisplay::failed(int call, const std::string& reason) {
  if (quiet_) return;
  if (console_.live) clear_line(console_);
  console_.err << fmt::format("call {}  the oracle failed and is asked again: {}\n", call, reason)
               << std::flush;
}

bool ProgressDisplay::checking() {
  return !interrupt_.requested();
}

bool ProgressDisplay::drawing(int confirmation, double part) {
  if (console_.live && !quiet_ && Clock::now() - drawn_ >= kRedraw) {
    drawn_ = Clock::now();
    const std::string what = confirmation > 0
                                 ? fmt::format("confirming on fresh episodes, attempt {}", confirmation)
                                 : "measuring policies better";
    draw_line(console_, fmt::format("{} ({:.0f}%)  {:.1f} s  Ctrl-C stops and saves", what, 100 * part,
                                    seconds_since(start_)));
  }
  return !interrupt_.requested();
}

/// Quiet or not: it is about the user's files, and no progress.
void ProgressDisplay::noticed(const std::string& what) {
  if (console_.live && !quiet_) clear_line(console_);
  console_.err << "c2rl: " << what << "\n" << std::flush;
}

void ProgressDisplay::draw(int call, double part) {
  drawn_ = Clock::now();
  draw_line(console_, fmt::format("call {} ({:.0f}%)  {}  {:.1f} s  Ctrl-C stops and saves", call, 100 * part,
                                  last_.call > 0 ? summary(last_) : "first call", seconds_since(start_)));
}

}  // namespace c2rl
