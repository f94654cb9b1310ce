#pragma once

#include <algorithm>
#include <barrier>
#include <cstdlib>
#include <deque>
#include <exception>
#include <iostream>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "c2rl/base/ranks.h"

namespace c2rl {

/// Ranks that are threads of one process, for tests.
class ThreadRanks {
 public:
  explicit ThreadRanks(int size)
      : barrier_(size), boxes_(size), spans_(size), counts_(size), texts_(size), inputs_(size) {
    ranks_.reserve(size);
    for (int rank = 0; rank < size; ++rank) ranks_.push_back(std::make_unique<Member>(*this, rank, size));
  }

  /// work(ranks) on each of them. What one of them throws comes out of here, the first rank's before others'.
  template <typename Work>
  void run(const Work& work) {
    std::vector<std::thread> threads;
    threads.reserve(ranks_.size());
    std::vector<std::exception_ptr> thrown(ranks_.size());
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      threads.emplace_back([&, i] {
        try {
          work(*ranks_[i]);
        } catch (...) {
          thrown[i] = std::current_exception();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::exception_ptr& error : thrown) {
      if (error) std::rethrow_exception(error);
    }
  }

 private:
  class Member final : public Ranks {
   public:
    Member(ThreadRanks& all, int rank, int size) : Ranks(rank, size, true), all_(all) {}

    void send(int to, std::string_view bytes) override {
      const std::lock_guard lock(all_.mutex_);
      all_.boxes_[to].push_back({rank(), std::string(bytes)});
    }
    std::optional<Message> poll() override {
      const std::lock_guard lock(all_.mutex_);
      auto& box = all_.boxes_[rank()];
      if (box.empty()) return std::nullopt;
      Message first = std::move(box.front());
      box.pop_front();
      return first;
    }
    void end_all(std::string_view why) override {
      std::cerr << why << '\n';
      std::abort();
    }
    void add(std::span<double> values) override {
      combine(values, [](double a, double b) { return a + b; });
    }
    void take_largest(std::span<double> values) override {
      combine(values, [](double a, double b) { return std::max(a, b); });
    }
    std::vector<std::string> exchange(const std::vector<std::string>& outgoing) override {
      all_.texts_[rank()] = outgoing;
      all_.barrier_.arrive_and_wait();
      std::vector<std::string> incoming;
      incoming.reserve(size());
      for (int from = 0; from < size(); ++from) incoming.push_back(all_.texts_[from][rank()]);
      all_.barrier_.arrive_and_wait();
      return incoming;
    }
    void exchange(std::span<const double> outgoing, std::span<const int> outgoing_counts,
                  std::span<double> incoming, std::span<const int>) override {
      all_.inputs_[rank()] = outgoing;
      all_.counts_[rank()] = outgoing_counts;
      all_.barrier_.arrive_and_wait();
      auto to = incoming.begin();
      for (int from = 0; from < size(); ++from) {
        const double* at = all_.inputs_[from].data();
        for (int i = 0; i < rank(); ++i) at += all_.counts_[from][i];
        to = std::copy_n(at, all_.counts_[from][rank()], to);
      }
      all_.barrier_.arrive_and_wait();
    }

   private:
    template <typename Combine>
    void combine(std::span<double> values, const Combine& combination) {
      all_.spans_[rank()] = std::vector<double>(values.begin(), values.end());
      all_.barrier_.arrive_and_wait();
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = all_.spans_[0][i];
        for (int from = 1; from < size(); ++from) values[i] = combination(values[i], all_.spans_[from][i]);
      }
      all_.barrier_.arrive_and_wait();
    }

    ThreadRanks& all_;
  };

  std::barrier<> barrier_;
  std::mutex mutex_;  // of the boxes
  std::vector<std::deque<Ranks::Message>> boxes_;
  std::vector<std::vector<double>> spans_;
  std::vector<std::span<const int>> counts_;
  std::vector<std::vector<std::string>> texts_;
  std::vector<std::span<const double>> inputs_;
  std::vector<std::unique_ptr<Member>> ranks_;
};

}  // namespace c2rl
