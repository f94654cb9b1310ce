#include "c2rl/oracle/online_training.h"

#include <memory>

#include <gtest/gtest.h>

#include "c2rl/mdp/model_builder.h"
#include "c2rl/mdp/tabular_policy.h"

namespace c2rl {
namespace {

/// An episode is one step, which measures 0 or 1.
World coin() {
  ModelBuilder builder({"heads"});
  builder.add_transition(1, 0.5, Vector{{0}});
  builder.add_transition(1, 0.5, Vector{{1}});
  builder.end_choice();
  builder.end_state();
  builder.end_state();
  return make_world(std::make_shared<TabularModel>(std::move(builder).finish(Vector{{1, 0}})));
}

/// Sixteen episodes an update, from which nothing can be learnt.
class TossingCoins final : public OnlineTraining {
 public:
  TossingCoins(std::int64_t steps, bool wants_room, const Rng& rng)
      : OnlineTraining(steps), wants_room_(wants_room), rng_(rng), episodes_(1, Vector{{1}}, 1) {}

  void update() override {
    constexpr int kEpisodes = 16;
    for (int i = 0; i < kEpisodes; ++i) episodes_.end_with(rng_.uniform() < 0.5 ? 0 : 1);
    env_steps_ += kEpisodes;
  }
  void visit(StateVisitor&) override {}
  PolicyPtr policy() const override { return TabularPolicy::deterministic(std::vector<std::int32_t>{0, 0}); }
  TrainingEpisodes& episodes() override { return episodes_; }
  std::int64_t env_steps() const override { return env_steps_; }
  bool wants_room() const override { return wants_room_; }

 private:
  bool wants_room_;
  Rng rng_;
  TrainingEpisodes episodes_;
  std::int64_t env_steps_ = 0;
};

OracleAnswer toss(double enough, int seed, bool wants_room = false, std::int64_t tried = 0) {
  const ChoiceOptions options{.early_stop = true, .checks = 4, .evaluation = {.evaluation_episodes = 20}};
  OracleCall call{.direction = Vector{{1}}, .rng = Rng(seed)};
  call.enough = enough;
  call.tried = tried;
  TossingCoins training(4000, wants_room, Rng(seed).fork("coins"));
  return learn_by_acting(coin(), options, call, training);
}

// Of a hundred tries some are lucky. What is no better than the plane must not end a training for that.
TEST(OnlineTraining, IsNotEndedByLuck) {
  constexpr int kRuns = 60;
  int ended = 0;
  double sum = 0;
  for (int seed = 0; seed < kRuns; ++seed) {
    const OracleAnswer answer = toss(0.5, seed);
    ended += answer.steps.training < 4000 ? 1 : 0;
    sum += answer.measurement[0];
    EXPECT_LE(answer.steps.checks, 2 * answer.steps.training);
  }
  EXPECT_LE(ended, kRuns / 5);
  // What is said of the policy is not the luck that it was chosen for.
  EXPECT_NEAR(sum / kRuns, 0.5, 0.05);
}

// What is only just good enough takes many episodes to tell. Who wants room goes on while these would be more than it has had: here
// up to some 56 episodes, where the first sixteen are good enough in most runs.
TEST(OnlineTraining, GoesOnWhileToTellWouldTakeLonger) {
  constexpr int kRuns = 40;
  double at_once = 0, with_room = 0;
  for (int seed = 0; seed < kRuns; ++seed) {
    at_once += static_cast<double>(toss(0.7, seed).steps.training) / kRuns;
    with_room += static_cast<double>(toss(0.7, seed, true).steps.training) / kRuns;
  }
  EXPECT_LE(at_once, 100);
  EXPECT_GE(with_room, 120);
}

// What an attempt that was of no use ended with had looked good enough, too: the next takes its time.
TEST(OnlineTraining, TakesLongerWhereEarlierAttemptsWereOfNoUse) {
  for (int seed = 0; seed < 20; ++seed) {
    const OracleAnswer answer = toss(0.9, seed, false, 300);
    EXPECT_GE(answer.steps.training, 1200) << seed;
    EXPECT_LT(answer.steps.training, 1500) << seed;
    // But no longer than to the first check, at five eighths of the steps that there are.
    EXPECT_NEAR(static_cast<double>(toss(0.9, seed, false, 100'000).steps.training), 2500, 20) << seed;
  }
}

TEST(OnlineTraining, EndsWhereItIsGoodEnough) {
  for (int seed = 0; seed < 20; ++seed) EXPECT_LT(toss(0.9, seed).steps.training, 200) << seed;
}

}  // namespace
}  // namespace c2rl
