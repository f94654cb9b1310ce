#include "c2rl/oracle/running_episodes.h"

#include <algorithm>
#include <limits>
#include <string>

namespace c2rl {

RunningEpisodes::RunningEpisodes(int slots, std::int64_t room) : running_(slots) {
  for (Running& episode : running_) episode.actions.reserve(static_cast<std::size_t>(room));
}

void RunningEpisodes::begin(int slot, std::uint64_t number) {
  running_[slot].number = number;
  running_[slot].actions.clear();
}

void RunningEpisodes::visit(StateVisitor& state) {
  std::vector<std::uint64_t> numbers, lengths;
  std::vector<int> actions;
  for (const Running& episode : running_) {
    numbers.push_back(episode.number);
    lengths.push_back(episode.actions.size());
    actions.insert(actions.end(), episode.actions.begin(), episode.actions.end());
  }
  state.values("episode_numbers", numbers);
  state.values("episode_lengths", lengths);
  state.list("episode_actions", actions, std::numeric_limits<std::uint32_t>::max());
  if (!state.restores()) return;
  std::size_t begin = 0;
  for (std::size_t slot = 0; slot < running_.size(); ++slot) {
    state.expect(lengths[slot] <= actions.size() - begin, "episode_lengths");
    const auto first = actions.begin() + static_cast<std::ptrdiff_t>(begin);
    running_[slot].number = numbers[slot];
    running_[slot].actions.assign(first, first + static_cast<std::ptrdiff_t>(lengths[slot]));
    begin += lengths[slot];
  }
  state.expect(begin == actions.size(), "episode_actions");
}

void RunningEpisodes::replay(Environment& environment, const Rng& rng) const {
  std::size_t longest = 0;
  for (const Running& episode : running_) longest = std::max(longest, episode.actions.size());
  std::vector<int> chosen(running_.size(), 0);
  // Each begins so late that all arrive together.
  for (std::size_t step = 0; step < longest; ++step) {
    for (int slot = 0; slot < std::ssize(running_); ++slot) {
      const auto& [number, actions] = running_[slot];
      if (step + actions.size() == longest) environment.reset(slot, rng.fork("episode", number));
      if (step + actions.size() >= longest) chosen[slot] = actions[step + actions.size() - longest];
    }
    environment.step(chosen);
  }
}

}  // namespace c2rl
