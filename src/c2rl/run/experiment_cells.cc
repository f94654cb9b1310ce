#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <map>
#include <mutex>
#include <thread>

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include "c2rl/base/csv.h"
#include "c2rl/base/error.h"
#include "c2rl/base/file.h"
#include "c2rl/base/text.h"
#include "c2rl/oracle/dynamic_programming.h"
#include "c2rl/run/experiment.h"
#include "c2rl/run/solve.h"

namespace c2rl {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string cell_file(const std::string& directory, const Cell& cell) {
  return directory + "/cells/" + cell.name + ".csv";
}

Problem problem_of(const Cell& cell) {
  Config config = Config::read(cell.file);
  for (const std::string& assignment : cell.overrides) config.override_value(assignment);
  return read_problem(config);
}

/// 1/2 of the squared smallest distance to the target that is achievable, by the exact oracle. Where nothing
/// computes it, errors count from inside the target.
double optimum_of(const Problem& problem) {
  if (!problem.world.model) return 0;
  const SolverOptions exact{.tolerance = 1e-12, .max_oracle_calls = 10000};
  constexpr double kInside = 1e-9;
  const auto solver = solver_kinds().standard().configure(nullptr).make(problem.target.set, exact);
  const DynamicProgramming oracle(problem.world.model);
  while (const auto direction = solver->ask()) {
    const OracleAnswer answer = oracle.minimize(*direction, Rng(problem.seed));
    solver->tell({.point = answer.measurement, .slack = answer.slack});
  }
  return solver->distance() <= kInside ? 0 : error_above(solver->distance(), 0);
}

/// Collects a cell's rows, and stops when the experiment does.
class RowCollector final : public SolveListener {
 public:
  RowCollector(const Problem& problem, double optimum, const std::atomic<bool>& stop)
      : problem_(problem), optimum_(optimum), stop_(stop), start_(Clock::now()) {}

  bool oracle_progress(int, double) override { return !stop_; }
  bool call_finished(const CallRecord& record) override {
    const Cycle& cycle = record.cycle;
    env_steps_ += record.env_steps;
    const double error = error_at(cycle.distance);
    rows_.push_back({cycle.call, error, error, cycle.distance, cycle.distance_lower_bound, cycle.atoms,
                     env_steps_, seconds_since(start_)});
    if (problem_.oracle->is_offline()) {
      mixtures_.push_back(record.mixture);
      policies_[record.call] = record.policy;
    }
    return !stop_;
  }

  /// Asks the simulator what the mixtures of a run from data really came to.
  void simulate() {
    std::map<int, Vector> measured;
    for (size_t i = 0; i < mixtures_.size(); ++i) {
      Vector point = Vector::Zero(problem_.world.dim());
      for (int k = 0; k < mixtures_[i].size(); ++k) {
        const int id = mixtures_[i].ids[k];
        if (!measured.contains(id))
          measured[id] =
              simulated_measurement(problem_.world, *policies_.at(id), simulation_of(problem_, id));
        point += mixtures_[i].weights[k] * measured[id];
      }
      rows_[i].error = error_at(problem_.target.set->distance(point));
    }
  }

  const std::vector<CellRow>& rows() const { return rows_; }

 private:
  double error_at(double distance) const { return std::max(0.0, error_above(distance, 0) - optimum_); }

  const Problem& problem_;
  double optimum_;
  const std::atomic<bool>& stop_;
  Clock::time_point start_;
  std::int64_t env_steps_ = 0;
  std::vector<CellRow> rows_;
  std::vector<Mixture> mixtures_;      // after each call, and
  std::map<int, PolicyPtr> policies_;  // by call, of a run from data
};

/// Written beside and moved into place: a cell's file is whole or not there.
void write_cell(const std::string& file, const std::vector<CellRow>& rows) {
  std::string text = "call,error,estimated_error,distance,lower_bound,policies,env_steps,seconds\n";
  for (const CellRow& row : rows) {
    text += fmt::format("{},{},{},{},{},{},{},{:.6f}\n", row.call, row.error, row.estimated_error,
                        row.distance, row.lower_bound, row.policies, row.env_steps, row.seconds);
  }
  write_file(file + ".part", text);
  fs::rename(file + ".part", file);
}

/// The threads of an experiment and what they share.
class CellRunner {
 public:
  CellRunner(const std::vector<Cell>& cells, const std::string& directory)
      : cells_(cells), directory_(directory) {
    fs::create_directories(directory + "/cells");
    for (const Cell& cell : cells) {
      if (fs::exists(cell_file(directory, cell)))
        ++done_;
      else
        waiting_.push_back(&cell);
    }
  }

