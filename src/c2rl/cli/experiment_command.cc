#include <algorithm>
#include <memory>
#include <optional>
#include <ostream>
#include <utility>

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include "c2rl/base/error.h"
#include "c2rl/base/file.h"
#include "c2rl/base/file_lock.h"
#include "c2rl/cli/commands.h"
#include "c2rl/cli/interrupt.h"
#include "c2rl/cli/live_line.h"
#include "c2rl/cli/table.h"
#include "c2rl/cli/watching.h"
#include "c2rl/report/page.h"
#include "c2rl/run/experiment_file.h"
#include "c2rl/run/experiment_report.h"

namespace c2rl {
namespace {

constexpr const char* kExample = R"(Example:
  c2rl experiment experiments/figure2-tabular.toml
  c2rl experiment FILE --shard 2/4      # its part of four, into DIRECTORY/shards; without --shard, all are gathered
  mpirun -n 8 c2rl experiment FILE      # the cells over eight ranks

Runs methods x problems x variants x seeds on all cores. Finished cells stay in DIRECTORY/cells, finished oracle calls of
other cells in DIRECTORY/unfinished: after an interrupt, the same command goes on where it stopped. After a change of the
file, or of one that it names, it runs the cells that the change is about. Leaves results.csv (a row per cell and oracle
call), summary.csv, summary_steps.csv and summary_seconds.csv, and experiment.json, what c2rl report reads.)";

struct ExperimentOptions {
  std::string file;
  std::optional<std::string> out_directory;
  std::optional<std::string> shard;
  int threads = tbb::this_task_arena::max_concurrency();  // the cores that this process may use
  bool quiet = false, report = false, watch = false;
};

std::string bar(const ExperimentProgress& progress) {
  constexpr int kWidth = 30;
  const int filled = progress.cells > 0 ? kWidth * progress.done / progress.cells : 0;
  return "[" + std::string(static_cast<size_t>(filled), '#') +
         std::string(static_cast<size_t>(kWidth - filled), '.') + "]";
}

int run_experiment(const ExperimentOptions& options, const Console& console) {
  constexpr int kInterrupted = 4, kFailed = 1;
  if (options.threads < 1) throw InputError({.field = "--threads"}, "expected a whole number, 1 or more");
  const auto [experiment, all_cells] = together(console.ranks, [&] {
    Experiment read = read_experiment(Config::read(options.file));
    std::vector<Cell> cells = cells_of(read);
    return std::pair(std::move(read), std::move(cells));
  });
  std::vector<Cell> cells = all_cells;
  std::string directory = options.out_directory.value_or("runs/" + experiment.name);
  if (options.shard) {
    const Shard shard = Shard::parse(*options.shard);
    cells = shard.part_of(cells);
    directory = shard.directory(directory);
  }
  if (!console.ranks.is_first()) {
    together(console.ranks, [] { return true; });
    help_with_cells(cells, directory, options.threads, console.ranks);
    return 0;
  }
  const InterruptGuard interrupt;
  std::optional<Watching> watching;
  // Whatever may be wrong here is, before others are asked to help.
  const auto lock = together(console.ranks, [&] {
    make_directories(directory);
    auto taken = std::make_unique<const FileLock>(directory + "/lock", directory);
    if (!options.shard) gather_shards(cells, directory);
    write_experiment_file({experiment, cells}, directory);
    if (options.watch) watching.emplace(directory, console);
    return taken;
  });

  int done_before = -1;
  const auto progress = [&](const ExperimentProgress& now) {
    if (done_before < 0) done_before = now.done;
    if (!options.quiet && console.live) {
      const int finished = now.done - done_before;
      const std::string left =
          finished > 0
              ? fmt::format("{:.0f} s left", now.seconds / finished * (now.cells - now.done - now.failed))
              : "";
      draw_line(console, fmt::format("{} {}/{} cells, {} running, {} failed  {:.0f} s  {}", bar(now),
                                     now.done, now.cells, now.running, now.failed, now.seconds, left));
    }
    return !interrupt.requested();
  };
  const std::vector<CellFailure> failures =
      run_cells(cells, directory, options.threads, progress, console.ranks);
  if (!options.quiet && console.live) clear_line(console);
  for (const CellFailure& failure : failures)
    console.err << "failed: " << failure.cell << ": " << failure.message << "\n";

  const std::vector<Series> series = collect(experiment, directory);
  write_tables(experiment, series, directory);
  // Method, problem and variants say what a row is about.
  const TableLayout layout{.width = console.out_columns,
                           .keys = 2 + static_cast<int>(experiment.axes.size())};
  console.out << format_table(overview(experiment, series), layout) << "\n";
  bool all_hold = true;
  if (!experiment.expectations.empty() && !options.shard)
    console.out << format_table(judge_claims(experiment, series, all_hold), {.width = console.out_columns})
                << "\n";
  if (options.report) {
    write_report({directory}, report_file(directory));
    console.out << "See " << report_file(directory) << "\n";
  }
  if (interrupt.requested()) {
    console.out << "Interrupted; run the same command again to go on.\n";
    return kInterrupted;
  }
  console.out << fmt::format("Saved in {}: results.csv, summary.csv, cells/.\n", directory);
  if (watching) watching->stay(interrupt);
  return failures.empty() && all_hold ? 0 : kFailed;
}

}  // namespace

void describe_experiment(Command& command) {
  command.example(kExample);
  const auto options = std::make_shared<ExperimentOptions>();
  command.argument("FILE", options->file, "experiment file (TOML)");
  command.option("--out", options->out_directory, "directory; default runs/NAME");
  command.option("--shard", options->shard, "NUMBER/COUNT: this part of the cells only");
  command.option("--threads", options->threads, "cells that run at a time");
  command.flag("--quiet", options->quiet, "no progress");
  command.flag("--report", options->report,
               "write a page that shows the experiment: report.html in its directory");
  command.flag("--watch", options->watch,
               "show that page to a browser on this machine while the experiment goes on");
  command.does_together([options](const Console& console) { return run_experiment(*options, console); });
}

}  // namespace c2rl
