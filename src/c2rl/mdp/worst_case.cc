#include <fmt/format.h>

#include "c2rl/mdp/environments.h"
#include "c2rl/mdp/model_builder.h"

namespace c2rl {

/// One step with m + 1 actions: action i measures 1 in measurement i ("c1", ..., "cm"), the last one nothing.
/// To measure 1 / (2m) everywhere, a mixture needs all m + 1 actions, so no solver can do with fewer
/// policies.
///   dimension = m
TabularModel make_worst_case(const Config& section) {
  constexpr int kDefaultDimension = 3;
  constexpr int kLargestDimension = 10000;
  const int dim = read_count(section, "dimension", kDefaultDimension, 1, kLargestDimension);
  std::vector<std::string> names;
  for (int i = 1; i <= dim; ++i) names.push_back(fmt::format("c{}", i));
  ModelBuilder builder(std::move(names));
  for (int action = 0; action <= dim; ++action) {
    builder.add_transition(1, 1.0,
                           action < dim ? Vector(Vector::Unit(dim, action)) : Vector(Vector::Zero(dim)));
    builder.end_choice();
  }
  builder.end_state();
  builder.end_state();
  return std::move(builder).finish(Vector::Unit(2, 0));
}

}  // namespace c2rl
