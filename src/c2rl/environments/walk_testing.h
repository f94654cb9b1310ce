#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "c2rl/base/config.h"
#include "c2rl/environments/environment_kinds.h"
#include "c2rl/mdp/model.h"

namespace c2rl {

/// Where a sequence of actions ended, and what it measured on the way, not discounted.
struct Walk {
  int state = 0;
  Vector sum;

  bool operator==(const Walk& other) const { return state == other.state && sum == other.sum; }
  friend std::ostream& operator<<(std::ostream& out, const Walk& walk) {
    return out << "state " << walk.state << ", sum " << walk.sum.transpose();
  }
};

/// Takes the actions one by one from the first start state, each along its likeliest transition.
inline Walk walk(const TabularModel& model, const std::vector<int>& actions) {
  Walk result{0, Vector::Zero(model.dim())};
  while (model.start[result.state] == 0) ++result.state;
  for (const int action : actions) {
    const int choice = model.choice_begin[result.state] + action;
    int likeliest = model.transition_begin[choice];
    for (int e = likeliest; e < model.transition_begin[choice + 1]; ++e) {
      if (model.probability[e] > model.probability[likeliest]) likeliest = e;
    }
    result.sum += model.measurement.col(likeliest);
    result.state = model.next[likeliest];
  }
  return result;
}

inline TabularModel example_model(const std::string& name) {
  const Config problem = Config::read(C2RL_SOURCE_DIR "/examples/" + name + ".toml");
  return *make_world(problem.section("environment")).model;
}

}  // namespace c2rl
