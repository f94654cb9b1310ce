#include "c2rl/base/error.h"

namespace c2rl {

std::string to_string(const Place& place) {
  std::string text = place.file;
  if (place.line > 0) text += (text.empty() ? "line " : ":") + std::to_string(place.line);
  if (place.line > 0 && place.column > 0) text += ":" + std::to_string(place.column);
  if (!text.empty()) text += ": ";
  if (!place.field.empty()) text += place.field + ": ";
  return text;
}

}  // namespace c2rl