  std::vector<CellFailure> run(int threads, const std::function<bool(const ExperimentProgress&)>& progress) {
    const auto start = Clock::now();
    std::vector<std::thread> workers;
    workers.reserve(static_cast<size_t>(threads));
    for (int i = 0; i < threads; ++i) {
      // A cell keeps to its thread, oracles that would use more included.
      workers.emplace_back([this] { tbb::task_arena(1).execute([this] { work(); }); });
    }
    const auto now = [&] {
      return ExperimentProgress{static_cast<int>(cells_.size()), done_, running_, static_cast<int>(failed_),
                                seconds_since(start)};
    };
    while (done_ + failed_ < static_cast<int>(cells_.size()) && !stop_) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      if (!progress(now())) stop_ = true;
    }
    for (std::thread& worker : workers) worker.join();
    progress(now());
    return failures_;
  }

 private:
  void work() {
    for (size_t i = next_++; i < waiting_.size() && !stop_; i = next_++) {
      const Cell& cell = *waiting_[i];
      ++running_;
      try {
        const Problem problem = problem_of(cell);
        RowCollector rows(problem, optimum(cell, problem), stop_);
        const Result result = solve(problem, nullptr, rows);
        if (!result.interrupted) {
          rows.simulate();
          write_cell(cell_file(directory_, cell), rows.rows());
          ++done_;
        }
      } catch (const std::exception& error) {
        const std::lock_guard lock(mutex_);
        failures_.push_back({cell.name, error.what()});
        ++failed_;
      }
      --running_;
    }
  }

  /// Cells that differ in method, oracle and seed only share it.
  double optimum(const Cell& cell, const Problem& problem) {
    std::string key = cell.file;
    for (const std::string& assignment : cell.overrides) {
      if (assignment.starts_with("environment.") || assignment.starts_with("target."))
        key += "\n" + assignment;
    }
    {
      const std::lock_guard lock(mutex_);
      if (const auto known = optima_.find(key); known != optima_.end()) return known->second;
    }
    const double value = optimum_of(problem);
    const std::lock_guard lock(mutex_);
    return optima_[key] = value;
  }

  const std::vector<Cell>& cells_;
  std::string directory_;
  std::vector<const Cell*> waiting_;
  std::atomic<size_t> next_ = 0;
  std::atomic<int> done_ = 0, running_ = 0, failed_ = 0;
  std::atomic<bool> stop_ = false;
  std::mutex mutex_;  // guards what follows
  std::map<std::string, double> optima_;
  std::vector<CellFailure> failures_;
};

}  // namespace

std::vector<CellFailure> run_cells(const std::vector<Cell>& cells, const std::string& directory, int threads,
                                   const std::function<bool(const ExperimentProgress&)>& progress) {
  return CellRunner(cells, directory).run(threads, progress);
}

std::optional<std::vector<CellRow>> read_cell(const std::string& directory, const Cell& cell) {
  const std::string file = cell_file(directory, cell);
  if (!fs::exists(file)) return std::nullopt;
  const std::string text = read_file(file);
  CsvReader reader(text, file);
  std::vector<CsvField> record;
  reader.next(record);  // the header
  std::vector<CellRow> rows;
  while (reader.next(record)) {
    const auto number = [&](size_t i) {
      const auto value = i < record.size() ? parse_number(record[i].text) : std::nullopt;
      if (!value)
        throw InputError({.file = file}, "is no cell of an experiment; remove it to have it run again");
      return *value;
    };
    rows.push_back({static_cast<int>(number(0)), number(1), number(2), number(3), number(4),
                    static_cast<int>(number(5)), static_cast<std::int64_t>(number(6)), number(7)});
  }
  return rows;
}

}  // namespace c2rl
