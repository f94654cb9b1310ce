#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "c2rl/base/ranks.h"
#include "c2rl/mdp/world.h"

namespace c2rl {

/// How long a rank sleeps at most while it waits for the next step.
inline constexpr std::chrono::microseconds kBetweenSteps{50};

/// On the first rank: batches of episodes that all ranks step together, every rank its slots. An episode stays where it
/// began. It draws from its own stream, so that who steps it changes nothing but the time that it takes; where steps
/// are so cheap that telling others takes longer, new episodes begin on the first rank, and soon all are there. Of
/// batches that are open at the same time only the first is spread.
std::function<std::unique_ptr<Environment>(int batch)> spread_environments(const World& world, Ranks& ranks);

/// On any other rank: its slots of the batch that is open.
class EnvironmentPart {
 public:
  explicit EnvironmentPart(const World& world) : world_(world) {}

  bool is_open() const { return slots_ > 0; }
  /// Order::batch: a new one, or none.
  void open(std::string_view order);
  /// Order::act: what the slots see once that is done, or why it could not be.
  std::string act(std::string_view order);

 private:
  const World& world_;
  int slots_ = 0;
  std::unique_ptr<Environment> environment_;  // made when it is first acted in
};

}  // namespace c2rl
