#pragma once

namespace c2rl {

/// "1.2.3": the version of the library, as CMakeLists.txt has it.
const char* version();

}  // namespace c2rl
