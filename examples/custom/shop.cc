// A shop orders goods every evening: too few and customers leave without, too many and the shelf is full. This program brings
// its own environment, policy, oracle and convex set, registers them by name, and solves the problem file that names them.
//
//   shop shop.toml runs/shop
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

#include <c2rl/c2rl.h>

namespace {

using namespace c2rl;

constexpr int kShelf = 20;      // the stock is 0 .. kShelf
constexpr int kMostOrder = 20;  // and so is an order
constexpr int kMostDemand = 9;  // customers a day, all numbers up to this equally likely

// --- An environment: what is seen is the stock, what is done is the order, what is measured are customers lost and stock kept.

class Shop final : public Environment {
 public:
  Shop(int batch, int days) : Environment(batch, /*dim=*/2, /*horizon=*/days) {}

  int state_count() const override { return kShelf + 1; }
  int action_count(int /*state*/) const override { return kMostOrder + 1; }

 private:
  void begin(int slot) override { states_[slot] = 0; }

  void advance(const Actions& actions) override {
    for (int slot = 0; slot < batch(); ++slot) {
      if (ended(slot)) continue;
      const int filled = std::min(kShelf, states_[slot] + actions.indices()[slot]);
      const int demand = static_cast<int>(streams_[slot].below(kMostDemand + 1));
      states_[slot] = std::max(0, filled - demand);
      measurement_(0, slot) = std::max(0, demand - filled);
      measurement_(1, slot) = states_[slot];
    }
  }
};

struct ShopOptions {
  int days = 30;

  void visit(OptionVisitor& visitor) {
    visitor.integer("days", days, between(1, 1000), "length of an episode");
  }
};

EnvironmentKind shop_kind() {
  EnvironmentKind kind;
  kind.name = "shop";
  kind.summary = "order goods every evening, not knowing tomorrow's customers";
  kind.options = list_options<ShopOptions>();
  kind.has_model = false;
  kind.make = [](const Config& section) {
    const int days = read_options<ShopOptions>(section).days;
    World world;
    world.measurements = {"lost", "stock"};
    world.horizon = world.episode_limit = days;
    world.states = kShelf + 1;
    world.actions = kMostOrder + 1;
    world.environment = [days](int batch) { return std::make_unique<Shop>(batch, days); };
    return world;
  };
  return kind;
}

// --- A policy: order up to a level. One number is all that is saved.

class OrderUpTo final : public Policy {
 public:
  explicit OrderUpTo(int level) : level_(level) {
    if (level < 0 || level > kShelf) throw InputError({.field = "level"}, "expected 0 to 20");
  }
  static constexpr const char* kKind = "order-up-to";

  std::string kind() const override { return kKind; }
  bool is_stationary() const override { return true; }
  void action_probabilities(const Observations& observations, int /*step*/,
                            Eigen::Ref<Matrix> probabilities) const override {
    probabilities.setZero();
    for (int i = 0; i < observations.size(); ++i)
      probabilities(std::max(0, level_ - observations.indices()[i]), i) = 1;
  }
  void check_fits(const World& world) const override {
    if (world.states != kShelf + 1) throw InputError({.field = "policy"}, "is for a shelf of 20");
  }
  std::vector<Tensor> arrays() const override { return {}; }
  std::map<std::string, std::string> metadata() const override { return {{"level", std::to_string(level_)}}; }

 private:
  int level_;
};

PolicyKind order_up_to_kind() {
  PolicyKind kind;
  kind.name = OrderUpTo::kKind;
  kind.summary = "orders what is missing up to a level";
  kind.load = [](const Safetensors& content) -> PolicyPtr {
    const auto level = content.metadata.find("level");
    const auto number = level == content.metadata.end() ? std::nullopt : parse_number(level->second);
    if (!number) throw InputError({.field = "level"}, "missing, or not a number");
    return std::make_shared<OrderUpTo>(static_cast<int>(*number));
  };
  return kind;
}

// --- An oracle: tries every level. Any algorithm that finds a policy for a direction will do.

struct LevelSearchOptions {
  int episodes = 1000;

  void visit(OptionVisitor& visitor) {
    visitor.integer("episodes", episodes, between(2, 1e6), "that each level is tried for");
  }
};

class LevelSearch final : public Oracle {
 public:
  LevelSearch(World world, const LevelSearchOptions& options) : world_(std::move(world)), options_(options) {}

