#include "c2rl/environments/declared_ranges.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "c2rl/base/text.h"
#include "c2rl/mdp/total_range.h"

namespace c2rl {
namespace {

std::string words(const TotalRange& range) {
  return fmt::format("[{}, {}]", format_number(range.lowest), format_number(range.highest));
}

/// Sums that differ by rounding only are the same.
bool clearly_less(double a, double b) {
  constexpr double kRounding = 1e-6;
  return a < b && (std::isinf(a) || std::isinf(b) || a < b - kRounding * (1 + std::abs(b)));
}

}  // namespace

DeclaredRanges::DeclaredRanges(const Config& environment) : table_(environment.section("range")) {
  for (const std::string& name : table_.keys()) {
    const Vector ends = table_.vector(name);
    table_.expect(ends.size() == 2 && ends[0] <= ends[1], name, "two numbers, [lowest, highest]");
    declared_.push_back({name, {ends[0], ends[1]}});
  }
}

void DeclaredRanges::apply_to(World& world) const {
  if (declared_.empty()) return;
  world.ranges.resize(world.dim());
  for (const auto& [name, range] : declared_) {
    const auto found = std::find(world.measurements.begin(), world.measurements.end(), name);
    if (found == world.measurements.end())
      table_.fail(name, unknown_name_message("measurement", name, world.measurements));
    const auto i = found - world.measurements.begin();
    if (world.model) {
      const ModelRange computed = model_range(*world.model, Vector::Unit(world.dim(), i));
      const bool too_narrow = clearly_less(computed.range.lowest, range.lowest) ||
                              clearly_less(range.highest, computed.range.highest);
      if (computed.exact && too_narrow)
        table_.fail(
            name, fmt::format("found {}, but what an episode of this model can measure is {}; expected that, "
                              "a wider range or none{}",
                              words(range), words(computed.range),
                              world.horizon == 0 ? ", or a horizon that cuts episodes" : ""));
    }
    TotalRange& own = world.ranges[i];
    if (range.lowest > own.highest || range.highest < own.lowest)
      table_.fail(name, fmt::format("found {}, but what an episode can measure is within {}", words(range),
                                    words(own)));
    own.lowest = std::max(own.lowest, range.lowest);
    own.highest = std::min(own.highest, range.highest);
  }
}

}  // namespace c2rl
