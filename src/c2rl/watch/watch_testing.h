#pragma once

#include <string>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace c2rl {

/// A connection to a port of this machine, with no HTTP library in between.
class Connection {
 public:
  explicit Connection(int port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in where = {};
    where.sin_family = AF_INET;
    where.sin_port = htons(static_cast<std::uint16_t>(port));
    where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&where), sizeof where) == 0;
  }
  ~Connection() { ::close(socket_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  bool connected() const { return connected_; }

  /// A request with the headers that every browser sends, and more.
  void ask(const std::string& method, const std::string& path, const std::string& host,
           const std::string& more = "") {
    const std::string text = fmt::format("{} {} HTTP/1.1\r\nHost: {}\r\n{}\r\n", method, path, host, more);
    [[maybe_unused]] const ssize_t sent = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
  }

  /// What has come until a text is in it, or until the other side closes.
  const std::string& read_until(const std::string& wanted) {
    while (come_.find(wanted) == std::string::npos && read_more()) {
    }
    return come_;
  }
  const std::string& read_all() {
    while (read_more()) {
    }
    return come_;
  }

 private:
  bool read_more() {
    char part[65536];
    const ssize_t size = ::recv(socket_, part, sizeof part, 0);
    if (size <= 0) return false;
    come_.append(part, static_cast<std::size_t>(size));
    return true;
  }

  int socket_;
  bool connected_ = false;
  std::string come_;
};

/// "/TOKEN/" of "http://127.0.0.1:PORT/TOKEN/".
inline std::string path_of(const std::string& address) {
  return address.substr(address.find('/', std::string("http://").size()));
}

inline std::string host_of(int port) {
  return fmt::format("127.0.0.1:{}", port);
}

/// All that comes back.
inline std::string get(int port, const std::string& path, const std::string& more = "") {
  Connection connection(port);
  connection.ask("GET", path, host_of(port), more);
  return connection.read_all();
}

inline int status_of(const std::string& reply) {
  return reply.starts_with("HTTP/1.1 ") ? std::stoi(reply.substr(9, 3)) : 0;
}

}  // namespace c2rl
