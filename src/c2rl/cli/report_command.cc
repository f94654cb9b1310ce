#include <algorithm>
#include <memory>
#include <optional>
#include <ostream>

#include <fmt/format.h>

#include "c2rl/base/file.h"
#include "c2rl/base/text.h"
#include "c2rl/cli/commands.h"
#include "c2rl/report/figures.h"
#include "c2rl/report/page.h"

namespace c2rl {
namespace {

constexpr const char* kExample = R"(Examples:
  c2rl report runs/navigation
  c2rl report runs/figure2-tabular runs/table1 --out compared.html
  c2rl report runs/figure2-tabular --figures figures

Writes one HTML page that opens from disk, needs no network and can be sent to anybody: report.html in the directory of the
run or experiment, or what --out says; with several directories, report.html where the command runs. A run that is still
going on is shown as far as it has come. --figures writes figures for a paper, too, as SVG and PDF. Nothing in the directories is changed.)";

struct ReportOptions {
  std::vector<std::string> directories;
  std::optional<std::string> out, figures;
};

int run_report(const ReportOptions& options, const Console& console) {
  const bool alone = options.directories.size() == 1;
  const std::string out =
      options.out.value_or(alone ? report_file(options.directories.front()) : "report.html");
  const Json data = report_data(options.directories);
  const std::string page = report_page(data);
  write_file(out, page);
  console.out << fmt::format("Wrote {} ({} kB).\n", out, (page.size() + 999) / 1000);
  if (!options.figures) return 0;
  const std::vector<std::string> files = write_figures(data, *options.figures);
  constexpr std::size_t kNamed = 6;
  const std::vector<std::string> named(
      files.begin(), files.begin() + static_cast<std::ptrdiff_t>(std::min(kNamed, files.size())));
  console.out << fmt::format("Figures in {}: {}{}.\n", *options.figures,
                             files.empty() ? "none, there is nothing to draw yet" : join(named, ", "),
                             files.size() > kNamed ? fmt::format(" and {} more", files.size() - kNamed) : "");
  return 0;
}

}  // namespace

void describe_report(Command& command) {
  command.example(kExample);
  const auto options = std::make_shared<ReportOptions>();
  command.arguments("RUN", options->directories, "directories of runs or experiments");
  command.option("--out", options->out, "the page's file");
  command.option("--figures", options->figures, "folder for figures, each as SVG and PDF");
  command.does([options](const Console& console) { return run_report(*options, console); });
}

}  // namespace c2rl
