#include "c2rl/report/markup.h"

namespace c2rl {

std::string escaped(std::string_view text) {
  std::string markup;
  for (const char c : text) {
    switch (c) {
      case '<':
        markup += "&lt;";
        break;
      case '>':
        markup += "&gt;";
        break;
      case '&':
        markup += "&amp;";
        break;
      case '"':
        markup += "&quot;";
        break;
      default:
        markup += c;
    }
  }
  return markup;
}

}  // namespace c2rl
