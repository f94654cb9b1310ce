#include "c2rl/mdp/environments.h"
#include "c2rl/mdp/model_builder.h"

namespace c2rl {

/// Rock, paper, scissors (actions 0, 1, 2) against an opponent who draws uniformly: each round, the
/// measurement of the action played is 1 on a win. State i is round i + 1; the last state is the end.
///   rounds = 1
TabularModel make_rock_paper_scissors(const Config& section) {
  constexpr int kLongest = 1000000;
  const int rounds = read_count(section, "rounds", 1, 1, kLongest);
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

}  // namespace c2rl
