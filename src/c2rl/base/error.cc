#include "c2rl/base/error.h"

#include <utility>

namespace c2rl {

std::string to_string(const Place& place) {
  std::string text = place.file;
  if (place.line > 0) text += (text.empty() ? "line " : ":") + std::to_string(place.line);
  if (place.line > 0 && place.column > 0) text += ":" + std::to_string(place.column);
  if (!text.empty()) text += ": ";
  if (!place.field.empty()) text += place.field + ": ";
  return text;
}

InputError::InputError(Place place, std::string message)
    : std::runtime_error(to_string(place) + message),
      place_(std::move(place)),
      message_(std::move(message)) {}

InputError InputError::within(const Place& outer) const {
  Place merged = place_;
  // A line belongs to its file: one of another file would be a lie.
  if (merged.file.empty()) {
    merged.file = outer.file;
    if (merged.line == 0) {
      merged.line = outer.line;
      merged.column = outer.column;
    }
  }
  if (merged.field.empty()) merged.field = outer.field;
  return {std::move(merged), message_};
}

}  // namespace c2rl
