#include "c2rl/run/problem_keys.h"

#include "c2rl/run/problem.h"

namespace c2rl {
namespace {

/// What read_target and read_objective read by themselves, and what is read of every target.
struct TargetKeys {
  MaximizeOptions maximize;
  ConfirmationOptions confirmation;

  void visit(OptionVisitor& visitor) {
    visitor.described(
        "constraints", "a list of texts", "none",
        "comparisons that J must satisfy, all of them: \"0 <= steps <= 11\", \"norm(a - 1, b) <= "
        "3\"; at least one where there is no set and nothing to maximize or minimize");
    visitor.described(
        "set", "a table with a kind", "none",
        "a convex set over all measurements, for what comparisons cannot say; with constraints, "
        "both must hold");
    visitor.described("maximize", "a linear expression", "none",
                      "find the most of it inside the target: \"reward - 0.1*steps\"");
    visitor.described("minimize", "a linear expression", "none", "find the least of it; not with maximize");
    maximize.visit(visitor);
    confirmation.visit(visitor);
  }
};

/// What every environment has beside the keys of its kind.
struct EnvironmentKeys {
  void visit(OptionVisitor& visitor) {
    visitor.described(
        "range", "a table of two numbers by measurement", "computed or known, where it can be",
        "the least and the most that an episode can measure, discounted; -inf or inf where there "
        "is no end. What nobody knows is assumed not to be worse than what was seen, and the "
        "output says so");
  }
};

}  // namespace

void ProblemHeading::visit(OptionVisitor& visitor) {
  visitor.text("name", name, "of the run's directory, runs/NAME");
  visitor.integer("seed", seed, at_least(0), "that all randomness comes from: same seed, same result");
}

void MaximizeOptions::visit(OptionVisitor& visitor) {
  visitor.choice(
      "maximize_method", method, maximize_method_names(),
      "with maximize or minimize: direct narrows the bracket of the best value from both sides with "
      "every oracle call; bisection is the paper's binary search");
}

std::vector<ProblemKeys> problem_keys() {
  return {{"The file", "top level", list_options<ProblemHeading>()},
          {"Target", "[target]", list_options<TargetKeys>()},
          {"Every environment", "[environment]", list_options<EnvironmentKeys>()}};
}

}  // namespace c2rl
