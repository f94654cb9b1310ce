// What nearly every file of the library reads, compiled once. No file relies on it: each includes what it uses, and
// C2RL_PRECOMPILE=OFF builds without it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <Eigen/Core>
#include <fmt/format.h>

#include "c2rl/base/kinds.h"
#include "c2rl/base/random.h"
