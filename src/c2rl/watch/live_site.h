#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "c2rl/watch/local_server.h"
#include "c2rl/watch/snapshot.h"

namespace c2rl {

/// The page of one run or experiment, which may be about to begin.
class RunSite final : public ServedSite {
 public:
  explicit RunSite(std::string directory);

  std::optional<std::string> page(const std::string& path) override;
  NextText events(const std::string& path) override;

 private:
  std::shared_ptr<Snapshot> snapshot_;
};

/// All runs and experiments below a directory: a list of them, and behind "at/PATH/" the page of each.
class DirectorySite final : public ServedSite {
 public:
  explicit DirectorySite(std::string directory) : directory_(std::move(directory)) {}

  std::optional<std::string> page(const std::string& path) override;
  NextText events(const std::string& path) override;

 private:
  /// Of the directory at such a path; null where there is nothing of ours.
  std::shared_ptr<Snapshot> snapshot_at(const std::string& path);

  std::string directory_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Snapshot>> snapshots_;  // by path
};

}  // namespace c2rl
