#include "c2rl/watch/local_server.h"

#include <atomic>
#include <csignal>
#include <fstream>
#include <list>
#include <sstream>
#include <thread>

#include <gtest/gtest.h>

#include "c2rl/watch/watch_testing.h"

namespace c2rl {
namespace {

/// A page, and events that count what was published.
class CountingSite final : public ServedSite {
 public:
  std::optional<std::string> page(const std::string& path) override {
    if (!path.empty()) return std::nullopt;
    return "<p>the page</p>";
  }
  NextText events(const std::string& path) override {
    if (!path.empty()) return {};
    return [this, seen = 0](bool /*last*/) mutable -> std::shared_ptr<const std::string> {
      const int now = published;
      if (now == seen) return nullptr;
      seen = now;
      return std::make_shared<const std::string>(fmt::format("text {}{}", now, std::string(size, '.')));
    };
  }

  std::atomic<int> published = 1;
  std::atomic<std::size_t> size = 0;
};

class LocalServerTest : public testing::Test {
 protected:
  std::string path() const { return path_of(server->address()); }
  int port() const { return server->port(); }

  CountingSite site;
  std::unique_ptr<LocalServer> server = std::make_unique<LocalServer>(site);
};

TEST_F(LocalServerTest, GivesItsPageToWhoKnowsTheAddress) {
  EXPECT_EQ(server->address(), fmt::format("http://127.0.0.1:{}{}", port(), path()));
  const std::string reply = get(port(), path());
  EXPECT_EQ(status_of(reply), 200);
  EXPECT_NE(reply.find("<p>the page</p>"), std::string::npos);
  for (const char* header :
       {"Cache-Control: no-store", "Referrer-Policy: no-referrer", "X-Frame-Options: DENY",
        "X-Content-Type-Options: nosniff", "Cross-Origin-Resource-Policy: same-origin"})
    EXPECT_NE(reply.find(header), std::string::npos) << header;
}

TEST_F(LocalServerTest, ATokenHas128BitsAndIsAnotherEveryTime) {
  LocalServer other(site);
  EXPECT_EQ(path().size(), 2 + 32u);
  EXPECT_NE(path_of(other.address()), path());
}

TEST_F(LocalServerTest, WithoutTheTokenThereIsNothing) {
  std::string wrong = path();
  wrong[5] = wrong[5] == '0' ? '1' : '0';
  for (const std::string& asked :
       {wrong, std::string("/"), std::string("//"), path().substr(0, 20) + "/", path() + "more",
        path() + "../", wrong + "events", path().substr(0, path().size() - 1)}) {
    const std::string reply = get(port(), asked);
    EXPECT_EQ(status_of(reply), 404) << asked;
    EXPECT_EQ(reply.find("the page"), std::string::npos) << asked;
  }
}

// A name server of somebody else may give its own name this machine's address.
TEST_F(LocalServerTest, UnderAnotherNameIsRefused) {
  for (const std::string& host : {std::string("evil.example"), fmt::format("evil.example:{}", port()),
                                  std::string("127.0.0.1"), fmt::format("127.0.0.1:{}", port() + 1),
                                  fmt::format("127.0.0.1.evil.example:{}", port()), std::string()}) {
    Connection connection(port());
    connection.ask("GET", path(), host);
    EXPECT_EQ(status_of(connection.read_all()), 403) << host;
  }
  Connection local(port());
  local.ask("GET", path(), fmt::format("localhost:{}", port()));
  EXPECT_EQ(status_of(local.read_all()), 200);
}

TEST_F(LocalServerTest, PagesOfOtherOriginsAreRefused) {
  const std::string own = fmt::format("http://127.0.0.1:{}", port());
  EXPECT_EQ(status_of(get(port(), path(), "Origin: " + own + "\r\n")), 200);
  EXPECT_EQ(status_of(get(port(), path(), "Origin: http://evil.example\r\n")), 403);
  EXPECT_EQ(status_of(get(port(), path(), "Origin: null\r\n")), 403);
  EXPECT_EQ(status_of(get(port(), path(), "Sec-Fetch-Site: none\r\n")), 200);
  EXPECT_EQ(status_of(get(port(), path(), "Sec-Fetch-Site: same-origin\r\n")), 200);
  EXPECT_EQ(status_of(get(port(), path(), "Sec-Fetch-Site: cross-site\r\n")), 403);
  EXPECT_EQ(status_of(get(port(), path(), "Sec-Fetch-Site: same-site\r\n")), 403);
}

TEST_F(LocalServerTest, NothingCanBeSentToIt) {
  for (const char* method : {"POST", "PUT", "DELETE", "PATCH", "OPTIONS"}) {
    Connection connection(port());
    connection.ask(method, path(), host_of(port()), "Content-Length: 0\r\n");
    EXPECT_EQ(status_of(connection.read_all()), 405) << method;
  }
}

// The kernel's list of sockets that listen: "local address : port", in the order of bytes of the machine.
TEST_F(LocalServerTest, ListensOnTheLoopbackInterfaceOnly) {
  std::ifstream sockets("/proc/net/tcp");
  const std::string our_port = fmt::format(":{:04X}", port());
  int listening = 0;
  for (std::string line; std::getline(sockets, line);) {
    std::istringstream words(line);
    std::string number, local, remote, state;
    words >> number >> local >> remote >> state;
    if (state != "0A" || !local.ends_with(our_port)) continue;
    ++listening;
    EXPECT_EQ(local, "0100007F" + our_port);
  }
  EXPECT_EQ(listening, 1);
}

TEST_F(LocalServerTest, SendsWhatIsNewAndSaysWhenItEnds) {
  Connection connection(port());
  connection.ask("GET", path() + "events", host_of(port()));
  const std::string& come = connection.read_until("data: text 1\n\n");
  EXPECT_EQ(status_of(come), 200);
  EXPECT_NE(come.find("Content-Type: text/event-stream"), std::string::npos);
  site.published = 2;
  EXPECT_NE(connection.read_until("data: text 2\n\n").find("data: text 2\n\n"), std::string::npos);
  site.published = 3;
  std::thread ends([&] { server.reset(); });
  const std::string all = connection.read_all();
  ends.join();
  const std::size_t last = all.find("data: text 3\n\n");
  ASSERT_NE(last, std::string::npos);
  EXPECT_NE(all.find("event: end\n", last), std::string::npos);
}

// What they do not take is thrown away; others are served, and the end does not wait for them.
TEST_F(LocalServerTest, ThoseWhoNeverReadHoldNobodyUp) {
  site.size = 8 << 20;
  std::list<Connection> silent;
  for (int i = 0; i < 5; ++i) silent.emplace_back(port()).ask("GET", path() + "events", host_of(port()));
  std::list<Connection> mute;  // not even a request
  for (int i = 0; i < 3; ++i) mute.emplace_back(port());
  for (int i = 0; i < 3; ++i) {
    site.published = 2 + i;
    EXPECT_EQ(status_of(get(port(), path())), 200);
  }
  server.reset();
}

TEST_F(LocalServerTest, ListenersMayLeaveAndOthersTakeTheirPlaces) {
  std::list<Connection> listeners;
  for (int i = 0; i < 12; ++i) {
    listeners.emplace_back(port()).ask("GET", path() + "events", host_of(port()));
    listeners.back().read_until("data: text");
  }
  EXPECT_EQ(status_of(get(port(), path() + "events")), 503);
  EXPECT_EQ(status_of(get(port(), path())), 200);
  listeners.clear();
  int status = 503;
  while (status == 503) {
    Connection again(port());
    again.ask("GET", path() + "events", host_of(port()));
    status = status_of(again.read_until("\r\n\r\n"));
    std::this_thread::yield();
  }
  EXPECT_EQ(status, 200);
}

// Whoever pipes the output of the program, or a program that it starts, relies on it.
TEST_F(LocalServerTest, LeavesSignalsAsTheyWere) {
  struct sigaction pipe = {};
  sigaction(SIGPIPE, nullptr, &pipe);
  EXPECT_EQ(pipe.sa_handler, SIG_DFL);
}

TEST_F(LocalServerTest, EndsAtOnceWhenNobodyListens) {
  const int at = port();
  server.reset();
  EXPECT_FALSE(Connection(at).connected());
}

}  // namespace
}  // namespace c2rl
