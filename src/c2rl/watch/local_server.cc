#include "c2rl/watch/local_server.h"

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <random>
#include <thread>

#include <fmt/format.h>
#include <httplib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "c2rl/base/error.h"

namespace c2rl {
namespace {

using namespace std::chrono_literals;

constexpr const char* kHost = "127.0.0.1";
/// Events hold a thread each, so that pages can always be had there are more.
constexpr int kMostListeners = 12;
constexpr int kThreads = kMostListeners + 4;
/// How often it is seen whether there is something newer.
constexpr auto kLook = 200ms;
/// After so long without an event something is sent all the same, which finds out who has gone.
constexpr auto kHeartbeat = 5s;
constexpr auto kRequestTimeout = 1s, kReadTimeout = 1s;
/// One who takes nothing for so long has gone.
constexpr auto kWriteTimeout = 500ms;
/// However slowly those who listen take the last text, and however busy the machine is that makes it.
constexpr auto kFarewell = 10s;
/// There is nothing to be sent to us.
constexpr std::size_t kMostPayload = 4096;
/// Of the threads, which are to take what the run leaves.
constexpr int kNiceness = 5;

/// 128 bits from the system, which nobody can guess.
std::string random_token() {
  std::random_device device;
  std::string token;
  for (int i = 0; i < 4; ++i) token += fmt::format("{:08x}", device());
  return token;
}

/// In a time that does not depend on where they differ.
bool same(const std::string& a, const std::string& b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

/// The library has the whole program ignore SIGPIPE, and what it starts. Here no thread that could be sent one takes
/// signals, so that what was before can stay.
class PipeSignalKept {
 public:
  PipeSignalKept() { sigaction(SIGPIPE, nullptr, &before_); }
  ~PipeSignalKept() { sigaction(SIGPIPE, &before_, nullptr); }
  PipeSignalKept(const PipeSignalKept&) = delete;
  PipeSignalKept& operator=(const PipeSignalKept&) = delete;

 private:
  struct sigaction before_ = {};
};

std::unique_ptr<httplib::Server> make_server() {
  const PipeSignalKept kept;
  return std::make_unique<httplib::Server>();
}

/// Signals are the program's own: no thread that is started while this lives is sent any.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

struct LocalServer::Implementation {
  explicit Implementation(ServedSite& shown) : site(shown) {
    server.new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
    server.set_read_timeout(kReadTimeout);
    server.set_write_timeout(kWriteTimeout);
    server.set_payload_max_length(kMostPayload);
    server.set_keep_alive_max_count(1);  // a connection that waits for more would hold a thread
    server.set_keep_alive_timeout(std::chrono::seconds(kRequestTimeout).count());
    server.set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      answer(request, response);
      return httplib::Server::HandlerResponse::Handled;
    });
    port = server.bind_to_any_port(kHost);
    if (port <= 0) throw InputError({.field = "--watch"}, "found no port to listen on at 127.0.0.1");
    const SignalsBlocked blocked;
    thread = std::thread([this] {
      setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()),
                  kNiceness);  // of this thread, and of those it starts
      server.listen_after_bind();
      stopped = true;
    });
  }

  ~Implementation() {
    {
      const std::lock_guard guard(mutex);
      ending = true;
    }
    changed.notify_all();
    // Whoever listens is told before the doors close.
    std::unique_lock lock(mutex);
    changed.wait_for(lock, kFarewell, [this] { return listeners == 0; });
    lock.unlock();
    while (!server.is_running() && !stopped) std::this_thread::sleep_for(1ms);
    server.stop();
    thread.join();
  }

  std::string origin() const { return fmt::format("http://{}:{}", kHost, port); }

  /// Whether a request was made by a page of ours, or by nobody's: a page elsewhere may know the port, and a name that its
  /// name server gives this address, but a browser says on whose behalf it asks.
  bool is_ours(const httplib::Request& request) const {
    const std::array hosts = {fmt::format("{}:{}", kHost, port), fmt::format("localhost:{}", port)};
    if (request.get_header_value_count("Host") != 1) return false;
    const std::string host = request.get_header_value("Host");
    if (host != hosts[0] && host != hosts[1]) return false;
    if (request.has_header("Origin") && request.get_header_value("Origin") != "http://" + host) return false;
    if (!request.has_header("Sec-Fetch-Site")) return true;
    const std::string from = request.get_header_value("Sec-Fetch-Site");
    return from == "same-origin" || from == "none";
  }

  static void refuse(httplib::Response& response, int status, const std::string& why) {
    response.status = status;
    response.set_content(why + "\n", "text/plain");
  }

  void answer(const httplib::Request& request, httplib::Response& response) {
    response.set_header("Cache-Control", "no-store");
    response.set_header("Referrer-Policy", "no-referrer");
    response.set_header("X-Content-Type-Options", "nosniff");
    response.set_header("X-Frame-Options", "DENY");
    response.set_header("Cross-Origin-Resource-Policy", "same-origin");
    response.set_header("Cross-Origin-Opener-Policy", "same-origin");
    if (!is_ours(request)) return refuse(response, 403, "asked on behalf of another place");
    const std::string& path = request.path;
    const std::size_t end = path.find('/', 1);
    // As if there were nothing, so that a guess learns nothing.
    if (end == std::string::npos || !same(path.substr(1, end - 1), token))
      return refuse(response, 404, "not here");
    if (request.method != "GET") {
      response.set_header("Allow", "GET");
      return refuse(response, 405, "nothing can be changed here");
    }
    try {
      give(path.substr(end + 1), response);
    } catch (const std::exception& error) {
      refuse(response, 500, error.what());
    }
  }

  void give(const std::string& path, httplib::Response& response) {
    constexpr std::string_view kEvents = "events";
    if (path == kEvents || path.ends_with("/" + std::string(kEvents))) {
      if (auto next = site.events(path.substr(0, path.size() - kEvents.size())))
        return send_events(std::move(next), response);
    } else if (const auto page = site.page(path)) {
      response.status = 200;
      return response.set_content(*page, "text/html; charset=utf-8");
    }
    refuse(response, 404, "not here");
  }

  void send_events(ServedSite::NextText next, httplib::Response& response) {
    {
      const std::lock_guard guard(mutex);
      if (listeners == kMostListeners) return refuse(response, 503, "too many look at it already");
      ++listeners;
    }
    auto sent = std::make_shared<std::chrono::steady_clock::time_point>();
    response.status = 200;
    response.set_chunked_content_provider(
        "text/event-stream",
        [this, next = std::move(next), sent](std::size_t /*offset*/, httplib::DataSink& sink) {
          return send_event(next, *sent, sink);
        },
        [this](bool /*whole*/) {
          {
            const std::lock_guard guard(mutex);
            --listeners;
          }
          changed.notify_all();
        });
  }

  /// One event, or none where nothing is new. Whether to go on.
  bool send_event(const ServedSite::NextText& next, std::chrono::steady_clock::time_point& sent,
                  httplib::DataSink& sink) {
    std::unique_lock lock(mutex);
    const bool last = ending;
    lock.unlock();
    std::string text;
    if (const auto newer = next(last)) text = fmt::format("data: {}\n\n", *newer);
    if (last) text += "event: end\ndata: \n\n";
    const auto now = std::chrono::steady_clock::now();
    if (text.empty() && now - sent > kHeartbeat) text = ": still here\n\n";
    if (!text.empty()) {
      sent = now;
      if (!sink.write(text.data(), text.size())) return false;
    } else if (!sink.is_writable()) {
      return false;
    }
    if (last) {
      sink.done();
      return true;
    }
    lock.lock();
    changed.wait_for(lock, kLook, [this] { return ending; });
    return true;
  }

  ServedSite& site;
  const std::string token = random_token();
  const std::unique_ptr<httplib::Server> owned = make_server();
  httplib::Server& server = *owned;
  int port = 0;
  std::thread thread;
  std::atomic<bool> stopped = false;

  std::mutex mutex;
  std::condition_variable changed;  // `ending` or `listeners`
  bool ending = false;
  int listeners = 0;
};

LocalServer::LocalServer(ServedSite& site) : implementation_(std::make_unique<Implementation>(site)) {}
LocalServer::~LocalServer() = default;

int LocalServer::port() const {
  return implementation_->port;
}

std::string LocalServer::address() const {
  return fmt::format("{}/{}/", implementation_->origin(), implementation_->token);
}

}  // namespace c2rl
