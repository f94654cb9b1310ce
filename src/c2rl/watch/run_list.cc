#include "c2rl/watch/run_list.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <unistd.h>

#include "c2rl/base/file.h"
#include "c2rl/base/json.h"
#include "c2rl/report/experiment_data.h"
#include "c2rl/report/markup.h"
#include "c2rl/report/run_data.h"

namespace c2rl {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostRuns = 1000;
constexpr int kDeepest = 6;

/// Whether the process that a lock file names is there. One on another machine is believed.
bool is_held(const fs::path& lock) {
  std::ifstream file(lock);
  std::string text;
  if (!std::getline(file, text)) return false;
  int process = 0;
  std::array<char, 257> where = {}, here = {};
  if (std::sscanf(text.c_str(), "process %d on %256s", &process, where.data()) != 2 || process <= 0)
    return false;
  ::gethostname(here.data(), here.size() - 1);
  return std::string(where.data()) != here.data() || ::kill(process, 0) == 0 || errno == EPERM;
}

std::string state_of_run(const fs::path& directory, bool running) {
  std::error_code error;
  if (fs::exists(directory / "result.json", error)) {
    try {
      return parse_json(read_file((directory / "result.json").native())).at("status").get<std::string>();
    } catch (const std::exception&) {
      return "its result cannot be read";
    }
  }
  std::ifstream record(directory / "record.jsonl");
  const auto lines = std::count(std::istreambuf_iterator<char>(record), {}, '\n');
  return fmt::format("{}, {} {} on record", running ? "running" : "stopped", lines,
                     lines == 1 ? "line" : "lines");
}

std::string state_of_experiment(const fs::path& directory, bool running) {
  std::error_code error;
  int cells = 0;
  for (fs::directory_iterator entry(directory / "cells", error); !error && entry != fs::directory_iterator();
       entry.increment(error))
    ++cells;
  return fmt::format("{}{} {} finished", running ? "running, " : "", cells, cells == 1 ? "cell" : "cells");
}

std::int64_t changed_at(const fs::path& directory) {
  const auto seconds = [](const fs::path& path) -> std::int64_t {
    std::error_code error;
    const auto time = fs::last_write_time(path, error);
    if (error) return 0;
    return std::chrono::duration_cast<std::chrono::seconds>(
               std::chrono::file_clock::to_sys(time).time_since_epoch())
        .count();
  };
  return std::max({seconds(directory), seconds(directory / "record.jsonl"), seconds(directory / "cells")});
}

void search(const fs::path& directory, const std::string& path, int depth, std::vector<FoundRun>& found) {
  const bool run = is_run(directory.native()), experiment = !run && is_experiment(directory.native());
  if (run || experiment) {
    const bool running = is_held(directory / "lock");
    found.push_back({path.empty() ? "." : path, experiment, running,
                     run ? state_of_run(directory, running) : state_of_experiment(directory, running),
                     changed_at(directory)});
    return;
  }
  if (depth == kDeepest) return;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    std::error_code gone;
    if (found.size() == kMostRuns || entry->is_symlink(gone) || !entry->is_directory(gone)) continue;
    const std::string name = entry->path().filename().native();
    search(entry->path(), path.empty() ? name : path + "/" + name, depth + 1, found);
  }
}

/// Asks for the page again and shows what has changed, leaving the keyboard where it is.
constexpr const char* kRefresh = R"(
const again = async () => {
  try {
    const page = new DOMParser().parseFromString(await (await fetch("")).text(), "text/html");
    const shown = document.querySelector("main"), now = page.querySelector("main");
    if (shown.innerHTML !== now.innerHTML) {
      const focused = document.activeElement?.getAttribute("href");
      shown.replaceWith(now);
      if (focused) [...document.links].find((link) => link.getAttribute("href") === focused)?.focus();
    }
    setTimeout(again, 2000);
  } catch {
    document.querySelector("[role=status]").textContent = "c2rl watch has ended; the list stays as it is.";
  }
};
setTimeout(again, 2000);
)";

/// As an address has it.
std::string encoded(std::string_view path) {
  std::string address;
  for (const unsigned char c : path) {
    const bool plain = std::isalnum(c) != 0 ||
                       std::string_view("-._~/").find(static_cast<char>(c)) != std::string_view::npos;
    address += plain ? std::string(1, static_cast<char>(c)) : fmt::format("%{:02X}", c);
  }
  return address;
}

/// "." says nothing to a reader.
std::string whole_path(const std::string& directory) {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(directory, error);
  return error ? directory : whole.native();
}

std::string time_words(std::int64_t seconds) {
  const auto time = static_cast<std::time_t>(seconds);
  std::tm parts = {};
  ::localtime_r(&time, &parts);
  std::array<char, 64> text = {};
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &parts);
  return text.data();
}

}  // namespace

std::vector<FoundRun> find_runs(const std::string& directory) {
  std::vector<FoundRun> found;
  search(directory, "", 0, found);
  std::ranges::sort(found, [](const FoundRun& a, const FoundRun& b) {
    return a.changed != b.changed ? a.changed > b.changed : a.path < b.path;
  });
  return found;
}

std::string list_page(const std::string& directory, const std::vector<FoundRun>& runs,
                      const std::string& prefix) {
  std::string rows;
  for (const FoundRun& run : runs) {
    rows +=
        fmt::format("<tr><td><a href=\"{}{}/\">{}</a></td><td>{}</td><td>{}</td><td>{}</td></tr>\n", prefix,
                    encoded(run.path), escaped(run.path), run.is_experiment ? "experiment" : "run",
                    escaped(run.state), time_words(run.changed));
  }
  const std::string table = runs.empty() ? "<p>There are no runs and no experiments yet.</p>"
                                         : "<table>\n<thead><tr><th>directory</th><th></th><th>state</"
                                           "th><th>changed</th></tr></thead>\n<tbody>\n" +
                                               rows + "</tbody>\n</table>";
  return fmt::format(R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; base-uri 'none'; form-action 'none'">
<title>c2rl: {0}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 16px/1.6 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem; }}
table {{ border-collapse: collapse; display: block; overflow-x: auto; }}
th, td {{ text-align: left; padding: .3rem 1.2rem .3rem 0; border-bottom: 1px solid #8884; }}
td:first-child {{ overflow-wrap: anywhere; min-width: 7rem; }}
td:last-child {{ white-space: nowrap; font-variant-numeric: tabular-nums; }}
h1 {{ font-size: 1.3rem; overflow-wrap: anywhere; }}
@media (max-width: 40rem) {{ th, td {{ padding-right: .6rem; font-size: .9rem; }} td:last-child {{ white-space: normal; }} :is(th, td):nth-child(2) {{ display: none; }} }}
</style>
</head>
<body>
<main>
<h1>{0}</h1>
{1}
</main>
<p role="status"></p>
<script>{2}</script>
</body>
</html>
)",
                     escaped(whole_path(directory)), table, kRefresh);
}

}  // namespace c2rl
