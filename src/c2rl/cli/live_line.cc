#include "c2rl/cli/live_line.h"

#include <algorithm>
#include <ostream>

#include "c2rl/base/printable.h"

namespace c2rl {
namespace {

constexpr const char* kClear = "\r\x1b[K";

std::ostream& screen_of(const Console& console) {
  return console.screen != nullptr ? *console.screen : console.err;
}

}  // namespace

void draw_line(const Console& console, const std::string& text) {
  // The last column stays free: some terminals move on once it is written.
  const auto room = static_cast<std::size_t>(std::max(1, console.columns - 1));
  screen_of(console) << kClear << printable(text.substr(0, room)) << std::flush;
}

void clear_line(const Console& console) {
  screen_of(console) << kClear << std::flush;
}

}  // namespace c2rl
