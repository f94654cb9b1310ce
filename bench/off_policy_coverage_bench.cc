// How often intervals from recorded episodes hold J: policies that were learned from one dataset, judged by
// others. For each row the least coverage over measurements and sides, J being computed from the model.
//
//   off_policy_coverage_bench [datasets [policies [row ...]]]

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "c2rl/base/quantiles.h"
#include "c2rl/environments/environment_kinds.h"
#include "c2rl/mdp/evaluate.h"
#include "c2rl/mdp/tabular_policy.h"
#include "c2rl/offline/dataset_testing.h"
#include "c2rl/oracle/collect.h"
#include "c2rl/oracle/ddqn.h"
#include "c2rl/oracle/dynamic_programming.h"

namespace c2rl {
namespace {

struct Named {
  std::string name;
  World world;
};

World world_of(const std::string& environment) {
  const Config file = Config::parse("[environment]\n" + environment, "bench");
  return make_world(file.section("environment"));
}

std::vector<Named> places() {
  const std::string navigation =
      "kind = 'grid'\nmap = "
      "\"\"\"\n.........\n.........\n....#....\nS.####..G\n..####...\n..####...\n\"\"\"\n"
      "measurements = ['steps', 'risk']\nhorizon = 500\nstep = {steps = 1}\nlegend = {'#' = {risk = 1}}\n";
  return {{"navigation-0.1", world_of(navigation + "slip = 0.1\n")},
          {"navigation-0.2", world_of(navigation + "slip = 0.2\n")},
          {"navigation-0.3", world_of(navigation + "slip = 0.3\n")},
          {"garnet-50", world_of("kind = 'garnet'\nstates = 50\nseed = 1\ndiscount = 0.95\n")},
          {"garnet-20", world_of("kind = 'garnet'\nstates = 20\nseed = 2\ndiscount = 0.99\nhorizon = 30\n")},
          {"mars-rover-0.05", world_of("kind = 'mars-rover'\nslip = 0.05\n")},
          {"mars-rover-0.2", world_of("kind = 'mars-rover'\nslip = 0.2\n")}};
}

std::vector<Vector> directions_of(const World& world) {
  const double sign = world.measurements[1] == "reward" ? -1 : 1;
  return {Vector{{1, sign}}, Vector{{1, 0.02 * sign}}, Vector{{0.02, sign}}};
}

/// Episodes that take the best action of one direction or another, and now and then any.
Dataset epsilon_greedy(const World& world, int samples, const Rng& rng) {
  const TabularModel& model = *world.model;
  const DynamicProgramming best(world.model);
  Matrix found(model.max_actions(), 1);
  std::vector<int> states;
  for (int s = 0; s < model.states; ++s) {
    if (!model.is_terminal(s)) states.push_back(s);
  }
  std::vector<double> probabilities(model.choices(), 0);
  for (const Vector& direction : directions_of(world)) {
    const PolicyPtr greedy = best.minimize(direction, Rng(0)).policy;
    for (const int s : states) {
      greedy->action_probabilities(std::vector<int>{s}, 0, found);
      for (int a = 0; a < model.actions(s); ++a)
        probabilities[model.choice_begin[s] + a] += (0.8 * found(a, 0) + 0.2 / model.actions(s)) / 3;
    }
  }
  const PolicyPtr behaviour = TabularPolicy::randomized(model.choice_begin, probabilities);
  TabularModel cut = model;  // where nothing ends an episode but discounting, it is cut
  if (cut.horizon == 0) cut.horizon = world.episode_limit;
  const Dataset some = sampled_dataset(cut, *behaviour, 20, rng.fork("length"));
  const int episodes = std::max(2, static_cast<int>(std::int64_t{samples} * 20 / std::max(1, some.size())));
  Dataset data = sampled_dataset(cut, *behaviour, episodes, rng);
  data.horizon = world.horizon;
  return data;
}

Dataset recorded(const World& world, bool by_agent, int samples, const Rng& rng) {
  return by_agent ? collect(world, {}, directions_of(world), samples, rng)
                  : epsilon_greedy(world, samples, rng);
}

struct Tally {
  std::vector<double> misses[2];  // by level; an entry for each measurement and side
  std::vector<double> widths;
  double all = 0;

