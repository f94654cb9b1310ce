#pragma once

#include <string>
#include <string_view>

namespace c2rl {

/// As text of a page or a drawing, between tags or quotes: nothing in it is taken for markup.
std::string escaped(std::string_view text);

}  // namespace c2rl
