#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "c2rl/base/config.h"
#include "c2rl/nn/network.h"
#include "c2rl/oracle/network_policy.h"

namespace c2rl {

// What the sections of learning oracles have in common. Each reads one key with a default; what is out of its
// range is an InputError with file, line and field.

inline constexpr std::int64_t kMostSteps = std::int64_t{1} << 50;

std::int64_t read_at_least(const Config& section, const std::string& key, std::int64_t fallback,
                           std::int64_t lowest, std::int64_t highest);
/// A number in [0, 1].
double read_part(const Config& section, const std::string& key, double fallback);
/// A finite number, 0 or more.
double read_nonnegative(const Config& section, const std::string& key, double fallback);
/// A finite number above 0.
double read_positive(const Config& section, const std::string& key, double fallback);
/// Widths of hidden layers.
std::vector<int> read_widths(const Config& section, const std::string& key, const std::vector<int>& fallback);
/// `activation`
Activation read_activation(const Config& section, Activation fallback);
/// `execution`
Execution read_execution(const Config& section, Execution fallback);

}  // namespace c2rl
