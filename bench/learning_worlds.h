// What the benches of the learning oracles share: worlds to learn in, and many runs at once.
#pragma once

#include <atomic>
#include <ctime>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <tbb/task_arena.h>

namespace c2rl {

/// A world as a problem file describes it.
struct LearningWorld {
  std::string name;
  std::string environment;  // its [environment] section and what belongs to it
};

inline LearningWorld slippery_navigation(double slip) {
  return {fmt::format("navigation, slip {}", slip), fmt::format(R"([environment]
kind = "grid"
map = """
.........
.........
....#....
S.####..G
..####...
..####...
"""
measurements = ["steps", "risk"]
horizon = 500
slip = {}
[environment.legend]
"#" = {{ risk = 1 }}
)",
                                                                slip)};
}

inline LearningWorld mars_rover(double slip, const std::string& name = "mars rover") {
  return {fmt::format("{}, slip {}", name, slip),
          fmt::format("[environment]\nkind = \"mars-rover\"\nslip = {}\n", slip)};
}

/// A corridor past two cliffs, which end the episode; slipping off is likelier the nearer one walks.
inline LearningWorld slippery_cliffs(double slip) {
  return {fmt::format("cliffs, slip {}", slip), fmt::format(R"([environment]
kind = "grid"
map = """
............
............
.X..........
SXXXXX.XXXXG
............
..........X.
"""
measurements = ["steps", "fall"]
horizon = 200
slip = {}
[environment.legend]
X = {{ fall = 1, terminal = true }}
)",
                                                            slip)};
}

inline LearningWorld deep_sea_treasure() {
  return {"deep sea treasure", "[environment]\nkind = \"deep-sea-treasure\"\nmap = \"concave\"\n"};
}

inline LearningWorld garnet(int states) {
  return {fmt::format("garnet, {} states", states),
          fmt::format("[environment]\nkind = \"garnet\"\nstates = {}\nbranching = 5\nseed = 1\n", states)};
}

inline LearningWorld cart_pole() {
  return {"cart-pole", "[environment]\nkind = \"cart-pole\"\nmiddle = 0.1\nhorizon = 200\n"};
}

/// The paper's, without chance.
inline LearningWorld navigation() {
  return {"navigation", slippery_navigation(0).environment};
}

inline LearningWorld pendulum() {
  return {"pendulum", "[environment]\nkind = \"pendulum\"\n"};
}

inline LearningWorld mountain_car() {
  return {"mountain car", "[environment]\nkind = \"mountain-car\"\n"};
}

inline LearningWorld point_robot(const std::string& constraints) {
  return {"point robot, " + constraints, "[environment]\nkind = \"point-robot\"\n"};
}

/// Nothing is left to chance, so that a deterministic policy arrives always or never.
inline LearningWorld patrolling_point_robot() {
  return {"point robot, patrol",
          "[environment]\nkind = \"point-robot\"\nlayout = 44\nheading_spread = 0\nhorizon = 100\n"};
}

/// Processor time of this thread, so that what else the machine does counts little.
inline double thread_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// job(0) .. job(count - 1), each on one of so many threads from beginning to end.
inline void in_parallel(int count, int threads, const std::function<void(int)>& job) {
  std::atomic<int> next = 0;
  std::vector<std::jthread> workers;
  workers.reserve(threads);
  for (int i = 0; i < threads; ++i) {
    workers.emplace_back([&] {
      // What a job does in parallel by itself stays on its thread.
      tbb::task_arena alone(1);
      alone.execute([&] {
        for (int index = next++; index < count; index = next++) job(index);
      });
    });
  }
}

}  // namespace c2rl
