#include "occupancy_program.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "interior_point.h"

namespace c2rl {
namespace {

using Entries = std::vector<Eigen::Triplet<double>>;

/// Where occupancy can be: (step, state), the step being 0 for ever without a horizon. States that nothing
/// leads to are left out: their occupancy is 0 for every policy, and an interior-point method needs an
/// interior. Terminal states hold none.
struct Nodes {
  explicit Nodes(const TabularModel& model)
      : number(std::size_t(model.states) * std::max(1, model.horizon), -1) {
    for (int s = 0; s < model.states; ++s) {
      if (model.start[s] > 0) reach(model, s);
    }
    for (std::size_t i = 0; i < reached.size(); ++i) {
      const int from = reached[i], state = from % model.states;
      for (int k = model.choice_begin[state]; k < model.choice_begin[state + 1]; ++k) {
        for (int e = model.transition_begin[k]; e < model.transition_begin[k + 1]; ++e) {
          if (model.probability[e] > 0) reach(model, successor(model, from, e));
        }
      }
    }
  }

  /// Where transition e from a node leads to; beyond the last step when the episode is cut there.
  static int successor(const TabularModel& model, int from, int e) {
    const int step = model.horizon > 0 ? from / model.states + 1 : 0;
    return step * model.states + model.next[e];
  }

  /// The row of a node's flow equation; -1 where flow leaves the program.
  int row(int node) const { return node < std::ssize(number) ? number[node] : -1; }

  void reach(const TabularModel& model, int node) {
    if (node >= std::ssize(number) || number[node] >= 0 || model.is_terminal(node % model.states)) return;
    number[node] = static_cast<int>(reached.size());
    reached.push_back(node);
  }

  std::vector<int> number;   // of each node among the reached ones; -1: not reached
  std::vector<int> reached;  // nodes, step * states + state
};

/// F rho = start and C, one column per node and action.
struct Flow {
  explicit Flow(const TabularModel& model) {
    const Nodes nodes(model);
    start = Eigen::VectorXd::Zero(std::ssize(nodes.reached));
    std::vector<double> amounts;
    for (int row = 0; row < start.size(); ++row) {
      const int node = nodes.reached[row], state = node % model.states, step = node / model.states;
      if (step == 0) start[row] = model.start[state];
      // Without a horizon the discount is in the flow; with one it is in what each step counts for.
      const double kept = model.horizon > 0 ? 1 : model.discount;
      const double worth = std::pow(model.discount, step);
      for (int k = model.choice_begin[state]; k < model.choice_begin[state + 1]; ++k, ++columns) {
        conservation.emplace_back(row, columns, 1.0);
        Eigen::VectorXd amount = Eigen::VectorXd::Zero(model.dim());
        for (int e = model.transition_begin[k]; e < model.transition_begin[k + 1]; ++e) {
          amount += worth * model.probability[e] * model.measurement.col(e);
          const int to = nodes.row(Nodes::successor(model, node, e));
          if (to >= 0) conservation.emplace_back(to, columns, -kept * model.probability[e]);
        }
        amounts.insert(amounts.end(), amount.begin(), amount.end());
      }
    }
    measurement = Eigen::Map<Eigen::MatrixXd>(amounts.data(), model.dim(), columns);
  }

  Entries conservation;         // F
  Eigen::VectorXd start;        // one per row of F
  Eigen::MatrixXd measurement;  // C
  int columns = 0;
};

/// One equation  A_i w -/+ slack = bound  of the target; slack_sign 0 for an equation without slack.
struct Side {
  int constraint;
  double bound, slack_sign;
};

std::vector<Side> sides(const LinearTarget& target) {
  std::vector<Side> result;
  for (int i = 0; i < target.a.rows(); ++i) {
    if (target.lower[i] == target.upper[i]) {
      result.push_back({i, target.lower[i], 0});
      continue;
    }
    if (std::isfinite(target.lower[i])) result.push_back({i, target.lower[i], -1});
    if (std::isfinite(target.upper[i])) result.push_back({i, target.upper[i], 1});
  }
  return result;
}

}  // namespace

/// With d = C rho - w in the place of w the program has the variables (rho, slacks; d), its objective is
/// 1/2 |d|^2, and of the Hessian only those m ones are left: what interior_point::Program is.
NearestOccupancy nearest_occupancy(const TabularModel& model, const LinearTarget& target) {
  const Flow flow(model);
  const std::vector<Side> rows = sides(target);
  const int dim = model.dim(), flows = static_cast<int>(flow.start.size());
  const int slacks = static_cast<int>(
      std::count_if(rows.begin(), rows.end(), [](const Side& side) { return side.slack_sign != 0; }));

  interior_point::Program program;
  program.positive = flow.columns + slacks;
  program.border = static_cast<int>(rows.size());
  program.right = Eigen::VectorXd(flows + std::ssize(rows));
  program.right.head(flows) = flow.start;
  const Eigen::MatrixXd on_rho = target.a * flow.measurement;
  Entries entries = flow.conservation;
  int slack = flow.columns;
  for (int i = 0; i < std::ssize(rows); ++i) {
    const int row = flows + i;
    program.right[row] = rows[i].bound;
    for (int j = 0; j < flow.columns; ++j) entries.emplace_back(row, j, on_rho(rows[i].constraint, j));
    if (rows[i].slack_sign != 0) entries.emplace_back(row, slack++, rows[i].slack_sign);
    for (int j = 0; j < dim; ++j)
      entries.emplace_back(row, program.positive + j, -target.a(rows[i].constraint, j));
  }
  program.equations.resize(program.right.size(), program.positive + dim);
  program.equations.setFromTriplets(entries.begin(), entries.end());

  const interior_point::Solution solution = interior_point::solve(program);
  if (!solution.converged) throw std::runtime_error("the occupancy program did not converge");
  NearestOccupancy result;
  const Eigen::VectorXd difference = solution.variables.tail(dim);
  result.point = flow.measurement * solution.variables.head(flow.columns);
  result.target_point = result.point - difference;
  result.distance = difference.norm();
  // Weak duality: right.y <= (y' E) (p, f) <= |y' E on f| |f| for every feasible (p, f), as y' E <= 0 on p.
  const double along = (program.equations.transpose() * solution.multipliers).tail(dim).norm();
  const double value = program.right.dot(solution.multipliers);
  result.lower_bound = value > 0 ? value / along : 0;
  return result;
}

double least_value(const TabularModel& model, const Eigen::VectorXd& direction) {
  // No |direction.J| exceeds this, so the halfspace lies below everything achievable; its distance to the
  // nearest achievable point is then how far the least value is above it.
  const double steps = model.horizon > 0 ? model.horizon : 1 / (1 - model.discount);
  const double below = -1 - steps * (direction.transpose() * model.measurement).cwiseAbs().maxCoeff();
  const double none = -std::numeric_limits<double>::infinity();
  const LinearTarget halfspace{direction.transpose(), Eigen::VectorXd::Constant(1, none),
                               Eigen::VectorXd::Constant(1, below)};
  return below + nearest_occupancy(model, halfspace).lower_bound;
}

}  // namespace c2rl