  int dim() const override { return world_.dim(); }

 private:
  OracleAnswer answer(const OracleCall& call) const override {
    const int episodes = static_cast<int>(std::ceil(call.effort * options_.episodes));
    OracleAnswer best;
    for (int level = 0; level <= kShelf; ++level) {
      call.report(level / (kShelf + 1.0));  // shows progress, and notices Ctrl-C
      const auto policy = std::make_shared<OrderUpTo>(level);
      const Estimate tried = estimate(world_, *policy, episodes, call.rng.fork("level", level));
      best.steps.training += tried.env_steps;
      if (best.policy && call.direction.dot(tried.measurement) >= call.direction.dot(best.measurement))
        continue;
      best.policy = policy;
      best.measurement = tried.measurement;
      best.standard_error = tried.standard_error;
    }
    return best;
  }

  World world_;
  LevelSearchOptions options_;
};

OracleKind level_search_kind() {
  OracleKind kind;
  kind.name = "level-search";
  kind.summary = "tries every level to order up to";
  kind.options = list_options<LevelSearchOptions>();
  kind.make = [](const Config& section, const World& world, const OracleDefaults& /*defaults*/) {
    return std::make_unique<LevelSearch>(world, read_options<LevelSearchOptions>(section));
  };
  return kind;
}

// --- A convex set: all that it must know is its nearest point to another.

/// {x : |x_1 - c_1| + ... + |x_m - c_m| <= radius}
class Diamond final : public ConvexSet {
 public:
  Diamond(Vector center, double radius)
      : ConvexSet(static_cast<int>(center.size())), center_(std::move(center)), radius_(radius) {}

 private:
  Vector compute_projection(const Vector& x) const override {
    const Vector away = (x - center_).cwiseAbs();
    if (away.sum() <= radius_) return x;
    // What is furthest away comes nearer first, all by the same amount: sum max(0, away_i - cut) = radius.
    std::vector<double> sorted(away.begin(), away.end());
    std::sort(sorted.rbegin(), sorted.rend());
    double sum = 0, cut = 0;
    for (std::size_t k = 0; k < sorted.size(); ++k) {
      sum += sorted[k];
      const double candidate = (sum - radius_) / static_cast<double>(k + 1);
      if (sorted[k] > candidate) cut = candidate;
    }
    Vector nearest = center_;
    for (int i = 0; i < dim(); ++i)
      nearest[i] += std::copysign(std::max(0.0, away[i] - cut), x[i] - center_[i]);
    return nearest;
  }

  Vector center_;
  double radius_;
};

struct DiamondOptions {
  Vector center;
  double radius = 1;

  void visit(OptionVisitor& visitor) {
    visitor.vector("center", center, "a number per measurement", OptionVisitor::kRequired);
    visitor.number("radius", radius, above(0), "how far the measurements may be off together");
  }
};

SetKind diamond_kind() {
  return set_kind<DiamondOptions>("diamond", "near a point, distances of all measurements added up",
                                  [](const DiamondOptions& options, int dim) -> SetPtr {
                                    check_one_per_measurement(options.center, dim, "center");
                                    return std::make_shared<Diamond>(options.center, options.radius);
                                  });
}

int run(const std::string& file, const std::string& directory) {
  environment_kinds().add(shop_kind());
  policy_kinds().add(order_up_to_kind());
  oracle_kinds().add(level_search_kind());
  set_kinds().add(diamond_kind());

  const Problem problem = read_problem(Config::read(file));
  const RunDirectory run = RunDirectory::create(directory, problem);
  SolveListener silent;
  const Result result = solve(problem, &run, silent);
  std::printf("%s: lost %.1f, stock %.1f, %d policies\n", to_string(result.status).c_str(),
              result.measurement[0], result.measurement[1], static_cast<int>(result.policies.size()));

  // What was saved can be loaded and acted with.
  const MixedPolicy mixed = load_mixture(run, problem.world);
  const Estimate again = estimate(problem.world, mixed, 20000, Rng(1));
  std::printf("on fresh episodes: lost %.1f, stock %.1f\n", again.measurement[0], again.measurement[1]);
  return exit_status(result.status);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: shop FILE DIRECTORY\n");
    return 2;
  }
  try {
    return run(argv[1], argv[2]);
  } catch (const c2rl::InputError& error) {
    std::fprintf(stderr, "shop: %s\n", error.what());
    return 2;
  }
}
