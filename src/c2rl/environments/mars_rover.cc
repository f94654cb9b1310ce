#include <string>
#include <string_view>

#include <fmt/format.h>

#include "c2rl/environments/environment_kinds.h"
#include "c2rl/environments/grid.h"

namespace c2rl {
namespace {

constexpr int kSize = 8;
constexpr std::string_view kMap =
    "SFFFFFFF"
    "FFFFFFFF"
    "FFFHFFHF"
    "FFFFFFFF"
    "FFFFFFFF"
    "FHHFFFFF"
    "FHFFHFHF"
    "FFFHFFFG";
constexpr double kStepReward = -0.01;

struct MarsRoverOptions {
  double slip = 0.05;
  bool reached = false;
  bool visits = false;
  Episode episode = {.horizon = 300};

  void visit(OptionVisitor& visitor) {
    visitor.number("slip", slip, part(), kSlipReason);
    visitor.flag(kReached, reached, "measure also whether it arrived at the goal, as reached");
    visitor.flag("visits", visits,
                 "measure also how often each cell was entered, as visit_row_column from 0");
    episode.visit(visitor);
  }
};

TabularModel make_mars_rover(const MarsRoverOptions& options) {
  Grid grid;
  grid.columns = kSize;
  grid.slip = options.slip;
  grid.measurements = {"crash", "reward"};
  if (options.reached) grid.measurements.emplace_back(kReached);
  const int first_visit = static_cast<int>(grid.measurements.size());
  const int cells = static_cast<int>(kMap.size());
  if (options.visits) {
    for (int cell = 0; cell < cells; ++cell) {
      grid.measurements.push_back(fmt::format("visit_{}_{}", cell / kSize, cell % kSize));
    }
  }
  const auto dim = std::ssize(grid.measurements);
  grid.step = kStepReward * Vector::Unit(dim, 1);
  for (int cell = 0; cell < cells; ++cell) {
    const bool crater = kMap[cell] == 'H';
    Vector amount = Vector::Zero(dim);
    if (crater) amount[0] = 1;
    if (options.reached && kMap[cell] == 'G') amount[2] = 1;
    if (options.visits) amount[first_visit + cell] = 1;
    grid.cells.push_back(
        {.terminal = crater || kMap[cell] == 'G', .start = kMap[cell] == 'S', .amount = amount});
  }
  TabularModel model = grid_model(grid);
  options.episode.apply_to(model);
  return model;
}

WorldMap map_of_mars(const MarsRoverOptions& /*options*/) {
  WorldMap map{.columns = kSize, .marks = {}};
  for (const char mark : kMap) map.marks.push_back(mark == 'F' ? "" : std::string(1, mark));
  return map;
}

}  // namespace

/// The Mars rover of Miryoosefi et al. 2019: from the top left corner to the goal G; craters H crash it. Both
/// end the episode. Measures "crash" (1 when it crashed) and "reward" (-0.01 a step).
EnvironmentKind mars_rover_kind() {
  return model_kind("mars-rover", "an 8x8 grid with craters and a slipping rover; crash and reward",
                    make_mars_rover, map_of_mars);
}

}  // namespace c2rl
