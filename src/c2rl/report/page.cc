#include "c2rl/report/page.h"

#include <filesystem>

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/base/file.h"
#include "c2rl/report/experiment_data.h"
#include "c2rl/report/markup.h"
#include "c2rl/report/page_parts.h"
#include "c2rl/report/run_data.h"

namespace c2rl {
namespace {

/// JSON inside a script element. No string in it can end the element, or begin a comment: what could is written as
/// an escape, which reads back the same.
std::string embedded(const Json& data) {
  std::string text;
  for (const char c : to_text(data)) {
    switch (c) {
      case '<':
        text += "\\u003c";
        break;
      case '>':
        text += "\\u003e";
        break;
      case '&':
        text += "\\u0026";
        break;
      default:
        text += c;
    }
  }
  return text;
}

std::string title_of(const Json& data) {
  constexpr std::size_t kMost = 200;
  std::string title = "c2rl";
  if (!data.is_object()) return title;
  for (const Json& item : data.at("items")) {
    title += (title == "c2rl" ? ": " : ", ") + item.at("name").get<std::string>();
    if (title.size() > kMost) return title.substr(0, kMost) + "…";
  }
  return title;
}

/// For those who read it without scripts.
std::string summary_of(const Json& data) {
  std::string html;
  if (!data.is_object()) return html;
  for (const Json& item : data.at("items")) {
    html += "<p>" + escaped(item.at("name").get<std::string>());
    if (item.contains("headline")) html += ": " + escaped(item.at("headline").get<std::string>());
    html += "</p>";
  }
  return html;
}

Json item_of(const std::string& directory, RecordReader& reader) {
  if (!is_run(directory) && !is_experiment(directory)) {
    throw InputError({.file = directory},
                     "holds neither problem.toml nor experiment.json; expected the directory of a run or "
                     "of an experiment");
  }
  Json item = is_run(directory) ? run_data(directory, reader) : experiment_data(directory);
  item["directory"] = std::filesystem::path(directory + "/").lexically_normal().parent_path().filename();
  return item;
}

}  // namespace

Json report_data(const std::vector<std::string>& directories) {
  Json items = Json::array();
  for (const std::string& directory : directories) {
    RecordReader reader;
    items.push_back(item_of(directory, reader));
  }
  return {{"items", std::move(items)}};
}

Json report_data(const std::string& directory, RecordReader& reader) {
  return {{"items", Json::array({item_of(directory, reader)})}};
}

std::string report_page(const Json& data, PageKind kind) {
  // Nothing is fetched: what is not in the page is forbidden to it.
  const std::string policy = fmt::format(
      "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; "
      "base-uri 'none'; form-action 'none'{}",
      kind == PageKind::live ? "; connect-src 'self'" : "");
  return fmt::format(R"(<!doctype html>
<html lang="en"{}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="{}">
<title>{}</title>
<style>{}</style>
</head>
<body>
<div id="page"><noscript>{}<p>The rest of this page is drawn by a script.</p></noscript></div>
<script type="application/json" id="data">{}</script>
<script>{}</script>
</body>
</html>
)",
                     kind == PageKind::live ? " data-live" : "", policy, escaped(title_of(data)),
                     page_style(), summary_of(data), embedded(data), page_script());
}

std::size_t write_report(const std::vector<std::string>& directories, const std::string& file) {
  const std::string page = report_page(report_data(directories));
  write_file(file, page);
  return page.size();
}

std::string report_file(const std::string& directory) {
  return directory + "/report.html";
}

}  // namespace c2rl
