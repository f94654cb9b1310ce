#include "c2rl/run/spread_environment.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "c2rl/base/stopwatch.h"
#include "c2rl/oracle/oracle.h"
#include "c2rl/run/plain_bytes.h"

namespace c2rl {
namespace {

// What slots are to do, all of a message the same.
constexpr char kBegin = 'b', kStep = 's';

enum class Ended : char { no, terminated, truncated };

Ended how_ended(const Environment& environment, int slot) {
  if (environment.terminated(slot)) return Ended::terminated;
  return environment.truncated(slot) ? Ended::truncated : Ended::no;
}

/// Whether telling others is worth it: what steps took together, beside what they would have taken on the first rank.
class Worth {
 public:
  Worth() = default;
  bool is_worth_it() const { return lost_ < kLost; }
  /// Another batch, in the same world: what is known already is soon known again.
  void begin_anew() { *this = Worth(std::min(lost_, kLost - 1)); }

  /// The first rank took so long for so many steps of its own.
  void add_own(double seconds, int steps) {
    own_seconds_ += seconds;
    own_steps_ += steps;
  }
  /// And all together for these, or for what comes before them.
  void add_all(double seconds, int steps) {
    together_ += seconds;
    alone_ += steps * own_seconds_ / std::max(1.0, own_steps_);
    if (steps == 0 || ++count_ % kCount != 0) return;
    // A machine that had something else to do for a while is not to decide.
    lost_ = together_ > alone_ ? lost_ + 1 : 0;
    together_ = alone_ = 0;
    own_seconds_ /= 2;
    own_steps_ /= 2;
  }

 private:
  explicit Worth(int lost) : lost_(lost) {}

  static constexpr int kCount = 32, kLost = 3;  // of so many steps, so many times in a row

  double own_seconds_ = 0, own_steps_ = 0;
  double together_ = 0, alone_ = 0;
  int count_ = 0, lost_ = 0;
};

/// What one batch leaves for the next.
struct Shared {
  bool is_open = false;
  Worth worth = {};
};

/// The first rank's side.
class SpreadEnvironment final : public Environment {
 public:
  SpreadEnvironment(const World& world, Ranks& ranks, int batch, std::shared_ptr<Shared> shared)
      : Environment(batch, world.dim(), /*horizon=*/0, world.features, world.controls),
        ranks_(ranks),
        shared_(std::move(shared)),
        worth_(shared_->worth),
        home_(world.environment(batch)),
        is_away_(static_cast<std::size_t>(batch), 0),
        goes_on_away_(static_cast<std::size_t>(batch), 0),
        orders_(static_cast<std::size_t>(ranks.size())) {
    shared_->is_open = true;
    worth_.begin_anew();
    for (int rank = 1; rank < ranks.size(); ++rank) send_batch(rank, slots_of(rank));
  }
  ~SpreadEnvironment() override {
    for (int rank = 1; rank < ranks_.size(); ++rank) send_batch(rank, 0);
    shared_->is_open = false;
  }

  int state_count() const override { return home_->state_count(); }
  int action_count(int state) const override { return home_->action_count(state); }

 private:
  // Slot i is a slot of rank i modulo their number.
  int owner(int slot) const { return slot % ranks_.size(); }
  int slots_of(int rank) const { return (batch() - rank + ranks_.size() - 1) / ranks_.size(); }

  void send_batch(int rank, int slots) {
    Bytes order;
    order.add(Order::batch);
    order.add(slots);
    ranks_.send(rank, order.text);
  }

  void begin(int slot) override { begin_all({&slot, 1}); }

  void begin_all(std::span<const int> slots) override {
    bool any_away = false;
    for (const int slot : slots) {
      const bool goes_on = is_away_[slot] ? goes_on_away_[slot] != 0 : !home_->ended(slot);
      if (!goes_on) is_away_[slot] = owner(slot) > 0 && worth_.is_worth_it();
      if (!is_away_[slot]) continue;
      any_away = true;
      add_order(slot, kBegin).add(streams_[slot].state());
    }
    const Stopwatch watch;
    exchange([&] {
      const Stopwatch own;
      for (const int slot : slots) {
        if (is_away_[slot]) continue;
        home_->reset(slot, streams_[slot]);
        take_home(slot);
      }
      worth_.add_own(own.seconds(), 0);
    });
    if (any_away) worth_.add_all(watch.seconds(), 0);
  }

  void advance(const Actions& actions) override {
    int at_home = 0, away = 0;
    for (int slot = 0; slot < batch(); ++slot) {
      if (ended(slot)) continue;
      ++(is_away_[slot] ? away : at_home);
      if (!is_away_[slot]) continue;
      Bytes& order = add_order(slot, kStep);
      if (control_count() > 0) {
        order.add(actions.values().col(slot).data(), control_count());
      } else {
        order.add(actions.indices()[slot]);
      }
    }
    const Stopwatch watch;
    exchange([&] {
      if (at_home == 0) return;
      const Stopwatch own;
      home_->step(actions);
      for (int slot = 0; slot < batch(); ++slot) {
        if (!is_away_[slot]) take_home(slot);
      }
      worth_.add_own(own.seconds(), at_home);
    });
    if (away > 0) worth_.add_all(watch.seconds(), at_home + away);
  }

