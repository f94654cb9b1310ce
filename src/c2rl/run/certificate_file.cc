#include "c2rl/run/certificate_file.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "c2rl/base/decompositions.h"
#include "c2rl/base/error.h"
#include "c2rl/base/json.h"
#include "c2rl/run/evaluation.h"
#include "c2rl/run/least_value.h"

namespace c2rl {
namespace {

/// Numbers that a file may hold.
constexpr double kMostNumbers = 2e7;

Json model_json(const TabularModel& model) {
  Json states = Json::array();
  for (int s = 0; s < model.states; ++s) {
    Json choices = Json::array();
    for (int k = model.choice_begin[s]; k < model.choice_begin[s + 1]; ++k) {
      Json transitions = Json::array();
      for (int e = model.transition_begin[k]; e < model.transition_begin[k + 1]; ++e)
        transitions.push_back(
            {model.next[e], model.probability[e], to_json(Vector(model.measurement.col(e)))});
      choices.push_back(std::move(transitions));
    }
    states.push_back(std::move(choices));
  }
  return {{"start", to_json(model.start)},
          {"discount", model.discount},
          {"horizon", model.horizon},
          {"states", std::move(states)}};
}

Json constraints_json(const Target& target) {
  Json rows = Json::array();
  for (Eigen::Index i = 0; i < target.flat.offsets.size(); ++i) {
    rows.push_back(
        {{"coefficients", to_json(Vector(target.flat.normals.row(i)))}, {"at_most", target.flat.offsets[i]}});
  }
  return rows;
}

/// What a policy does in every state, at every step at which that may differ.
Json policy_json(const TabularModel& model, const Policy& policy) {
  std::vector<int> states(static_cast<std::size_t>(model.states));
  std::iota(states.begin(), states.end(), 0);
  std::erase_if(states, [&](int s) { return model.is_terminal(s); });
  Matrix probabilities(model.max_actions(), std::ssize(states));
  Json steps = Json::array();
  const int count = policy.is_stationary() ? 1 : model.horizon;
  for (int t = 0; t < count; ++t) {
    policy.action_probabilities(Observations(states), t, probabilities);
    Json table(Json::array());
    for (int s = 0; s < model.states; ++s) table.push_back(nullptr);
    for (std::size_t i = 0; i < states.size(); ++i) {
      const Vector row = probabilities.col(static_cast<Eigen::Index>(i)).head(model.actions(states[i]));
      table[static_cast<std::size_t>(states[i])] = to_json(row);
    }
    steps.push_back(std::move(table));
  }
  return steps;
}

/// Of all x without negative entries, one that minimises |A x - b|; by Lawson and Hanson's active set.
Vector nonnegative_least_squares(const Matrix& a, const Vector& b) {
  constexpr double kRounding = 1e-12;
  Vector x = Vector::Zero(a.cols());
  std::vector<Eigen::Index> passive;
  const auto solve = [&] {
    Matrix columns(a.rows(), std::ssize(passive));
    for (std::size_t k = 0; k < passive.size(); ++k)
      columns.col(static_cast<Eigen::Index>(k)) = a.col(passive[k]);
    Vector all = Vector::Zero(a.cols());
    const Vector found = least_norm_solution(columns, b);
    for (std::size_t k = 0; k < passive.size(); ++k) all[passive[k]] = found[static_cast<Eigen::Index>(k)];
    return all;
  };
  for (Eigen::Index round = 0; round < 3 * a.cols(); ++round) {
    Vector gain = a.transpose() * (b - a * x);
    for (const Eigen::Index j : passive) gain[j] = 0;
    Eigen::Index best = 0;
    if (gain.size() == 0 || gain.maxCoeff(&best) <= kRounding) break;
    passive.push_back(best);
    for (Vector next = solve();; next = solve()) {
      double part = 1;
      for (const Eigen::Index j : passive) {
        if (next[j] < 0) part = std::min(part, x[j] / (x[j] - next[j]));
      }
      x += part * (next - x);
      if (part == 1) break;
      std::erase_if(passive, [&](Eigen::Index j) { return x[j] <= kRounding; });
      for (Eigen::Index j = 0; j < x.size(); ++j) {
        if (std::ranges::find(passive, j) == passive.end()) x[j] = 0;
      }
    }
  }
  return x;
}

/// Weights of rows, none negative, that add them up to the direction: those of the nearest point of their cone.
Vector multipliers(const Halfspaces& rows, const Vector& direction, const Vector& at) {
  constexpr double kActive = 1e-9;
  const Eigen::Index count = rows.offsets.size();
  std::vector<Eigen::Index> active;
  for (Eigen::Index i = 0; i < count; ++i) {
    const double size = rows.normals.row(i).cwiseAbs().dot(at.cwiseAbs()) + std::abs(rows.offsets[i]);
    if (rows.offsets[i] - rows.normals.row(i).dot(at) <= kActive * (size + 1)) active.push_back(i);
  }
  Matrix normals(direction.size(), std::ssize(active));
  for (std::size_t k = 0; k < active.size(); ++k)
    normals.col(static_cast<Eigen::Index>(k)) = rows.normals.row(active[k]).transpose();
  const Vector found = nonnegative_least_squares(normals, direction);
  Vector all = Vector::Zero(count);
  for (std::size_t k = 0; k < active.size(); ++k) all[active[k]] = found[static_cast<Eigen::Index>(k)];
  return all;
}

}  // namespace

std::string certificate_text(const std::string& run) {
  const RunDirectory directory = RunDirectory::open(run);
  const Problem problem = read_problem(Config::read(directory.problem_file()));
  const Result result = directory.read_result();
  const auto& model = problem.world.model;
  const auto refuse = [&](const std::string& why) {
    throw InputError({.file = run}, "has no certificate: " + why);
  };
  if (!model) refuse("its world has no model, so that nothing about it can be proven");
  if (problem.target.curved) refuse("not all of its constraints are linear");
  const bool inside = holds(result.status);
  const bool bounded = result.certificate.direction.size() > 0 && result.certificate.bound > 0;
  if (!inside && !bounded)
    refuse("the run ended " + to_string(result.status) + ", which claims nothing to prove");
  if (!inside && model->horizon == 0 && model->discount == 1)
    refuse("its episodes have neither horizon nor discount, which bound what values may be off by");
  const double steps = std::max(1, model->horizon);
  const double numbers = model->transitions() * (2.0 + model->dim()) +
                         steps * model->states * (inside ? static_cast<double>(result.policies.size()) : 1.0);
  if (numbers > kMostNumbers)
    refuse(fmt::format("written out it would hold {:.0f} numbers, more than {:.0f}", numbers, kMostNumbers));

  Json json = {{"format", "c2rl-certificate-1"},
               {"status", to_string(result.status)},
               {"measurements", problem.world.measurements},
               {"texts", result.constraints},
               {"tolerance", result.tolerance},
               {"constraints", constraints_json(problem.target)},
               {"model", model_json(*model)}};
  if (inside) {
    const MixedPolicy mixed = load_mixture(directory, problem.world);
    for (int i = 0; i < mixed.size(); ++i) {
      json["mixture"].push_back(
          {{"weight", mixed.weights()[i]}, {"steps", policy_json(*model, mixed.policy(i))}});
    }
  } else {
    const Certificate& certificate = result.certificate;
    const LeastValue least = least_value(*model, certificate.direction);
    Json values = Json::array();
    for (const Vector& step : least.values) values.push_back(to_json(step));
    const double distance = least.at_start - certificate.target_at;
    json["bound"] = {{"direction", to_json(certificate.direction)},
                     {"distance", std::min(certificate.bound, distance)},
                     {"multipliers", to_json(multipliers(problem.target.flat, certificate.direction,
                                                         certificate.target_point))},
                     {"values", std::move(values)}};
  }
  return to_text(json) + "\n";
}

}  // namespace c2rl
