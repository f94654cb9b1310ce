#pragma once

#include "c2rl/cli/command.h"

namespace c2rl {

/// Each describes one command: its arguments and what it does. command_line.cc lists them.

/// `c2rl solve FILE`: from a problem file to a mixed policy in a run directory.
void describe_solve(Command& command);
/// `c2rl mix POINTS.csv`: which mixture of measured policies meets the constraints.
void describe_mix(Command& command);
/// `c2rl experiment FILE`: methods x problems x variants x seeds, compared.
void describe_experiment(Command& command);
/// `c2rl collect FILE`: a dataset of all that a learning agent does.
void describe_collect(Command& command);
/// `c2rl show RUN`: the result of a run again.
void describe_show(Command& command);
/// `c2rl report RUN...`: a page that shows runs and experiments.
void describe_report(Command& command);
/// `c2rl watch DIR`: the pages of all runs and experiments below a directory, live.
void describe_watch(Command& command);
/// `c2rl verify RUN`: everything that a run says, checked anew.
void describe_verify(Command& command);
/// `c2rl evaluate RUN`: the mixed policy of a run on fresh episodes.
void describe_evaluate(Command& command);
/// `c2rl flatten RUN`: one randomised policy instead of the mixture.
void describe_flatten(Command& command);
/// `c2rl check FILE`: is the problem file right, and what would run?
void describe_check(Command& command);
/// `c2rl convert FROM TO`: a model in another form.
void describe_convert(Command& command);
/// `c2rl list [KIND]`: what can be named in a problem file, and its keys.
void describe_list(Command& command);

}  // namespace c2rl
