#include <string_view>

#include <fmt/format.h>

#include "c2rl/mdp/environments.h"
#include "c2rl/mdp/grid.h"

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

}  // namespace

/// The Mars rover of Miryoosefi et al. 2019: from the top left corner to the goal G; craters H crash it. Both
/// end the episode. Measures "crash" (1 when it crashed) and "reward" (-0.01 a step); with visits, also how
/// often each cell was entered, as "visit_row_column" from 0.
///   slip = 0.05, visits = false, discount = 1.0, horizon = 300
TabularModel make_mars_rover(const Config& section) {
  constexpr double kDefaultSlip = 0.05;
  constexpr int kDefaultHorizon = 300;
  const bool visits = section.boolean("visits", false);
  Grid grid;
  grid.columns = kSize;
  grid.slip = section.number("slip", kDefaultSlip);
  section.expect(grid.slip >= 0 && grid.slip <= 1, "slip", "a probability from 0 to 1");
  grid.measurements = {"crash", "reward"};
  const int first_visit = static_cast<int>(grid.measurements.size());
  const int cells = static_cast<int>(kMap.size());
  if (visits) {
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
    if (visits) amount[first_visit + cell] = 1;
    grid.cells.push_back(
        {.terminal = crater || kMap[cell] == 'G', .start = kMap[cell] == 'S', .amount = amount});
  }
  TabularModel model = grid_model(grid);
  read_episode(section, {.horizon = kDefaultHorizon}, model);
  return model;
}

}  // namespace c2rl
