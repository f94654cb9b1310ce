#pragma once

#include <string>
#include <vector>

#include "c2rl/base/json.h"

namespace c2rl {

/// Figures for a paper of what `report_data` says, each as SVG and as PDF, into a folder that is made where there is none.
/// Of an experiment, error and stored policies side by side for each problem and variant: NAME shows mean and standard
/// deviation against oracle calls; NAME-steps and NAME-seconds the same against these, where they were counted; and each
/// of these with -median median and quartiles, with -iqm the interquartile mean and its bootstrap interval. Of a run, its measurement space (the first two measurements), and distance and stored policies over the calls. The files' names.
std::vector<std::string> write_figures(const Json& data, const std::string& folder);

}  // namespace c2rl