  /// To the owner of a slot, all of the same sort in one message.
  Bytes& add_order(int slot, char sort) {
    Bytes& order = orders_[owner(slot)];
    if (order.text.empty()) {
      order.add(Order::act);
      order.add(sort);
    }
    order.add(slot / ranks_.size());
    return order;
  }

  /// Sends the orders, does this rank's own work meanwhile, and takes what comes back: whatever happens, nobody is left
  /// with an answer that is not taken.
  template <typename Work>
  void exchange(const Work& own_work) {
    or_end_all(ranks_, [&] {
      int asked = 0;
      for (int rank = 1; rank < ranks_.size(); ++rank) {
        if (orders_[rank].text.empty()) continue;
        ranks_.send(rank, orders_[rank].text);
        orders_[rank].text.clear();
        ++asked;
      }
      std::exception_ptr thrown;
      try {
        own_work();
      } catch (...) {
        thrown = std::current_exception();
      }
      for (; asked > 0; --asked) {
        const Ranks::Message message = ranks_.wait(kBetweenSteps);
        if (message.bytes.front() == kDone) {
          take_away(message.from, std::string_view(message.bytes).substr(1));
        } else if (!thrown) {
          thrown = std::make_exception_ptr(
              OracleFailed(fmt::format("rank {}: {}", message.from, message.bytes.substr(1))));
        }
      }
      if (thrown) std::rethrow_exception(thrown);
    });
  }

  void take_home(int slot) {
    states_[slot] = home_->states()[slot];
    features_.col(slot) = home_->features().col(slot);
    measurement_.col(slot) = home_->measurement().col(slot);
    terminated_[slot] = home_->terminated(slot);
    truncated_[slot] = home_->truncated(slot);
  }

  void take_away(int rank, std::string_view bytes) {
    while (!bytes.empty()) {
      const int slot = Bytes::take<int>(bytes) * ranks_.size() + rank;
      const auto end = Bytes::take<Ended>(bytes);
      goes_on_away_[slot] = end == Ended::no;
      terminated_[slot] = end == Ended::terminated;
      truncated_[slot] = end == Ended::truncated;
      states_[slot] = Bytes::take<int>(bytes);
      Bytes::take(bytes, features_.col(slot).data(), features_.rows());
      Bytes::take(bytes, measurement_.col(slot).data(), measurement_.rows());
    }
  }

  Ranks& ranks_;
  std::shared_ptr<Shared> shared_;
  Worth& worth_;
  std::unique_ptr<Environment> home_;  // all slots; those of episodes elsewhere have ended
  std::vector<std::uint8_t> is_away_;  // by slot: its episode is stepped by its owner
  std::vector<std::uint8_t> goes_on_away_;
  std::vector<Bytes> orders_;  // by rank
};

}  // namespace

std::function<std::unique_ptr<Environment>(int batch)> spread_environments(const World& world, Ranks& ranks) {
  return [alone = world, &ranks, shared = std::make_shared<Shared>()](int batch) {
    if (shared->is_open || batch < 2) return alone.environment(batch);
    return std::unique_ptr<Environment>(std::make_unique<SpreadEnvironment>(alone, ranks, batch, shared));
  };
}

void EnvironmentPart::open(std::string_view order) {
  slots_ = Bytes::take<int>(order);
  environment_.reset();
}

std::string EnvironmentPart::act(std::string_view order) {
  try {
    if (!environment_) environment_ = world_.environment(slots_);
    std::vector<int> slots, chosen(static_cast<std::size_t>(slots_), 0);
    std::vector<Rng> streams;
    Eigen::MatrixXf controls = Eigen::MatrixXf::Zero(world_.controls, slots_);
    const bool begins = Bytes::take<char>(order) == kBegin;
    while (!order.empty()) {
      const int slot = slots.emplace_back(Bytes::take<int>(order));
      if (begins) {
        streams.push_back(Rng::from_state(Bytes::take<std::array<std::uint64_t, 4>>(order)));
      } else if (world_.controls > 0) {
        Bytes::take(order, controls.col(slot).data(), world_.controls);
      } else {
        chosen[slot] = Bytes::take<int>(order);
      }
    }
    if (begins) {
      environment_->reset(slots, streams);
    } else {
      environment_->step(world_.controls > 0 ? Actions(controls) : Actions(chosen));
    }
    Bytes answer;
    answer.add(kDone);
    for (const int slot : slots) {
      answer.add(slot);
      answer.add(how_ended(*environment_, slot));
      answer.add(environment_->states()[slot]);
      answer.add(environment_->features().col(slot).data(), environment_->feature_count());
      answer.add(environment_->measurement().col(slot).data(), environment_->dim());
    }
    return answer.text;
  } catch (const std::bad_alloc&) {
    throw;  // ends the job
  } catch (const std::exception& error) {
    return kFailed + std::string(error.what());
  }
}

}  // namespace c2rl
