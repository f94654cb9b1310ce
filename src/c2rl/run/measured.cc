#include "c2rl/run/measured.h"

#include <cmath>
#include <stdexcept>

namespace c2rl {

Measured Measured::of(const OracleAnswer& answer) {
  return {.point = answer.measurement,
          .standard_error = answer.standard_error,
          .computed = answer.exact || answer.computed,
          .episodes = answer.data_episodes};
}

Measured Measured::of(const DataEstimate& estimate, std::int64_t episodes) {
  return {.point = estimate.measurement,
          .standard_error = estimate.standard_error,
          .computed = estimate.computed,
          .episodes = episodes};
}

void Measured::add(const EpisodeTotals& found, const Demands& demands) {
  if (computed) throw std::logic_error("episodes of a policy whose measurement was computed");
  const Eigen::Index dim = found.totals.rows();
  totals.resize(static_cast<std::size_t>(dim) + static_cast<std::size_t>(demands.size()));
  for (Eigen::Index e = 0; e < found.totals.cols(); ++e) {
    const auto total = found.totals.col(e);
    for (Eigen::Index k = 0; k < dim; ++k) totals[static_cast<std::size_t>(k)].add(total[k]);
    for (int i = 0; i < demands.size(); ++i)
      totals[static_cast<std::size_t>(dim + i)].add(demands[i].combination.dot(total));
  }
  point.resize(dim);
  episodes += found.totals.cols();
  cut += found.truncated;
  env_steps += found.env_steps;
  update();
}

void Measured::merge(const Measured& more) {
  if (computed || more.episodes == 0) return;
  if (episodes == 0) {
    *this = more;
    return;
  }
  if (sampled() != more.sampled()) throw std::logic_error("episodes and estimates from data do not pool");
  if (!sampled()) {
    const double part = static_cast<double>(more.episodes) / static_cast<double>(episodes + more.episodes);
    point += part * (more.point - point);
    standard_error = ((1 - part) * standard_error).cwiseAbs2() + (part * more.standard_error).cwiseAbs2();
    standard_error = standard_error.cwiseSqrt();
    episodes += more.episodes;
    return;
  }
  for (std::size_t i = 0; i < totals.size(); ++i) totals[i].merge(more.totals[i]);
  episodes += more.episodes;
  cut += more.cut;
  env_steps += more.env_steps;
  update();
}

void Measured::update() {
  standard_error.resize(point.size());
  for (Eigen::Index k = 0; k < point.size(); ++k) {
    const ScalarSample& sample = totals[static_cast<std::size_t>(k)];
    point[k] = sample.mean;
    standard_error[k] =
        sample.count < 2 ? kInfinity : std::sqrt(sample.variance() / static_cast<double>(sample.count));
  }
}

}  // namespace c2rl
