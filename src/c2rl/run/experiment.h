#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "c2rl/base/config.h"
#include "c2rl/base/ranks.h"

namespace c2rl {

/// A named list of overrides (section.key=value) of a problem file.
struct Variant {
  std::string name;
  std::vector<std::string> overrides;
};

/// What is claimed of the outcome, in `[claims.NAME]`, so that it can be held against what came out.
struct Expectation {
  std::string says;  // in words
  std::string method;
  std::string problem;  // empty: every problem
  std::string where;    // "AXIS=VARIANT"; empty: every combination
  // final-error, most-policies, exponent, or calls, policies, steps or seconds "-to-accuracy"
  std::string quantity;
  double accuracy = 0;  // for those to an accuracy
  double at_most = 0;   // what it must not exceed ...
  std::string than;     // ... or, if set: factor times it must not exceed the same quantity of this method
  double factor = 1;
};

/// Methods x problems x variants x seeds, from one TOML file:
///
///   name = "..."              seeds = 20               set = ["solver.max_oracle_calls=200"]
///   accuracies = [1e-2, ...]  errors for which the oracle calls needed are counted
///   [problems.NAME]           file = "../examples/navigation.toml", set = [...]
///   [methods.NAME]            set = ["solver.kind=cg"]
///   [axes.AXIS]               NAME = ["oracle.kind=q-learning"], ...: each combination of one NAME per axis
///   [claims.NAME]             what should come out (Expectation)
struct Experiment {
  struct Problem {
    std::string name, file;
    std::vector<std::string> overrides;
  };
  struct Axis {
    std::string name;
    std::vector<Variant> variants;
  };

  std::string name;
  int seeds = 1;
  std::vector<std::string> overrides;  // of every cell
  std::vector<double> accuracies;      // falling
  std::vector<Problem> problems;
  std::vector<Variant> methods;
  std::vector<Axis> axes;
  std::vector<Expectation> expectations;
};

/// Whatever is wrong with the file, or with the problem of any cell, is an InputError that says where.
Experiment read_experiment(const Config& config);

/// One run: what is varied, and the problem's file with its overrides.
struct Cell {
  std::string name;  // of its file
  std::string method, problem;
  std::vector<std::string> variants;  // one per axis
  int seed = 0;
  std::string file;
  std::vector<std::string> overrides;  // the last is the seed
  /// Of all that its rows depend on, budgets and the contents of files included; empty where its problem cannot
  /// be read.
  std::string fingerprint = {};
};
std::vector<Cell> cells_of(const Experiment& experiment);

/// A cell after one oracle call.
struct CellRow {
  int call = 0;
  /// 1/2 distance^2 above the optimum, which an exact solve finds; from data alone, that of what the mixture
  /// measures in the simulator, which is asked when the cell is done.
  double error = 0;
  double estimated_error = 0;  // the same as far as the solver could tell
  double distance = 0, lower_bound = 0;
  int policies = 0;
  std::int64_t env_steps = 0;  // since the start, like seconds
  double seconds = 0;
};

struct ExperimentProgress {
  int cells = 0, done = 0, running = 0, failed = 0;
  double seconds = 0;  // since the start
};

struct CellFailure {
  std::string cell, message;
};

/// Runs the cells whose rows are not in DIRECTORY/cells yet, or are there for another problem, or damaged, on
/// `threads` threads; each cell on one, so that its rows do not depend on their number. A cell that fails is
/// reported and does not stop the rest. `progress` is told now and then, and stops the experiment by returning
/// false; what is finished stays finished. A cell that is not is a run in DIRECTORY/unfinished, and goes on with
/// its next oracle call. Where there are other ranks, they help.
std::vector<CellFailure> run_cells(const std::vector<Cell>& cells, const std::string& directory, int threads,
                                   const std::function<bool(const ExperimentProgress&)>& progress,
                                   Ranks& ranks = lone_rank());

/// What every rank but the first does meanwhile: it runs the cells that it is given, in the same DIRECTORY/unfinished,
/// and hands in their rows.
void help_with_cells(const std::vector<Cell>& cells, const std::string& directory, int threads, Ranks& ranks);

/// One part of an experiment's cells, for machines that have no more in common than files.
struct Shard {
  int number = 1, of = 1;

  /// "2/4"; an InputError for anything else.
  static Shard parse(const std::string& text);
  /// Where its cells are kept: in DIRECTORY/shards.
  std::string directory(const std::string& directory) const;
  std::vector<Cell> part_of(const std::vector<Cell>& cells) const;
};

/// Finished cells of shards become cells of the whole, where it has not got them yet.
void gather_shards(const std::vector<Cell>& cells, const std::string& directory);

/// Where the rows of a cell are kept.
std::string cell_file(const std::string& directory, const Cell& cell);
/// The rows of a finished cell; nothing when it is not, or is damaged, or was another cell's.
std::optional<std::vector<CellRow>> read_cell(const std::string& directory, const Cell& cell);

}  // namespace c2rl
