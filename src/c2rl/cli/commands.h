#pragma once

#include "c2rl/cli/command_line.h"

namespace CLI {
class App;
}

namespace c2rl {

/// Each adds one command. When it is run, what it found goes to the console and its exit status to `status`.

/// `c2rl solve FILE`: from a problem file to a mixed policy in a run directory.
void add_solve_command(CLI::App& app, const Console& console, int& status);
/// `c2rl mix POINTS.csv`: which mixture of measured policies meets the constraints.
void add_mix_command(CLI::App& app, const Console& console, int& status);
/// `c2rl experiment FILE`: methods x problems x variants x seeds, compared.
void add_experiment_command(CLI::App& app, const Console& console, int& status);
/// `c2rl collect FILE`: a dataset of all that a learning agent does.
void add_collect_command(CLI::App& app, const Console& console, int& status);
/// `c2rl evaluate RUN`: the mixed policy of a run on fresh episodes.
void add_evaluate_command(CLI::App& app, const Console& console, int& status);
/// `c2rl flatten RUN`: one randomised policy instead of the mixture.
void add_flatten_command(CLI::App& app, const Console& console, int& status);
/// `c2rl check FILE`: is the problem file right, and what would run?
void add_check_command(CLI::App& app, const Console& console, int& status);
/// `c2rl list`: what can be named in a problem file.
void add_list_command(CLI::App& app, const Console& console, int& status);

}  // namespace c2rl
