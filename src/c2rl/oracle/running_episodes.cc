#include "c2rl/oracle/running_episodes.h"

#include <algorithm>
#include <limits>
#include <string>

namespace c2rl {

RunningEpisodes::RunningEpisodes(int slots, std::int64_t room, int controls)
    : controls_(controls), running_(slots) {
  for (Running& episode : running_) {
    if (controls == 0) episode.actions.reserve(static_cast<std::size_t>(room));
    episode.controls.reserve(static_cast<std::size_t>(room * controls));
  }
}

void RunningEpisodes::begin(int slot, std::uint64_t number) {
  running_[slot].number = number;
  running_[slot].actions.clear();
  running_[slot].controls.clear();
}

void RunningEpisodes::visit(StateVisitor& state) {
  std::vector<std::uint64_t> numbers, lengths;
  for (const Running& episode : running_) {
    numbers.push_back(episode.number);
    lengths.push_back(controls_ > 0 ? episode.controls.size() : episode.actions.size());
  }
  state.values("episode_numbers", numbers);
  state.values("episode_lengths", lengths);
  for (std::size_t slot = 0; state.restores() && slot < running_.size(); ++slot)
    running_[slot].number = numbers[slot];
  if (controls_ > 0) {
    for (const std::uint64_t length : lengths)
      state.expect(length % static_cast<std::uint64_t>(controls_) == 0, "episode_lengths");
    visit_all(state, lengths, &Running::controls);
  } else {
    visit_all(state, lengths, &Running::actions);
  }
}

template <typename T>
void RunningEpisodes::visit_all(StateVisitor& state, const std::vector<std::uint64_t>& lengths,
                                std::vector<T> Running::*member) {
  std::vector<T> all;
  for (const Running& episode : running_)
    all.insert(all.end(), (episode.*member).begin(), (episode.*member).end());
  state.list("episode_actions", all, std::numeric_limits<std::uint32_t>::max());
  if (!state.restores()) return;
  std::size_t begin = 0;
  for (std::size_t slot = 0; slot < running_.size(); ++slot) {
    state.expect(lengths[slot] <= all.size() - begin, "episode_lengths");
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(begin);
    (running_[slot].*member).assign(first, first + static_cast<std::ptrdiff_t>(lengths[slot]));
    begin += lengths[slot];
  }
  state.expect(begin == all.size(), "episode_actions");
}

void RunningEpisodes::replay(Environment& environment, const Rng& rng) const {
  std::size_t longest = 0;
  for (const Running& episode : running_) longest = std::max(longest, steps(episode));
  std::vector<int> chosen(running_.size(), 0);
  Eigen::MatrixXf controls = Eigen::MatrixXf::Zero(controls_, std::ssize(running_));
  // Each begins so late that all arrive together.
  for (std::size_t step = 0; step < longest; ++step) {
    for (int slot = 0; slot < std::ssize(running_); ++slot) {
      const Running& episode = running_[slot];
      const std::size_t length = steps(episode);
      if (step + length == longest) environment.reset(slot, rng.fork("episode", episode.number));
      if (step + length < longest) continue;
      const std::size_t at = step + length - longest;
      if (controls_ > 0) {
        controls.col(slot) = Eigen::Map<const Eigen::VectorXf>(&episode.controls[at * controls_], controls_);
      } else {
        chosen[slot] = episode.actions[at];
      }
    }
    environment.step(controls_ > 0 ? Actions(controls) : Actions(chosen));
  }
}

}  // namespace c2rl
