#include "c2rl/solve/solver_kinds.h"

#include <set>

#include <gtest/gtest.h>

#include "c2rl/geometry/sets.h"
#include "c2rl/solve/point_oracle.h"

namespace c2rl {
namespace {

struct ImpatientOptions {
  int patience = 5;

  void visit(OptionVisitor& visitor) {
    visitor.integer("patience", patience, between(1, 100), "calls after which it gives up");
  }
};

/// Believes every answer, and gives up soon.
class Impatient final : public Solver {
 public:
  Impatient(SetPtr target, const SolverOptions& options, const ImpatientOptions& own)
      : Solver(std::move(target), options), own_(own) {}

 private:
  Vector next_direction() const override { return gradient().normalized(); }
  bool merges_duplicates() const override { return false; }
  void take(const Answer& answer, int id, bool /*is_new*/) override {
    move_to(Mixture::single(id, answer.point));
    if (calls() == own_.patience) end(Status::budget);
  }

  ImpatientOptions own_;
};

std::unique_ptr<Solver> impatient(SetPtr target, const SolverOptions& options, const ImpatientOptions& own) {
  check_options(own);
  return std::make_unique<Impatient>(std::move(target), options, own);
}

/// As a program outside would add a kind: once.
const SolverKind& impatient_kind() {
  static const bool added = [] {
    solver_kinds().add(solver_kind<ImpatientOptions>(
        "impatient", "gives up", {.keeps = Keeps::one, .needs_linear_constraints = true}, impatient));
    return true;
  }();
  EXPECT_TRUE(added);
  return solver_kinds().find("impatient");
}

SetPtr far_away() {
  return point(Vector{{-9, -9}});
}

int calls_of(const SolverMaker& maker) {
  const auto solver = maker.make(far_away(), {});
  PointOracle oracle(Matrix{{1, 2}, {3, 4}});
  oracle.run(*solver);
  return solver->calls();
}

TEST(SolverKinds, AKindFromOutsideIsMadeFromASection) {
  const SolverKind& kind = impatient_kind();
  const Config section = Config::parse("kind = 'impatient'\npatience = 3\n", "solver.toml");
  EXPECT_EQ(&solver_kinds().named_in(section), &kind);
  EXPECT_EQ(calls_of(kind.configure(&section)), 3);
  section.reject_unknown_keys();
  EXPECT_EQ(calls_of(kind.configure(nullptr)), 5);
  EXPECT_EQ(make_solver("impatient", far_away(), {})->target().dim(), 2);
  // The standard one does not know the key.
  const Config other = Config::parse("patience = 3\n", "solver.toml");
  solver_kinds().standard().configure(&other);
  EXPECT_THROW(other.reject_unknown_keys(), InputError);
}

TEST(SolverKinds, BadValuesOfAKindFromOutsideAreNamed) {
  const Config section = Config::parse("patience = 0\n", "solver.toml");
  try {
    impatient_kind().configure(&section);
    FAIL() << "0 is taken";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "solver.toml:1: patience: found 0, expected a whole number from 1 to 100");
  }
  EXPECT_THROW(impatient(far_away(), {}, {.patience = 101}), InputError);
}

TEST(SolverKinds, TraitsOfAKindFromOutsideCount) {
  const SolverKind& kind = impatient_kind();
  ASSERT_EQ(kind.options.size(), 1);
  EXPECT_EQ(kind.options[0].key, "patience");
  EXPECT_EQ(kind.options[0].standard, "5");
  EXPECT_EQ(trait_words(kind), (std::vector<std::string>{"one policy", "targets with flat faces only"}));
  EXPECT_THROW(make_solver("impatient", ball(Vector{{0, 0}}, 1), {}), UnsuitableTargetError);
}

// Keys of a kind stand beside those that all have, so they must be others.
TEST(SolverKinds, EachSaysWhatItIs) {
  EXPECT_EQ(solver_kinds().standard().name, "corrective-mnp");
  for (const SolverKind* kind : solver_kinds().all()) {
    EXPECT_FALSE(kind->summary.empty()) << kind->name;
    EXPECT_FALSE(trait_words(*kind).empty()) << kind->name;
    std::set<std::string> keys = {"kind"};
    for (const OptionInfo& option : list_options<SolverOptions>())
      EXPECT_TRUE(keys.insert(option.key).second);
    for (const OptionInfo& option : kind->options) {
      EXPECT_TRUE(keys.insert(option.key).second) << kind->name << ": " << option.key;
      EXPECT_FALSE(option.reason.empty()) << kind->name << ": " << option.key;
    }
  }
}

TEST(SolverKinds, AnUnsuitableTargetIsRefusedWithASuggestion) {
  const auto message = [](const std::string& kind, const SetPtr& target) -> std::string {
    try {
      solver_kinds().find(kind).check_suits(*target);
    } catch (const UnsuitableTargetError& error) {
      return error.what();
    }
    return "";
  };
  const SetPtr disc = ball(Vector{{0, 0}}, 1), square = box(Vector{{0, 0}}, Vector{{1, 1}});
  EXPECT_EQ(
      message("wolfe-mnp", square),
      "solver 'wolfe-mnp' needs a target of one point (an equation for every measurement); 'corrective-mnp' "
      "takes any target");
  EXPECT_EQ(message("wolfe-mnp", far_away()), "");
  EXPECT_EQ(
      message("rcpo", disc),
      "solver 'rcpo' needs a target with flat faces (linear constraints); 'corrective-mnp' takes any target");
  EXPECT_EQ(message("rcpo", square), "");
  EXPECT_EQ(message("corrective-mnp", disc), "");
}

}  // namespace
}  // namespace c2rl
