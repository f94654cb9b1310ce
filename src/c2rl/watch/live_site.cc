#include "c2rl/watch/live_site.h"

#include "c2rl/base/json.h"
#include "c2rl/report/page.h"
#include "c2rl/watch/run_list.h"

namespace c2rl {
namespace {

/// Before the path of a run, so that no name of one is that of another page.
constexpr std::string_view kRuns = "at/";

std::shared_ptr<Snapshot> make_snapshot(std::string directory) {
  return std::make_shared<Snapshot>(std::move(directory),
                                    [reader = std::make_shared<RecordReader>()](const std::string& which) {
                                      return to_text(report_data(which, *reader));
                                    });
}

/// The data come with the first event, so that a page is there at once.
std::string empty_page() {
  return report_page(Json(), PageKind::live);
}

ServedSite::NextText texts_of(std::shared_ptr<Snapshot> snapshot) {
  return [snapshot = std::move(snapshot), seen = 0](bool last) mutable -> std::shared_ptr<const std::string> {
    const Snapshot::Version version = snapshot->latest(last);
    if (version.number == seen) return nullptr;
    seen = version.number;
    return version.text;
  };
}

}  // namespace

RunSite::RunSite(std::string directory) : snapshot_(make_snapshot(std::move(directory))) {}

std::optional<std::string> RunSite::page(const std::string& path) {
  if (!path.empty()) return std::nullopt;
  return empty_page();
}

ServedSite::NextText RunSite::events(const std::string& path) {
  if (!path.empty()) return {};
  return texts_of(snapshot_);
}

std::shared_ptr<Snapshot> DirectorySite::snapshot_at(const std::string& path) {
  if (!path.starts_with(kRuns) || !path.ends_with('/')) return nullptr;
  const std::string wanted = path.substr(kRuns.size(), path.size() - kRuns.size() - 1);
  const std::lock_guard guard(mutex_);
  if (const auto known = snapshots_.find(wanted); known != snapshots_.end()) return known->second;
  // Only what the list has: no path can lead anywhere else.
  for (const FoundRun& run : find_runs(directory_)) {
    if (run.path == wanted)
      return snapshots_.emplace(wanted, make_snapshot(directory_ + "/" + run.path)).first->second;
  }
  return nullptr;
}

std::optional<std::string> DirectorySite::page(const std::string& path) {
  if (path.empty()) return list_page(directory_, find_runs(directory_), std::string(kRuns));
  if (!snapshot_at(path)) return std::nullopt;
  return empty_page();
}

ServedSite::NextText DirectorySite::events(const std::string& path) {
  auto snapshot = snapshot_at(path);
  if (!snapshot) return {};
  return texts_of(std::move(snapshot));
}

}  // namespace c2rl
