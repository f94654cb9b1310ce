#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "c2rl/run/experiment.h"

namespace c2rl {

struct Problem;

/// Where the threads of a rank have their cells from, and what becomes of these.
class Deal {
 public:
  virtual ~Deal() = default;
  /// The next one; null: no more. Waits where that is not known yet.
  virtual const Cell* take() = 0;
  virtual void finished(const Cell& cell, const std::string& text) = 0;
  virtual void failed(const Cell& cell, const std::string& message) = 0;
};

/// The threads of a rank: each takes cells and runs them until there are no more, or it is told to stop.
class CellThreads {
 public:
  /// Keeps references.
  CellThreads(Deal& deal, std::string directory, int threads, const std::atomic<bool>& stop);
  /// To be called before it goes.
  void join();

 private:
  void work();
  void run(const Cell& cell);
  double optimum(const Cell& cell, const Problem& problem);

  Deal& deal_;
  const std::string directory_;
  const std::atomic<bool>& stop_;
  std::mutex mutex_;  // guards what follows
  std::map<std::string, double> optima_;
  std::vector<std::thread> threads_;
};

}  // namespace c2rl
