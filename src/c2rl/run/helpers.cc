#include "c2rl/run/helpers.h"

#include <array>
#include <chrono>
#include <cstring>
#include <exception>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "c2rl/mdp/monte_carlo.h"
#include "c2rl/oracle/policy_kinds.h"
#include "c2rl/run/plain_bytes.h"
#include "c2rl/run/problem.h"
#include "c2rl/run/spread_environment.h"

namespace c2rl {
namespace {

std::string to_bytes(const EpisodeTotals& found) {
  Bytes bytes;
  bytes.add(kDone);
  bytes.add(found.env_steps);
  bytes.add(found.terminated);
  bytes.add(found.truncated);
  bytes.text.append(reinterpret_cast<const char*>(found.totals.data()), found.totals.size() * sizeof(double));
  return bytes.text;
}

/// Into the columns of `all` from `first` on.
void add_totals(std::string_view bytes, EpisodeTotals& all, std::int64_t first) {
  Bytes::take<char>(bytes);
  all.env_steps += Bytes::take<std::int64_t>(bytes);
  all.terminated += Bytes::take<int>(bytes);
  all.truncated += Bytes::take<int>(bytes);
  std::memcpy(all.totals.data() + first * all.totals.rows(), bytes.data(), bytes.size());
}

constexpr const char* kSent = "what rank 0 has sent";

/// No std::exception, which others would take for a failure.
struct Stopped {};

std::string run_episodes(std::string_view order, const World& world, Ranks& ranks) {
  try {
    const auto first = Bytes::take<std::int64_t>(order);
    const auto count = Bytes::take<int>(order);
    const Rng rng = Rng::from_state(Bytes::take<std::array<std::uint64_t, 4>>(order));
    const PolicyPtr policy = policy_from(parse_safetensors(order, kSent), world, kSent);
    return to_bytes(episode_totals(world, *policy, first, count, rng, [&] {
      if (ranks.poll())
        throw Stopped();  // NOLINT(bugprone-std-exception-baseclass): nothing else is sent to one who works
    }));
  } catch (const Stopped&) {
    return std::string(1, kFailed);
  } catch (const std::exception& error) {
    return kFailed + std::string(error.what());
  }
}

/// The first rank's side of it.
class SharedEpisodes {
 public:
  SharedEpisodes(const World& world, Ranks& ranks) : world_(world), ranks_(ranks) {}

  EpisodeTotals run(const Policy& policy, std::int64_t first, int count, const Rng& rng,
                    const Pulse& listener) {
    // Fewer are run sooner than sent.
    constexpr int kFewest = 16;
    if (count < kFewest * ranks_.size()) return episode_totals(world_, policy, first, count, rng, listener);
    const auto at = [&](int rank) { return part_begin(count, rank, ranks_.size()); };
    const std::string bytes = policy_bytes(policy);
    for (int rank = 1; rank < ranks_.size(); ++rank) {
      Bytes order;
      order.add(Order::episodes);
      order.add(first + at(rank));
      order.add(static_cast<int>(at(rank + 1) - at(rank)));
      order.add(rng.state());
      ranks_.send(rank, order.text + bytes);
    }
    EpisodeTotals all;
    all.totals.resize(world_.dim(), count);
    std::exception_ptr thrown;
    try {
      const EpisodeTotals own = episode_totals(world_, policy, first, static_cast<int>(at(1)), rng, listener);
      add_totals(to_bytes(own), all, 0);
    } catch (...) {
      thrown = std::current_exception();
    }
    for (int left = ranks_.size() - 1; left > 0;) {
      if (thrown) stop();
      const auto message = thrown ? ranks_.wait() : next_message(listener, thrown);
      if (message.bytes.empty()) continue;
      --left;
      if (message.bytes.front() == kDone) {
        add_totals(message.bytes, all, at(message.from));
      } else if (!thrown) {
        thrown = std::make_exception_ptr(
            OracleFailed(fmt::format("rank {}: {}", message.from, message.bytes.substr(1))));
      }
    }
    has_stopped_ = false;
    if (thrown) std::rethrow_exception(thrown);
    return all;
  }

 private:
  /// An empty one where the listener throws meanwhile.
  Ranks::Message next_message(const Pulse& listener, std::exception_ptr& thrown) {
    for (;;) {
      if (auto message = ranks_.poll()) return *std::move(message);
      try {
        pulse(listener);
      } catch (...) {
        thrown = std::current_exception();
        return {};
      }
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  }

  void stop() {
    if (std::exchange(has_stopped_, true)) return;
    for (int rank = 1; rank < ranks_.size(); ++rank)
      ranks_.send(rank, std::string(1, static_cast<char>(Order::stop)));
  }

  const World world_;  // alone
  Ranks& ranks_;
  bool has_stopped_ = false;
};

}  // namespace

void help(const Problem& problem, Ranks& ranks) {
  EnvironmentPart part(problem.world);
  for (;;) {
    const Ranks::Message message = part.is_open() ? ranks.wait(kBetweenSteps) : ranks.wait();
    const std::string_view order = std::string_view(message.bytes).substr(1);
    switch (static_cast<Order>(message.bytes.at(0))) {
      case Order::plan:
        problem.oracle->help(order);
        break;
      case Order::episodes:
        ranks.send(0, run_episodes(order, problem.world, ranks));
        break;
      case Order::batch:
        part.open(order);
        break;
      case Order::act:
        ranks.send(0, part.act(order));
        break;
      case Order::stop:
        break;  // it was done already
      case Order::leave:
        return;
    }
  }
}

Helpers::~Helpers() {
  for (int rank = 1; rank < ranks_.size(); ++rank)
    ranks_.send(rank, std::string(1, static_cast<char>(Order::leave)));
}

void share_episodes(World& world, Ranks& ranks) {
  if (ranks.size() == 1 || !ranks.is_first() || !world.can_be_acted_in() || world.episodes) return;
  world.spread_environment = spread_environments(world, ranks);
  world.episodes = [&ranks, shared = std::make_shared<SharedEpisodes>(world, ranks)](
                       const Policy& policy, std::int64_t first, int count, const Rng& rng,
                       const Pulse& listener) {
    return or_end_all(ranks, [&] { return shared->run(policy, first, count, rng, listener); });
  };
}

}  // namespace c2rl
