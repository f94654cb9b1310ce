#include <cstring>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "c2rl/base/options.h"
#include "c2rl/base/ranks.h"
#include "c2rl/mdp/tabular_policy.h"
#include "c2rl/oracle/oracle_kinds.h"
#include "c2rl/planning/partitioned.h"

namespace c2rl {
namespace {

struct PartitionedOptions {
  double gap = 1e-9;

  void visit(OptionVisitor& visitor) {
    visitor.number(
        "gap", gap, {.lowest = 0, .highest = 1},
        "how near to the optimum an answer is proven to be, as a part of the size of values; 0: as near as "
        "rounding allows. A tenth of it takes a few more sweeps");
  }
};

/// The exact oracle for models that no process holds the whole of: each rank has a part. Its answers are proofs, as those of
/// dynamic-programming are, but to the gap that was asked for.
class PartitionedPlanning final : public Oracle {
 public:
  PartitionedPlanning(const World& world, const PartitionedOptions& options, Ranks& ranks)
      : part_(world.part), dim_(world.dim()), options_(options), ranks_(ranks) {}

  int dim() const override { return dim_; }

  void prepare() const override {
    if (planner_) return;
    ModelPart part = together(ranks_, [&] { return part_(ranks_.rank(), ranks_.size()); });
    or_end_all(ranks_, [&] { planner_.emplace(std::move(part), ranks_); });
  }

  void help(std::string_view order) const override {
    Vector direction(dim());
    std::memcpy(direction.data(), order.data(), order.size());
    try {
      plan(direction, {});
    } catch (const PlanningStopped&) {
      // The first rank knows why.
    }
  }

 private:
  OracleAnswer answer(const OracleCall& call) const override {
    const std::lock_guard lock(mutex_);
    prepare();
    std::string order(1, static_cast<char>(Order::plan));
    order.append(reinterpret_cast<const char*>(call.direction.data()),
                 call.direction.size() * sizeof(double));
    for (int rank = 1; rank < ranks_.size(); ++rank) ranks_.send(rank, order);
    const auto [found, actions] = plan(call.direction, [&](double part) { call.report(part); });
    OracleAnswer result;
    result.policy = TabularPolicy::deterministic(actions);
    result.measurement = found.measurement;
    result.standard_error = Vector::Zero(dim());
    const double error = call.direction.lpNorm<1>() * found.error;
    result.slack = std::max(0.0, call.direction.dot(found.measurement) + error - found.lower_bound);
    result.exact = true;
    return result;
  }

  std::pair<PartitionedPlanner::Answer, std::vector<std::int32_t>> plan(const Vector& direction,
                                                                        const Progress& progress) const {
    return or_end_all(ranks_, [&] {
      PartitionedPlanner::Answer found = planner_->minimise(direction, options_.gap, progress);
      std::vector<std::int32_t> actions = planner_->gather(found.actions);
      return std::pair{std::move(found), std::move(actions)};
    });
  }

  const std::function<ModelPart(int index, int of)> part_;
  const int dim_;
  const PartitionedOptions options_;
  Ranks& ranks_;
  mutable std::mutex mutex_;  // ranks do one thing at a time
  mutable std::optional<PartitionedPlanner> planner_;
};

}  // namespace

OracleKind partitioned_planning_kind() {
  OracleKind kind;
  kind.name = "partitioned-planning";
  kind.summary = "exact planning over a model in parts, one for each rank";
  kind.options = list_options<PartitionedOptions>();
  kind.exact = true;
  kind.needs_parts = true;
  kind.make = [](const Config& section, const World& world, const OracleDefaults& defaults) {
    return std::make_unique<PartitionedPlanning>(world, read_options<PartitionedOptions>(section),
                                                 defaults.ranks);
  };
  return kind;
}

}  // namespace c2rl
