#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

namespace c2rl {

/// What the page of a directory shows, made anew when files in it have changed. Any number of threads may ask; it takes
/// them no more than a tenth of the time together, so that what is watched can go on.
class Snapshot {
 public:
  /// Makes the text of a directory; an exception where it cannot be read now, which is tried again.
  using Make = std::function<std::string(const std::string& directory)>;

  Snapshot(std::string directory, Make make) : directory_(std::move(directory)), make_(std::move(make)) {}

  struct Version {
    int number = 0;  // 0 where there is no text yet
    std::shared_ptr<const std::string> text;
  };
  /// The newest; `now`: whatever it costs.
  Version latest(bool now = false);

 private:
  /// All that is there, with sizes and times: another text for other contents.
  std::string state_of_files() const;

  std::string directory_;
  Make make_;
  std::mutex mutex_;
  std::string state_;  // of the files when the text was made
  Version version_;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace c2rl
