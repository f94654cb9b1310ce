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
#include "c2rl/base/seal.h"
#include "c2rl/base/text.h"
#include "c2rl/oracle/dynamic_programming.h"
#include "c2rl/run/experiment.h"
#include "c2rl/run/experiment_deal.h"
#include "c2rl/run/run_problem.h"
#include "c2rl/run/solve.h"

namespace c2rl {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
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
      : problem_(problem), optimum_(optimum), stop_(stop), last_(Clock::now()) {}

  bool oracle_progress(int, double) override { return !stop_; }
  bool call_finished(const CallRecord& record) override {
    add(record, seconds_since(last_));
    return !stop_;
  }
  void call_recalled(const CallRecord& record) override { add(record, record.seconds); }

  /// Asks the simulator what the mixtures of a run from data really came to.
  void simulate(const RunDirectory& run) {
    if (!problem_.oracle->is_offline()) return;
    std::map<int, Vector> measured;
    for (size_t i = 0; i < mixtures_.size(); ++i) {
      Vector point = Vector::Zero(problem_.world.dim());
      for (int k = 0; k < mixtures_[i].size(); ++k) {
        const int id = mixtures_[i].ids[k];
        if (!measured.contains(id)) {
          const PolicyPtr policy = run.load_policy(RunDirectory::policy_file(id), problem_.world);
          measured[id] = simulated_measurement(problem_.world, *policy, simulation_of(problem_, id));
        }
        point += mixtures_[i].weights[k] * measured[id];
      }
      rows_[i].error = error_at(problem_.target.set->distance(point));
    }
  }

  const std::vector<CellRow>& rows() const { return rows_; }

 private:
  double error_at(double distance) const { return std::max(0.0, error_above(distance, 0) - optimum_); }

  void add(const CallRecord& record, double seconds) {
    // A run that has lost a policy begins again with what is on record.
    rows_.resize(static_cast<size_t>(record.call) - 1);
    mixtures_.resize(rows_.size());
    const CellRow before = rows_.empty() ? CellRow{} : rows_.back();
    const Cycle& cycle = record.cycle;
    const double error = error_at(cycle.distance);
    rows_.push_back({cycle.call, error, error, cycle.distance, cycle.distance_lower_bound, cycle.atoms,
                     before.env_steps + record.steps.all(), before.seconds + seconds});
    mixtures_.push_back(record.mixture);
    last_ = Clock::now();
  }

  const Problem& problem_;
  double optimum_;
  const std::atomic<bool>& stop_;
  Clock::time_point last_;
  std::vector<CellRow> rows_;
  std::vector<Mixture> mixtures_;  // after each call
};

/// What a cell's file holds.
std::string cell_text(const std::string& fingerprint, const std::vector<CellRow>& rows) {
  std::string text = fmt::format("# cell {}, {} seals this file\n", fingerprint, kBlankSeal);
  text += "call,error,estimated_error,distance,lower_bound,policies,env_steps,seconds\n";
  for (const CellRow& row : rows) {
    text += fmt::format("{},{},{},{},{},{},{},{:.6f}\n", row.call, row.error, row.estimated_error,
                        row.distance, row.lower_bound, row.policies, row.env_steps, row.seconds);
  }
  return sealed(text);
}

/// The run of an unfinished cell: the one that is there, if it is of this problem and can be read, or a new one.
/// It need not outlast a loss of power, which costs a cell and not an experiment.
RunDirectory run_of(const std::string& path, const Problem& problem) {
  if (fs::exists(path)) {
    try {
      RunDirectory run = RunDirectory::resume(path, Sync::no);
      run.read_records();
      if (differences(run.problem(), run_problem(problem)).empty()) return run;
    } catch (const InputError&) {
      // Damaged, or never begun.
    }
    RunDirectory::remove(path);
  }
  return RunDirectory::create(path, problem, Sync::no);
}

}  // namespace

CellThreads::CellThreads(Deal& deal, std::string directory, int threads, const std::atomic<bool>& stop)
    : deal_(deal), directory_(std::move(directory)), stop_(stop) {
  for (int i = 0; i < threads; ++i) {
    // A cell keeps to its thread, oracles that would use more included.
    threads_.emplace_back([this] { tbb::task_arena(1).execute([this] { work(); }); });
  }
}

void CellThreads::join() {
  for (std::thread& thread : threads_) thread.join();
}

void CellThreads::work() {
  for (const Cell* cell = deal_.take(); cell && !stop_; cell = deal_.take()) {
    try {
      run(*cell);
    } catch (const std::exception& error) {
      deal_.failed(*cell, error.what());
    }
  }
}

/// Nothing comes of it when it is stopped.
void CellThreads::run(const Cell& cell) {
  const Problem problem = problem_of(cell);
  RowCollector rows(problem, optimum(cell, problem), stop_);
  const std::string path = directory_ + "/unfinished/" + cell.name;
  {
    RunDirectory run = run_of(path, problem);
    if (problem.oracle->is_offline()) run.keep_all_policies();  // the simulator is asked about all of them
    const Result result = solve(problem, &run, rows);
    if (result.interrupted) return;
    if (!result.failures.empty()) throw std::runtime_error("the oracle failed: " + result.failures.back());
    try {
      rows.simulate(run);
    } catch (const InputError&) {
      RunDirectory::remove(path);  // a policy is lost that the run itself had no more use for
      throw;
    }
    deal_.finished(cell, cell_text(cell.fingerprint, rows.rows()));
  }
  RunDirectory::remove(path);
}

/// Cells that differ in method, oracle and seed only share it.
double CellThreads::optimum(const Cell& cell, const Problem& problem) {
  std::string key = cell.file;
  for (const std::string& assignment : cell.overrides) {
    if (assignment.starts_with("environment.") || assignment.starts_with("target.")) key += "\n" + assignment;
  }
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = optima_.find(key); known != optima_.end()) return known->second;
  }
  const double value = optimum_of(problem);
  const std::lock_guard lock(mutex_);
  return optima_[key] = value;
}

std::string cell_file(const std::string& directory, const Cell& cell) {
  return directory + "/cells/" + cell.name + ".csv";
}

std::optional<std::vector<CellRow>> read_cell(const std::string& directory, const Cell& cell) {
  const std::string file = cell_file(directory, cell);
  if (cell.fingerprint.empty() || !fs::exists(file)) return std::nullopt;
  const std::string text = read_file(file);
  if (seal_of(text).empty() || !text.starts_with("# cell " + cell.fingerprint)) return std::nullopt;
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
