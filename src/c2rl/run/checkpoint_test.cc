// A run that is killed inside an oracle call goes on from within it, to the same result.

#include "c2rl/run/checkpoint.h"

#include <csignal>

#include <fmt/format.h>

#include "c2rl/oracle/collect.h"
#include "c2rl/run/run_testing.h"

namespace c2rl {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFile = "checkpoint.safetensors";

/// Dies within a call, once this part of it is done; hears where calls begin.
struct DieAt final : SolveListener {
  DieAt(int the_call, double the_part, bool by_a_kill = false)
      : call(the_call), part(the_part), killed(by_a_kill) {}
  bool oracle_progress(int number, double done) override {
    if (number != call || done < part) return true;
    if (killed) raise(SIGKILL);
    return false;
  }
  int call;
  double part;
  bool killed;
};

/// How far each call was when it was first heard of, and what was said.
struct Hears final : SolveListener {
  bool oracle_progress(int call, double part) override {
    first.try_emplace(call, part);
    return true;
  }
  void noticed(const std::string& what) override { said += what + "\n"; }
  std::map<int, double> first;
  std::string said;
};

class CheckpointOfARun : public RunTest {
 protected:
  /// Every place is one to save at.
  static constexpr const char* kAlways = "oracle.checkpoint_seconds=1e-9";

  static std::vector<std::string> a2c() {
    return {kAlways,
            "oracle.kind=a2c",
            "oracle.training_steps=8000",
            "oracle.hidden=[8]",
            "oracle.environments=8",
            "oracle.retries=1",
            "solver.max_oracle_calls=3",
            "target.max_steps=20000"};
  }
  static std::vector<std::string> q_learning() {
    return {kAlways,
            "environment.slip=0.2",
            "oracle.kind=q-learning",
            "oracle.training_steps=60000",
            "oracle.retries=1",
            "solver.max_oracle_calls=3",
            "target.max_steps=200000"};
  }
  std::vector<std::string> ddqn() const {
    const std::string file = path_ + ".data";
    const World world = example("navigation").world;
    write_dataset(file, collect(world, {}, {Vector{{1, 1}}, Vector{{1, 0}}, Vector{{0, 1}}}, 3000, Rng(1)));
    return {kAlways,
            "oracle.kind=ddqn",
            "oracle.dataset=" + file,
            "oracle.updates=600",
            "oracle.hidden=[8]",
            "oracle.batch=32",
            "oracle.retries=1",
            "solver.max_oracle_calls=3"};
  }
  void TearDown() override {
    fs::remove(path_ + ".data");
    RunTest::TearDown();
  }

  Hears go_on(const Problem& problem) const {
    const RunDirectory directory = RunDirectory::resume(path_, Sync::no);
    Hears hears;
    solve(problem, &directory, hears);
    return hears;
  }

