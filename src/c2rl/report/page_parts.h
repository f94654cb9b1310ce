#pragma once

#include <string_view>

namespace c2rl {

/// What `make web` bundles from web/src, compiled in: the build needs no Node.
std::string_view page_script();
std::string_view page_style();

}  // namespace c2rl
