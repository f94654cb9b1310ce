#include "c2rl/environments/environment_kinds.h"
#include "c2rl/mdp/model_builder.h"

namespace c2rl {
namespace {

struct RockPaperScissorsOptions {
  int rounds = 1;

  void visit(OptionVisitor& visitor) {
    constexpr int kLongest = 100000;
    visitor.integer("rounds", rounds, between(1, kLongest), "rounds that an episode has");
  }
};

TabularModel make_rock_paper_scissors(const RockPaperScissorsOptions& options) {
  const int rounds = options.rounds;
  const std::vector<std::string> actions = {"rock", "paper", "scissors"};
  ModelBuilder builder(actions);
  for (int round = 0; round < rounds; ++round) {
    for (int action = 0; action < std::ssize(actions); ++action) {
      builder.add_transition(round + 1, 1.0 / 3, Vector::Unit(std::ssize(actions), action));
      builder.add_transition(round + 1, 2.0 / 3, Vector::Zero(std::ssize(actions)));
      builder.end_choice();
    }
    builder.end_state();
  }
  builder.end_state();
  return std::move(builder).finish(Vector::Unit(rounds + 1, 0));
}

}  // namespace

/// Rock, paper, scissors (actions 0, 1, 2) against an opponent who draws uniformly: each round, the
/// measurement of the action played is 1 on a win. State i is round i + 1; the last state is the end.
EnvironmentKind rock_paper_scissors_kind() {
  return model_kind("rock-paper-scissors", "win with each action often enough against a uniform opponent",
                    make_rock_paper_scissors);
}

}  // namespace c2rl