  /// Stopped within the second call, and resumed.
  void expect_to_go_on(const std::vector<std::string>& options, bool killed) const {
    const Problem problem = example("navigation", options);
    ASSERT_GE(start(problem).oracle_calls, 2);
    const std::string expected = result();
    EXPECT_FALSE(fs::exists(inside(kFile)));
    for (const double part : {0.1, 0.45, 0.8}) {
      SCOPED_TRACE(part);
      if (killed) {
        EXPECT_EQ(in_child([&] {
                    start(problem, DieAt(2, part, true));
                    return 0;
                  }),
                  -1);
      } else {
        EXPECT_TRUE(start(problem, DieAt(2, part)).interrupted);
      }
      ASSERT_TRUE(fs::exists(inside(kFile)));
      EXPECT_TRUE(RunDirectory::check(path_).empty());
      const Hears heard = go_on(problem);
      // The places to save at and those to report at are near each other.
      EXPECT_GE(heard.first.at(2), part - 0.1);
      EXPECT_EQ(heard.said, "");
      EXPECT_EQ(result(), expected);
      EXPECT_FALSE(fs::exists(inside(kFile)));
    }
  }
};

TEST_F(CheckpointOfARun, A2cGoesOnWithinACall) {
  expect_to_go_on(a2c(), false);
}

TEST_F(CheckpointOfARun, A2cGoesOnAfterAKill) {
  expect_to_go_on(a2c(), true);
}

TEST_F(CheckpointOfARun, QLearningGoesOnWithinACall) {
  expect_to_go_on(q_learning(), false);
}

TEST_F(CheckpointOfARun, DdqnGoesOnWithinACall) {
  expect_to_go_on(ddqn(), false);
}

// Where it does not pay, nothing is written.
TEST_F(CheckpointOfARun, NoneIsSavedWhereTheyAreOffOrNotDue) {
  for (const char* interval : {"0", "inf", "1000"}) {
    auto options = q_learning();
    options[0] = std::string("oracle.checkpoint_seconds=") + interval;
    start(example("navigation", options), DieAt(1, 0.8));
    EXPECT_FALSE(fs::exists(inside(kFile))) << interval;
  }
}

// How often they are saved may change, and is no part of what the run is.
TEST_F(CheckpointOfARun, AnotherIntervalIsTheSameRun) {
  auto options = q_learning();
  const Problem problem = example("navigation", options);
  start(problem);
  const std::string expected = result();
  start(problem, DieAt(2, 0.5));
  options[0] = "oracle.checkpoint_seconds=0";
  const Hears heard = go_on(example("navigation", options));
  EXPECT_GE(heard.first.at(2), 0.4);
  EXPECT_EQ(result(), expected);
}

TEST_F(CheckpointOfARun, ThatIsDamagedIsSaidAndTheCallBeginsAnew) {
  const Problem problem = example("navigation", q_learning());
  start(problem);
  const std::string expected = result();
  start(problem, DieAt(2, 0.5));
  const std::string whole = read_file(inside(kFile)), record = read_file(inside("record.jsonl"));
  const auto resume_with = [&](const std::string& content) {
    write_file(inside("record.jsonl"), record);
    fs::remove(inside("result.json"));
    write_file(inside(kFile), content);
    const Hears heard = go_on(problem);
    EXPECT_EQ(result(), expected);
    EXPECT_FALSE(fs::exists(inside(kFile)));
    return heard;
  };
  EXPECT_GE(resume_with(whole).first.at(2), 0.4);
  std::string flipped = whole;
  flipped[whole.size() / 2] ^= 4;
  for (const std::string& content : {flipped, whole.substr(0, whole.size() / 3), std::string()}) {
    write_file(inside(kFile), content);
    EXPECT_EQ(RunDirectory::check(path_).size(), 1u);
    const Hears heard = resume_with(content);
    EXPECT_EQ(heard.first.at(2), 0);
    EXPECT_NE(heard.said.find(kFile), std::string::npos) << heard.said;
    EXPECT_NE(heard.said.find("call 2 begins anew"), std::string::npos) << heard.said;
  }
}

// One of another run, or of another moment of this one.
TEST_F(CheckpointOfARun, ThatIsOfSomethingElseIsNotUsed) {
  const Problem problem = example("navigation", q_learning());
  start(problem);
  const std::string expected = result();
  auto options = q_learning();
  options.emplace_back("seed=7");
  start(example("navigation", options), DieAt(2, 0.5));
  const std::string foreign = read_file(inside(kFile));
  start(problem, DieAt(1, 0.5));
  const std::string first = read_file(inside(kFile));
  start(problem, DieAt(2, 0.5));
  const auto resume_with = [&](const std::string& content) {
    start(problem, StopAfterCalls(1));
    write_file(inside(kFile), content);
    Hears heard = go_on(problem);
    EXPECT_EQ(heard.first.at(2), 0);
    EXPECT_EQ(result(), expected);
    EXPECT_FALSE(fs::exists(inside(kFile)));
    return heard.said;
  };
  EXPECT_NE(resume_with(foreign).find("is of a run of another problem; call 2 begins anew"),
            std::string::npos);
  EXPECT_EQ(resume_with(first), "");
}

/// Does no better with more effort; notes how much it is asked with.
class Patient final : public Oracle {
 public:
  Patient(std::shared_ptr<const Oracle> good, int stop_at) : good_(std::move(good)), stop_at_(stop_at) {}
  int dim() const override { return good_->dim(); }
  mutable std::vector<double> efforts;

 private:
  OracleAnswer answer(const OracleCall& call) const override {
    efforts.push_back(call.effort);
    if (std::ssize(efforts) == stop_at_) throw OracleInterrupted();
    OracleCall asked{.direction = call.direction, .rng = call.rng, .effort = 1};
    return good_->minimize(asked);
  }

  std::shared_ptr<const Oracle> good_;
  int stop_at_;
};

// Attempts that are finished are not made again, be the oracle what it may.
TEST_F(CheckpointOfARun, FinishedAttemptsAreKept) {
  const Problem problem = example("navigation", {kAlways, "oracle.kind=q-learning", "oracle.retries=2",
                                                 "target.constraints=['steps <= 9', 'risk <= 0.5']"});
  const auto with_oracle = [&](int stop_at) {
    Problem changed = problem;
    changed.oracle = std::make_shared<Patient>(problem.oracle, stop_at);
    return changed;
  };
  const auto efforts_of = [](const Problem& changed) {
    return dynamic_cast<const Patient&>(*changed.oracle).efforts;
  };
  const Problem undisturbed = with_oracle(0);
  start(undisturbed);
  const std::string expected = result();
  const std::vector<double> efforts = efforts_of(undisturbed);
  ASSERT_EQ(efforts.back(), 16);
  for (int stop = 1; stop <= std::ssize(efforts); ++stop) {
    const Problem stopped = with_oracle(stop), resumed = with_oracle(0);
    start(stopped);
    go_on(resumed);
    EXPECT_EQ(result(), expected) << stop;
    EXPECT_EQ(efforts_of(resumed), std::vector<double>(efforts.begin() + stop - 1, efforts.end())) << stop;
  }
}

}  // namespace
}  // namespace c2rl
