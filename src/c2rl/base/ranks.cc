#include "c2rl/base/ranks.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include <fmt/format.h>

namespace c2rl {

Ranks::Message Ranks::wait(std::chrono::microseconds longest) {
  using namespace std::chrono_literals;
  // What is about to come is not waited for asleep; what takes longer is, for no longer than it has taken already. Nor is the
  // core given away meanwhile, unless to other ranks: with other work on the machine it would come back after milliseconds.
  constexpr auto kAwake = 200us;
  const auto start = std::chrono::steady_clock::now();
  for (;;) {
    if (auto message = poll()) return *std::move(message);
    const auto waited = std::chrono::steady_clock::now() - start;
    if (waited > kAwake) {
      std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(waited / 4, longest));
    } else if (crowded_) {
      std::this_thread::yield();
    }
  }
}

namespace {

class LoneRank final : public Ranks {
 public:
  LoneRank() : Ranks(0, 1, false) {}

  void send(int, std::string_view bytes) override { sent_.emplace_back(bytes); }
  std::optional<Message> poll() override {
    if (sent_.empty()) return std::nullopt;
    Message first{0, std::move(sent_.front())};
    sent_.erase(sent_.begin());
    return first;
  }
  void end_all(std::string_view) override {}  // it ends itself
  void add(std::span<double>) override {}
  void take_largest(std::span<double>) override {}
  std::vector<std::string> exchange(const std::vector<std::string>& outgoing) override { return outgoing; }
  void exchange(std::span<const double> outgoing, std::span<const int>, std::span<double> incoming,
                std::span<const int>) override {
    std::ranges::copy(outgoing, incoming.begin());
  }

 private:
  std::vector<std::string> sent_;  // to itself
};

}  // namespace

Ranks& lone_rank() {
  static LoneRank rank;
  return rank;
}

void agree(Ranks& ranks, const std::optional<InputError>& error) {
  // Errors are not empty, so that an empty text says that there is none.
  const std::string own = error ? error->what() : "";
  const std::vector<std::string> all =
      ranks.exchange(std::vector<std::string>(static_cast<std::size_t>(ranks.size()), own));
  if (error) throw InputError(*error);
  for (int rank = 0; rank < ranks.size(); ++rank) {
    const std::string& text = all[static_cast<std::size_t>(rank)];
    if (!text.empty()) throw InputError(fmt::format("rank {}: {}", rank, text));
  }
}

}  // namespace c2rl
