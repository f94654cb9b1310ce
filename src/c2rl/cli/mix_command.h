#pragma once

#include <iosfwd>

namespace CLI {
class App;
}

namespace c2rl {

/// Adds `c2rl mix POINTS.csv`: which mixture of measured policies meets the constraints. When it is run, what
/// it found goes to `out` and its exit status to `status`.
void add_mix_command(CLI::App& app, std::ostream& out, int& status);

}  // namespace c2rl
