#include "garnet_problems.h"

#include <vector>

#include <fmt/format.h>

#include "c2rl/base/config.h"
#include "c2rl/environments/environment_kinds.h"
#include "c2rl/geometry/sets.h"
#include "c2rl/mdp/evaluate.h"
#include "c2rl/mdp/tabular_policy.h"

namespace c2rl {
namespace {

/// How often a side that may be missing is.
constexpr double kMissing = 0.3;

}  // namespace

std::string Garnet::name() const {
  std::string result = fmt::format("States{}Actions{}Measurements{}", states, actions, measurements);
  if (horizon > 0) result += fmt::format("Horizon{}", horizon);
  if (discount < 1) result += fmt::format("Discount{:.0f}", 1000 * discount);
  return result + fmt::format("Seed{}", seed);
}

std::shared_ptr<const TabularModel> Garnet::model() const {
  const std::string section = fmt::format(
      "kind = \"garnet\"\nstates = {}\nactions = {}\nmeasurements = {}\nhorizon = {}\ndiscount = {}\nseed = "
      "{}\n",
      states, actions, measurements, horizon, discount, seed);
  return make_world(Config::parse(section, name())).model;
}

Landmarks::Landmarks(const TabularModel& model, Oracle& oracle, Rng rng)
    : direction(rng.normal_vector(model.dim()).normalized()),
      least(oracle.minimize(direction, rng).measurement) {
  std::vector<double> uniform;
  for (int s = 0; s < model.states; ++s) uniform.resize(model.choice_begin[s + 1], 1.0 / model.actions(s));
  middle = evaluate(model, *TabularPolicy::randomized(model.choice_begin, uniform)).measurement;
}

LinearTarget random_box(const Vector& center, const Vector& direction, double reach, Rng& rng) {
  const int dim = static_cast<int>(center.size());
  LinearTarget target{Matrix::Identity(dim, dim), center, center};
  for (int i = 0; i < dim; ++i) {
    const double width = reach * rng.uniform() / direction.lpNorm<1>();
    target.lower[i] -= direction[i] > 0 && rng.uniform() < kMissing ? kInfinity : width;
    target.upper[i] += direction[i] < 0 && rng.uniform() < kMissing ? kInfinity : width;
  }
  return target;
}

LinearTarget random_polyhedron(const Vector& center, const Vector& direction, double reach, Rng& rng) {
  const int dim = static_cast<int>(center.size());
  const int rows = 1 + dim / 2 + static_cast<int>(rng.below(dim + 1));
  LinearTarget target{Matrix(rows, dim), Vector(rows), Vector(rows)};
  for (int i = 0; i < rows; ++i) {
    target.a.row(i) = i == 0 ? direction : rng.normal_vector(dim);
    const double through = target.a.row(i).dot(center), width = reach * rng.uniform();
    target.lower[i] = i == 0 || rng.uniform() < kMissing ? -kInfinity : through - width;
    target.upper[i] = i > 0 && rng.uniform() < kMissing ? kInfinity : through + width;
    if (i == 1) target.lower[i] = target.upper[i] = through;
  }
  return target;
}

LinearTarget moved(LinearTarget target, const Vector& shift) {
  const Vector along = target.a * shift;
  target.lower += along;
  target.upper += along;
  return target;
}

SetPtr set_of(const LinearTarget& target) {
  const bool is_box = target.a.rows() == target.a.cols() && target.a.isIdentity(0);
  return is_box ? box(target.lower, target.upper) : polyhedron(target.a, target.lower, target.upper);
}

}  // namespace c2rl
