#include "c2rl/watch/snapshot.h"

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <vector>

#include <fmt/format.h>

namespace c2rl {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

/// Oftener nobody can follow.
constexpr auto kShortest = std::chrono::milliseconds(500);
/// As many times as long as the processor was busy with it, it is not made again.
constexpr int kRest = 9;

/// Of this thread. On a busy machine the clock on the wall says more about the others.
Clock::duration processor_time() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

void add_files(const std::string& directory, std::vector<std::string>& lines) {
  std::error_code error;
  for (fs::directory_iterator entry(directory, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    std::error_code gone;
    const auto changed = fs::last_write_time(entry->path(), gone).time_since_epoch().count();
    const auto size = entry->is_regular_file(gone) ? fs::file_size(entry->path(), gone) : 0;
    lines.push_back(fmt::format("{} {} {}", entry->path().native(), size, changed));
  }
}

}  // namespace

std::string Snapshot::state_of_files() const {
  std::vector<std::string> lines;
  add_files(directory_, lines);
  add_files(directory_ + "/cells", lines);  // those of an experiment that are finished
  std::ranges::sort(lines);
  return fmt::format("{}", fmt::join(lines, "\n"));
}

Snapshot::Version Snapshot::latest(bool now) {
  const std::lock_guard guard(mutex_);
  if (!now && Clock::now() < next_) return version_;
  const auto before = processor_time();
  std::string state = state_of_files();
  if (state != state_ || version_.number == 0) {
    try {
      version_.text = std::make_shared<const std::string>(make_(directory_));
      ++version_.number;
      state_ = std::move(state);
    } catch (const std::exception&) {  // half of it may be there only
    }
  }
  next_ = Clock::now() + std::max<Clock::duration>(kShortest, kRest * (processor_time() - before));
  return version_;
}

}  // namespace c2rl
