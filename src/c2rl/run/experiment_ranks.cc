// The cells of an experiment over ranks.

#include <chrono>
#include <condition_variable>

#include <fmt/format.h>
#include <unistd.h>

#include "c2rl/base/file.h"
#include "c2rl/base/ranks.h"
#include "c2rl/run/experiment.h"
#include "c2rl/run/experiment_deal.h"

namespace c2rl {
namespace {

using Clock = std::chrono::steady_clock;

// What ranks say to each other: a letter, the number of a cell, and what there is to say of it.
constexpr char kWant = 'w', kFinished = 'd', kFailed = 'f', kLeft = 'l';  // to rank 0
constexpr char kGiven = 'g', kNoMore = 'n', kStop = 's';                  // from rank 0

std::string note(char what, std::size_t cell = 0, const std::string& text = "") {
  return fmt::format("{}{} {}", what, cell, text);
}

struct Note {
  char what;
  std::size_t cell;
  std::string text;

  explicit Note(const std::string& bytes) : what(bytes.at(0)), cell(std::stoul(bytes.substr(1))) {
    text = bytes.substr(bytes.find(' ') + 1);
  }
};

/// Rank 0: deals the cells that are not finished yet to its own threads and to the other ranks, and alone writes
/// what comes of them.
class FirstRank final : public Deal {
 public:
  FirstRank(const std::vector<Cell>& cells, const std::string& directory, Ranks& ranks)
      : cells_(cells), directory_(directory), ranks_(ranks), helping_(ranks.size() - 1) {
    make_directories(directory + "/cells");
    for (const Cell& cell : cells) {
      if (read_cell(directory, cell))
        ++done_;
      else
        waiting_.push_back(&cell);
    }
  }

  std::vector<CellFailure> run(int threads, const std::function<bool(const ExperimentProgress&)>& progress) {
    const auto start = Clock::now();
    const auto now = [&] {
      return ExperimentProgress{static_cast<int>(cells_.size()), done_, running_, failed_,
                                std::chrono::duration<double>(Clock::now() - start).count()};
    };
    CellThreads own(*this, directory_, threads, stop_);
    while (done_ + failed_ < static_cast<int>(cells_.size()) && !stop_) {
      pause();
      if (!progress(now())) stop_ = true;
    }
    for (int rank = 1; rank < ranks_.size(); ++rank) ranks_.send(rank, note(stop_ ? kStop : kNoMore));
    while (helping_ > 0) pause();
    own.join();
    ::rmdir((directory_ + "/unfinished").c_str());  // where nothing is left in it
    progress(now());
    return failures_;
  }

 private:
  /// A moment that others are listened to in.
  void pause() {
    using namespace std::chrono_literals;
    std::this_thread::sleep_for(ranks_.size() > 1 ? 2ms : 50ms);
    while (const auto message = ranks_.size() > 1 ? ranks_.poll() : std::nullopt) hear(*message);
  }

  void hear(const Ranks::Message& message) {
    const Note heard(message.bytes);
    if (heard.what == kWant) {
      const Cell* const cell = take();
      // A thread that there is no cell for hears kNoMore when all are done.
      if (cell) ranks_.send(message.from, note(kGiven, static_cast<std::size_t>(cell - cells_.data())));
    } else if (heard.what == kFinished) {
      try {
        finished(cells_.at(heard.cell), heard.text);
      } catch (const std::exception& error) {  // the disk is full, say
        failed(cells_.at(heard.cell), error.what());
      }
    } else if (heard.what == kFailed) {
      failed(cells_.at(heard.cell), heard.text);
    } else if (heard.what == kLeft) {
      --helping_;
    }
  }

  const Cell* take() override {
    const size_t i = next_++;
    if (i >= waiting_.size() || stop_) return nullptr;
    ++running_;
    return waiting_[i];
  }
  void finished(const Cell& cell, const std::string& text) override {
    write_file(cell_file(directory_, cell), text);
    --running_;
    ++done_;
  }
  void failed(const Cell& cell, const std::string& message) override {
    const std::lock_guard lock(mutex_);
    failures_.push_back({cell.name, message});
    --running_;
    ++failed_;
  }

  const std::vector<Cell>& cells_;
  const std::string directory_;
  Ranks& ranks_;
  int helping_;  // other ranks that have not left
  std::vector<const Cell*> waiting_;
  std::atomic<size_t> next_ = 0;
  std::atomic<int> done_ = 0, running_ = 0, failed_ = 0;
  std::atomic<bool> stop_ = false;
  std::mutex mutex_;  // guards what follows
  std::vector<CellFailure> failures_;
};

/// Any other rank: its threads run what rank 0 gives them. They leave talking to the thread that may.
class OtherRank final : public Deal {
 public:
  OtherRank(const std::vector<Cell>& cells, Ranks& ranks) : cells_(cells), ranks_(ranks) {}

  void help(const std::string& directory, int threads) {
    CellThreads own(*this, directory, threads, stop_);
    for (bool goes_on = true; goes_on;) {
      using namespace std::chrono_literals;
      std::this_thread::sleep_for(2ms);
      say();
      while (const auto message = ranks_.poll()) {
        const Note heard(message->bytes);
        const std::lock_guard lock(mutex_);
        if (heard.what == kGiven) {
          given_.push_back(&cells_.at(heard.cell));
        } else {
          goes_on = false;
          no_more_ = true;
          stop_ = heard.what == kStop;
        }
        changed_.notify_all();
      }
    }
    own.join();
    say();
    ranks_.send(0, note(kLeft));
  }

 private:
  void say() {
    std::vector<std::string> notes;
    {
      const std::lock_guard lock(mutex_);
      notes.swap(notes_);
    }
    for (const std::string& text : notes) ranks_.send(0, text);
  }

  const Cell* take() override {
    std::unique_lock lock(mutex_);
    notes_.push_back(note(kWant));
    changed_.wait(lock, [&] { return !given_.empty() || no_more_; });
    if (no_more_) return nullptr;
    const Cell* const cell = given_.back();
    given_.pop_back();
    return cell;
  }
  void tell(char what, const Cell& cell, const std::string& text) {
    const std::lock_guard lock(mutex_);
    notes_.push_back(note(what, static_cast<std::size_t>(&cell - cells_.data()), text));
  }
  void finished(const Cell& cell, const std::string& text) override { tell(kFinished, cell, text); }
  void failed(const Cell& cell, const std::string& message) override { tell(kFailed, cell, message); }

  const std::vector<Cell>& cells_;
  Ranks& ranks_;
  std::atomic<bool> stop_ = false;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::vector<const Cell*> given_;
  std::vector<std::string> notes_;  // to rank 0
  bool no_more_ = false;
};

}  // namespace

std::vector<CellFailure> run_cells(const std::vector<Cell>& cells, const std::string& directory, int threads,
                                   const std::function<bool(const ExperimentProgress&)>& progress,
                                   Ranks& ranks) {
  return FirstRank(cells, directory, ranks).run(threads, progress);
}

void help_with_cells(const std::vector<Cell>& cells, const std::string& directory, int threads,
                     Ranks& ranks) {
  OtherRank(cells, ranks).help(directory, threads);
}

}  // namespace c2rl
