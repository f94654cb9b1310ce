#include "c2rl/oracle/training_episodes.h"

#include <cmath>
#include <numeric>

namespace c2rl {

TrainingEpisodes::TrainingEpisodes(int slots, const Vector& direction, double discount)
    : direction_(direction), discount_(discount), sum_(slots, 0.0), weight_(slots, 1.0) {}

void TrainingEpisodes::begin(int slot) {
  sum_[slot] = 0;
  weight_[slot] = 1;
}

void TrainingEpisodes::add(int slot, const Eigen::Ref<const Vector>& measurement) {
  sum_[slot] += weight_[slot] * direction_.dot(measurement);
  weight_[slot] *= discount_;
}

double TrainingEpisodes::mean() const {
  return std::accumulate(last_.begin(), last_.end(), 0.0) / kFew;
}

double TrainingEpisodes::spread() const {
  const double middle = mean();
  double sum = 0;
  for (const double last : last_) sum += (last - middle) * (last - middle);
  return std::sqrt(sum / (kFew - 1));
}

void TrainingEpisodes::visit(StateVisitor& state) {
  state.values("episode_sums", sum_);
  state.values("episode_weights", weight_);
  state.values("last_episodes", last_);
  state.value("finished_episodes", finished_);
  state.expect(finished_ >= 0, "finished_episodes");
}

}  // namespace c2rl
