#include "c2rl/report/space_data.h"

#include <algorithm>
#include <cmath>

#include "c2rl/report/drawn_numbers.h"
#include "c2rl/report/target_outline.h"

namespace c2rl {
namespace {

/// Measurements of which every pair has a picture.
constexpr int kMostPaired = 8;
/// How much is seen around what is there.
constexpr double kMargin = 0.12;

/// What a picture shows: the mixture's policies, with their errors, and the target as far as it has ends; with `all`
/// everything else that was found, too.
PlaneBox view_of(const RunHistory& history, const std::set<int>& calls, const Result& result,
                 const Target& target, std::array<int, 2> pair, bool all) {
  PlaneBox box{{kInfinity, kInfinity}, {-kInfinity, -kInfinity}};
  const Bounds bounds = target.set->bounds();
  for (std::size_t k = 0; k < 2; ++k) {
    const int i = pair[k];
    const auto include = [&](double value) {
      box.lower[k] = std::min(box.lower[k], value);
      box.upper[k] = std::max(box.upper[k], value);
    };
    if (all) {
      for (const auto& [call, policy] : history.found()) {
        if (calls.contains(call)) include(policy.point[i]);
      }
      for (const HistoryFrame& frame : history.frames()) include(frame.point[i]);
    }
    for (const ResultPolicy& policy : result.policies) {
      const double error = policy.standard_error.size() > 0 ? policy.standard_error[i] : 0;
      include(policy.measurement[i] - 2 * error);
      include(policy.measurement[i] + 2 * error);
    }
    for (const double end : {bounds.lower[i], bounds.upper[i]}) {
      if (std::isfinite(end)) include(end);
    }
    if (!std::isfinite(box.lower[k])) include(0);
    const double size = box.upper[k] - box.lower[k];
    const double room = size > 0 ? kMargin * size : std::max(1.0, std::abs(box.upper[k]));
    box.lower[k] -= room;
    box.upper[k] += room;
  }
  return box;
}

Json box_json(const PlaneBox& box) {
  return {drawn(box.lower[0]), drawn(box.lower[1]), drawn(box.upper[0]), drawn(box.upper[1])};
}

}  // namespace

Json space_json(const RunHistory& history, const std::set<int>& calls, const Result& result,
                const Target& target) {
  const int dim = static_cast<int>(target.names.size());
  Json pairs = Json::array();
  for (int j = 0; j < std::min(dim, kMostPaired); ++j) {
    for (int i = 0; i < j; ++i) {
      const PlaneBox all = view_of(history, calls, result, target, {i, j}, true);
      const PlaneBox near = view_of(history, calls, result, target, {i, j}, false);
      Json outline = Json::array();
      for (const PlanePoint& corner : target_outline(*target.set, {i, j}, all))
        outline.push_back({drawn(corner[0]), drawn(corner[1])});
      pairs.push_back({{"pair", {i, j}},
                       {"all", box_json(all)},
                       {"near", box_json(near)},
                       {"target", std::move(outline)}});
    }
  }
  return pairs;
}

}  // namespace c2rl
