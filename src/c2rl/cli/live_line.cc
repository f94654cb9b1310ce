#include "c2rl/cli/live_line.h"

#include <algorithm>
#include <ostream>

namespace c2rl {
namespace {

constexpr const char* kClear = "\r\x1b[K";

}  // namespace

void draw_line(const Console& console, const std::string& text) {
  // The last column stays free: some terminals move on once it is written.
  const auto room = static_cast<std::size_t>(std::max(1, console.columns - 1));
  console.err << kClear << text.substr(0, room) << std::flush;
}

void clear_line(const Console& console) {
  console.err << kClear << std::flush;
}

}  // namespace c2rl
