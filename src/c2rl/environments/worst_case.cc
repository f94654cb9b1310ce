#include <fmt/format.h>

#include "c2rl/environments/environment_kinds.h"
#include "c2rl/mdp/model_builder.h"

namespace c2rl {
namespace {

struct WorstCaseOptions {
  int dimension = 3;

  void visit(OptionVisitor& visitor) {
    constexpr int kLargest = 1000;
    visitor.integer("dimension", dimension, between(1, kLargest), "m, the number of measurements");
  }
};

TabularModel make_worst_case(const WorstCaseOptions& options) {
  const int dim = options.dimension;
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

}  // namespace

/// One step with m + 1 actions: action i measures 1 in measurement i ("c1", ..., "cm"), the last one nothing.
/// To measure 1 / (2m) everywhere, a mixture needs all m + 1 actions: no solver can do with fewer policies.
EnvironmentKind worst_case_kind() {
  return model_kind("worst-case", "one state whose only solution mixes m + 1 policies", make_worst_case);
}

}  // namespace c2rl