  void add(const Vector& truth, double rounding, const OffPolicyEstimate& found, double unit) {
    static const double kLevels[] = {normal_quantile(0.95), normal_quantile(0.99)};
    const auto dim = truth.size();
    all += 1;
    for (int level = 0; level < 2; ++level) {
      misses[level].resize(static_cast<std::size_t>(2 * dim), 0);
      for (Eigen::Index k = 0; k < dim; ++k) {
        const double reach = kLevels[level] * found.standard_error[k] + rounding;
        misses[level][static_cast<std::size_t>(2 * k)] += truth[k] > found.measurement[k] + reach;
        misses[level][static_cast<std::size_t>(2 * k + 1)] += truth[k] < found.measurement[k] - reach;
      }
    }
    widths.push_back(found.standard_error[0] * unit);
  }
  double coverage(int level) const { return 1 - *std::ranges::max_element(misses[level]) / all; }
  double width() {
    std::ranges::nth_element(widths, widths.begin() + std::ssize(widths) / 2);
    return widths[widths.size() / 2];
  }
};

void run_row(const Named& place, bool by_agent, int samples, int datasets, int policies) {
  const Rng rng = Rng(1).fork(place.name, static_cast<std::uint64_t>(samples + (by_agent ? 1 : 0)));
  std::vector<PolicyPtr> learned;
  std::vector<Vector> truth;
  std::shared_ptr<const Dataset> learned_from;
  const auto directions = directions_of(place.world);
  for (int p = 0; p < policies; ++p) {
    const Rng own = rng.fork("policy", static_cast<std::uint64_t>(p));
    const auto data = std::make_shared<const Dataset>(recorded(place.world, by_agent, samples, own));
    learned_from = data;
    const Ddqn oracle(data, {.updates = 500, .judging_part = 0}, ActionCounts(place.world));
    learned.push_back(oracle.minimize(directions[p % directions.size()], own).policy);
    truth.push_back(evaluate(*place.world.model, *learned.back()).measurement);
  }
  Tally seen, honest;
  double unknown = 0;
  for (int d = 0; d < datasets; ++d) {
    const auto data = std::make_shared<const Dataset>(
        recorded(place.world, by_agent, samples, rng.fork("judging", static_cast<std::uint64_t>(d))));
    const OffPolicyEvaluator plain(data, {.deterministic = true}), wide(data, {.steps = learned_from.get()});
    for (int p = 0; p < policies; ++p) {
      const double rounding = 1e-9 * (1 + truth[p].norm());
      seen.add(truth[p], rounding, plain.estimate(OffPolicyMethod::fitted_q, *learned[p]), 1);
      const OffPolicyEstimate found = wide.estimate(OffPolicyMethod::fitted_q, *learned[p]);
      honest.add(truth[p], rounding, found, 1);
      unknown += found.unsupported > 1e-6;
    }
  }
  std::cout << fmt::format("{:16} {:6} {:7} {:5.2f} | {:.3f} {:.3f} {:9.3g} | {:.3f} {:.3f} {:9.3g}\n",
                           place.name, by_agent ? "agent" : "greedy", samples,
                           unknown / (datasets * policies), seen.coverage(0), seen.coverage(1), seen.width(),
                           honest.coverage(0), honest.coverage(1), honest.width())
            << std::flush;
}

}  // namespace
}  // namespace c2rl

int main(int count, char** words) {
  using namespace c2rl;
  const int datasets = count > 1 ? std::atoi(words[1]) : 100;
  const int policies = count > 2 ? std::atoi(words[2]) : 6;
  std::cout << "                                     | spread seen: 95%, 99%, se | with the unseen\n";
  for (const Named& place : places()) {
    for (const bool by_agent : {false, true}) {
      for (const int samples : {1'000, 10'000, 100'000}) {
        const std::string row = fmt::format("{} {} {} ", place.name, by_agent ? "agent" : "greedy", samples);
        bool wanted = count <= 3;
        for (int i = 3; i < count; ++i) wanted |= row.find(words[i]) != std::string::npos;
        if (wanted) run_row(place, by_agent, samples, datasets, policies);
      }
    }
  }
}
