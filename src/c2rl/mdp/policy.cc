#include "c2rl/mdp/policy.h"

#include <stdexcept>

#include <fmt/format.h>

#include "c2rl/mdp/sampling.h"

namespace c2rl {

ActionBatch::ActionBatch(const WorldShape& shape, int size)
    : indices(shape.controls > 0 ? 0 : size, 0),
      values(shape.controls, shape.controls > 0 ? size : 0),
      probabilities(shape.actions, shape.controls > 0 ? 0 : size) {
  values.setZero();
}

void Policy::act(const Observations& observations, int step, std::span<Rng* const> streams,
                 ActionBatch& actions) const {
  const int size = observations.size();
  if (std::ssize(streams) != size || std::ssize(actions.indices) < size ||
      actions.probabilities.cols() < size || actions.probabilities.rows() == 0) {
    throw std::logic_error(
        fmt::format("act: {} streams and room for {} numbered actions, for {} observations", streams.size(),
                    actions.indices.size(), size));
  }
  auto columns = actions.probabilities.leftCols(size);
  action_probabilities(observations, step, columns);
  const auto count = static_cast<std::size_t>(columns.rows());
  for (int i = 0; i < size; ++i)
    actions.indices[i] = draw({columns.col(i).data(), count}, streams[i]->uniform());
}

}  // namespace c2rl
