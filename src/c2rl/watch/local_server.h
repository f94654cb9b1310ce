#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace c2rl {

/// What a local server shows. It is asked from several threads at once.
class ServedSite {
 public:
  virtual ~ServedSite() = default;

  /// The HTML at a path below the server's address: "" is the first page, "a/b/" one with a name. None where there is no
  /// such page.
  virtual std::optional<std::string> page(const std::string& path) = 0;

  /// What those who look at that page are sent: called again and again, it gives a text without line breaks whenever
  /// there is a newer one than the last that this function gave; when it is asked for the last time, however soon after
  /// the one before. An empty function where the page has no events.
  using NextText = std::function<std::shared_ptr<const std::string>(bool last)>;
  virtual NextText events(const std::string& path) = 0;
};

/// Shows a site to the browsers of this machine, and to those only who were told its address: it listens on the loopback
/// interface, the address has a random token in it, and a page of another origin, or one that a name server has led here,
/// is refused. Nothing can be changed through it. It runs on threads of its own, with less claim to the processor than
/// those of the program, and neither waits for the other.
class LocalServer {
 public:
  /// Starts at once, on a port that is free. `site` must outlive it. An InputError where no port can be had.
  explicit LocalServer(ServedSite& site);
  /// Those who listen are sent the last text and told that it was the last; one who does not read has half a second.
  ~LocalServer();
  LocalServer(const LocalServer&) = delete;
  LocalServer& operator=(const LocalServer&) = delete;

  int port() const;
  /// http://127.0.0.1:PORT/TOKEN/
  std::string address() const;

 private:
  struct Implementation;  // the HTTP library is known to local_server.cc alone
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace c2rl
