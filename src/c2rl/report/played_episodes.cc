#include "c2rl/report/played_episodes.h"

#include <algorithm>
#include <cmath>

#include "c2rl/mdp/monte_carlo.h"
#include "c2rl/mdp/occupancy.h"
#include "c2rl/report/drawn_numbers.h"

namespace c2rl {
namespace {

// What a report may spend: seconds at most, in any world of ours.
constexpr int kEpisodes = 4000;
constexpr std::int64_t kSteps = 400'000;
constexpr int kBatch = 200;
constexpr int kBins = 30;
constexpr int kShownEpisodes = 6;
constexpr int kShownSteps = 300;
constexpr int kMostFollowedSteps = 20'000;
constexpr double kNearlyNobody = 1e-9;
constexpr int kMoves = 4;

Rng stream_of(const Problem& problem, const char* what, int policy) {
  return Rng(problem.seed).fork("report").fork(what, static_cast<std::uint64_t>(policy));
}

/// Of a policy with this weight: as many episodes as its part of all, but some.
Matrix sampled_totals(const Problem& problem, const Policy& policy, double weight, int number) {
  const int wanted = std::max(kBatch, static_cast<int>(std::lround(weight * kEpisodes)));
  const auto steps = static_cast<std::int64_t>(std::max(0.1, weight) * kSteps);
  Matrix totals(problem.world.dim(), 0);
  std::int64_t taken = 0;
  while (totals.cols() < wanted && taken < steps) {
    const int more = std::min(kBatch, wanted - static_cast<int>(totals.cols()));
    const EpisodeTotals drawn =
        episode_totals(problem.world, policy, totals.cols(), more, stream_of(problem, "totals", number));
    taken += drawn.env_steps;
    totals.conservativeResize(Eigen::NoChange, totals.cols() + drawn.totals.cols());
    totals.rightCols(drawn.totals.cols()) = drawn.totals;
  }
  return totals;
}

/// Bins from the least to the most, one a whole number where these are few.
std::vector<double> bin_edges(const std::vector<Matrix>& totals, int measurement) {
  double least = kInfinity, most = -kInfinity;
  bool whole = true;
  for (const Matrix& some : totals) {
    for (const double value : some.row(measurement)) {
      least = std::min(least, value);
      most = std::max(most, value);
      whole = whole && value == std::floor(value);
    }
  }
  std::vector<double> edges;
  if (whole) {
    const double width = std::ceil((most - least + 1) / kBins);
    for (double edge = least - 0.5; edges.size() < 2 || edges.back() < most; edge += width)
      edges.push_back(edge);
    return edges;
  }
  const double width = most > least ? (most - least) / kBins : 1;
  for (int i = 0; i <= kBins; ++i) edges.push_back(least + width * i);
  return edges;
}

Json histogram(const std::vector<Matrix>& totals, const Vector& weights, int measurement) {
  const std::vector<double> edges = bin_edges(totals, measurement);
  Json shares = Json::array();
  for (std::size_t policy = 0; policy < totals.size(); ++policy) {
    std::vector<double> share(edges.size() - 1, 0.0);
    for (const double value : totals[policy].row(measurement)) {
      const auto bin = std::upper_bound(edges.begin(), edges.end(), value) - edges.begin() - 1;
      share[std::clamp<std::size_t>(static_cast<std::size_t>(std::max<std::ptrdiff_t>(bin, 0)), 0,
                                    share.size() - 1)] +=
          weights[static_cast<Eigen::Index>(policy)] / static_cast<double>(totals[policy].cols());
    }
    shares.push_back(drawn(share));
  }
  return {{"edges", drawn(edges)}, {"shares", std::move(shares)}};
}

/// The cells of one episode, the first one first.
std::vector<int> play(const Problem& problem, const Policy& policy, const Rng& rng, std::uint64_t number) {
  const World& world = problem.world;
  const auto environment = world.environment(1);
  environment->reset(0, rng.fork("episode", number));
  Rng actions = rng.fork("actions", number);
  Rng* const stream = &actions;
  ActionBatch batch(world, 1);
  std::vector<int> cells = {environment->states()[0]};
  while (!environment->ended(0) && static_cast<int>(cells.size()) <= kShownSteps) {
    policy.act(environment->observations(), static_cast<int>(cells.size()) - 1, std::span(&stream, 1), batch);
    environment->step(batch.view());
    cells.push_back(environment->states()[0]);
  }
  return cells;
}

/// Expected visits of an episode to each state, and to each of its moves.
struct Visits {
  std::vector<double> states;
  Matrix moves;  // a column per state
};

Visits follow(const TabularModel& model, const Policy& policy, int limit) {
  Visits visits{std::vector<double>(static_cast<std::size_t>(model.states), 0.0),
                Matrix::Zero(kMoves, model.states)};
  Vector measured = Vector::Zero(model.dim());
  Walk walk(model);
  const int most = limit > 0 ? std::min(limit, kMostFollowedSteps) : kMostFollowedSteps;
  for (double going = 1; walk.step() < most && going > kNearlyNobody;) {
    going = 0;
    for (const int state : walk.states()) {
      visits.states[static_cast<std::size_t>(state)] += walk.probability(state);
      going += walk.probability(state);
    }
    visit_choices(model, policy, walk.step(), walk.states(), [&](int state, int choice, double probability) {
      visits.moves(choice - model.choice_begin[state], state) += probability * walk.probability(state);
    });
    if (going > 0) walk.advance(policy, measured);
  }
  // Where it never is: what it would do there at first.
  std::vector<int> elsewhere;
  for (int state = 0; state < model.states; ++state) {
    if (visits.states[static_cast<std::size_t>(state)] == 0 && !model.is_terminal(state))
      elsewhere.push_back(state);
  }
  visit_choices(model, policy, 0, elsewhere, [&](int state, int choice, double probability) {
    visits.moves(choice - model.choice_begin[state], state) = probability;
  });
  return visits;
}

}  // namespace

Json totals_json(const Problem& problem, const MixedPolicy& mixed) {
  if (!problem.world.environment || !problem.world.can_be_acted_in()) return nullptr;
  std::vector<Matrix> totals;
  std::int64_t episodes = 0;
  for (int i = 0; i < mixed.size(); ++i) {
    totals.push_back(sampled_totals(problem, mixed.policy(i), mixed.weights()[i], i));
    episodes += totals.back().cols();
  }
  Json measurements = Json::array();
  for (int k = 0; k < problem.world.dim(); ++k) measurements.push_back(histogram(totals, mixed.weights(), k));
  return {{"episodes", episodes}, {"measurements", std::move(measurements)}};
}

std::optional<WorldMap> map_of(const Config& problem_file, const World& world) {
  const Config environment = problem_file.section("environment");
  if (!environment.has("kind") || !world.model) return std::nullopt;
  const EnvironmentKind& kind = environment_kinds().find(environment.text("kind"));
  return kind.map ? std::optional(kind.map(environment)) : std::nullopt;
}

Json map_json(const Problem& problem, const WorldMap& map, const MixedPolicy& mixed) {
  const TabularModel& model = *problem.world.model;
  std::vector<std::uint8_t> entered(static_cast<std::size_t>(model.states), 0);
  for (const int next : model.next) entered[static_cast<std::size_t>(next)] = 1;
  Json terminal = Json::array(), blocked = Json::array();
  for (int state = 0; state < model.states; ++state) {
    if (!model.is_terminal(state)) continue;
    (entered[static_cast<std::size_t>(state)] ? terminal : blocked).push_back(state);
  }
  Json policies = Json::array();
  for (int i = 0; i < mixed.size(); ++i) {
    const Visits visits = follow(model, mixed.policy(i), problem.world.episode_limit);
    Json actions = Json::array();
    for (int state = 0; state < model.states; ++state) {
      const Vector moves = visits.moves.col(state);
      actions.push_back(moves.sum() > 0 ? drawn(Vector(moves / moves.sum())) : Json());
    }
    Json episodes = Json::array();
    for (int k = 0; k < kShownEpisodes; ++k) {
      episodes.push_back(
          play(problem, mixed.policy(i), stream_of(problem, "shown", i), static_cast<std::uint64_t>(k)));
    }
    policies.push_back({{"visits", drawn(visits.states)},
                        {"actions", std::move(actions)},
                        {"episodes", std::move(episodes)}});
  }
  return {{"columns", map.columns},
          {"marks", map.marks},
          {"terminal", std::move(terminal)},
          {"blocked", std::move(blocked)},
          {"policies", std::move(policies)}};
}

}  // namespace c2rl
