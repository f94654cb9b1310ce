#include "c2rl/base/subprocess.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace c2rl {
namespace {

constexpr int kPoll = 20;              // milliseconds
constexpr int kLeave = 200;            // that a program has to leave by itself
constexpr int kTerminate = 250;        // and after SIGTERM
constexpr std::size_t kErrors = 2000;  // bytes of its standard error that are quoted

std::string error_text(int number) {
  return std::strerror(number);
}

struct Pipe {
  int ends[2] = {-1, -1};  // to read from, to write to

  Pipe() {
    if (pipe2(ends, O_CLOEXEC) != 0)
      throw SubprocessFailed(fmt::format("cannot be started: no pipe: {}", error_text(errno)));
  }
  ~Pipe() {
    for (const int end : ends) {
      if (end >= 0) close(end);
    }
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  int take(int end) { return std::exchange(ends[end], -1); }
};

/// Where a program stops listening, writing to it raises SIGPIPE, which would end us. Blocked, it stays pending
/// and is taken back.
class WithoutPipeSignal {
 public:
  WithoutPipeSignal() {
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~WithoutPipeSignal() {
    const timespec at_once{};
    if (!was_pending_) sigtimedwait(&pipe_, nullptr, &at_once);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  WithoutPipeSignal(const WithoutPipeSignal&) = delete;
  WithoutPipeSignal& operator=(const WithoutPipeSignal&) = delete;

 private:
  sigset_t pipe_, before_;
  bool was_pending_;
};

/// In the child, where other threads may hold any lock: nothing but system calls. Tells `report` why where it
/// fails.
[[noreturn]] void become(char* const* command, const SubprocessOptions& options, const int* standard,
                         int report, pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // where we are killed, it goes, too
  if (getppid() != parent) _exit(127);
  for (int fd = 0; fd < 3; ++fd) dup2(standard[fd], fd);
  close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
  for (const int signal : {SIGPIPE, SIGINT, SIGTERM}) std::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  bool ready = options.directory.empty() || chdir(options.directory.c_str()) == 0;
  if (ready && options.memory_limit > 0) {
    const auto bytes = static_cast<rlim_t>(options.memory_limit);
    const rlimit limit{bytes, bytes};
    ready = setrlimit(RLIMIT_AS, &limit) == 0;
  }
  if (ready) execvp(command[0], command);
  const int error = errno;
  [[maybe_unused]] const auto written = write(report, &error, sizeof error);
  _exit(127);
}

std::string exit_words(const siginfo_t& end) {
  if (end.si_code == CLD_EXITED) return fmt::format("ended with exit status {}", end.si_status);
  const char* name = sigabbrev_np(end.si_status);
  return fmt::format("was ended by signal {} (SIG{})", end.si_status, name ? name : "?");
}

/// Without half a character at its front, and without blank lines at its end.
std::string last_of(const std::string& text) {
  std::size_t begin = text.size() > kErrors ? text.size() - kErrors : 0;
  while (begin < text.size() && (static_cast<unsigned char>(text[begin]) & 0xC0U) == 0x80U) ++begin;
  const std::size_t end = text.find_last_not_of(" \n\r\t");
  return end == std::string::npos || end < begin ? "" : text.substr(begin, end + 1 - begin);
}

}  // namespace

Subprocess::Subprocess(const SubprocessOptions& options) : options_(options) {
  if (options_.command.empty()) throw SubprocessFailed("cannot be started: there is no command");
  start(options_);
}

void Subprocess::start(const SubprocessOptions& options) {
  Pipe input, output, errors, report;
  std::vector<char*> command;
  command.reserve(options.command.size() + 1);
  for (const std::string& word : options.command) command.push_back(const_cast<char*>(word.c_str()));
  command.push_back(nullptr);
  // Beyond the standard ones, so that none of them is overwritten before it is used.
  std::array<int, 3> standard = {fcntl(input.ends[0], F_DUPFD_CLOEXEC, 3),
                                 fcntl(output.ends[1], F_DUPFD_CLOEXEC, 3),
                                 fcntl(errors.ends[1], F_DUPFD_CLOEXEC, 3)};
  const pid_t parent = getpid();
  id_ = fork();
  if (id_ == 0) become(command.data(), options, standard.data(), report.ends[1], parent);
  const int fork_error = errno;
  for (const int fd : standard) close(fd);
  if (id_ < 0) throw SubprocessFailed(fmt::format("cannot be started: {}", error_text(fork_error)));
  setpgid(id_, id_);  // here, too, so that the group is there whoever comes first
  close(report.take(1));
  int error = 0;
  ssize_t got = 0;
  do got = read(report.ends[0], &error, sizeof error);
  while (got < 0 && errno == EINTR);
  if (got > 0) {
    while (waitpid(id_, nullptr, 0) < 0 && errno == EINTR) {
    }
    throw SubprocessFailed(fmt::format("'{}' cannot be started{}: {}", options.command[0],
                                       options.directory.empty() ? "" : " in " + options.directory,
                                       error_text(error)));
  }
  input_ = input.take(1);
  output_ = output.take(0);
  errors_ = errors.take(0);
  for (const int fd : {input_, output_, errors_}) fcntl(fd, F_SETFL, O_NONBLOCK);
}

Subprocess::~Subprocess() {
  // Who waits for one of them, to read or to write, hears of it.
  close(input_);
  close(output_);
  // Its group goes before it is waited for: until then nobody else can have its number.
  if (!has_exited(kLeave)) kill(-id_, SIGTERM);
  has_exited(kTerminate);
  kill(-id_, SIGKILL);
  while (waitpid(id_, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (errors_ >= 0) read_errors();
  if (errors_ >= 0) close(errors_);
  if (log_ >= 0) close(log_);
}

bool Subprocess::has_exited(int milliseconds) const {
  using Clock = std::chrono::steady_clock;
  const auto until = Clock::now() + std::chrono::milliseconds(milliseconds);
  while (true) {
    siginfo_t end{};
    if (waitid(P_PID, static_cast<id_t>(id_), &end, WEXITED | WNOHANG | WNOWAIT) == 0 && end.si_pid != 0)
      return true;
    if (Clock::now() >= until) return false;
    poll(nullptr, 0, kPoll / 4);
  }
}

void Subprocess::send(std::string_view line, const Waiting& waiting) {
  const WithoutPipeSignal guard;
  const std::string text = std::string(line) + "\n";
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t wrote = write(input_, text.data() + sent, text.size() - sent);
    if (wrote >= 0) {
      sent += static_cast<std::size_t>(wrote);
    } else if (errno == EPIPE) {
      fail_ended("no longer reads its standard input");
    } else if (errno == EAGAIN) {
      wait(true, waiting);
    } else if (errno != EINTR) {
      fail(fmt::format("cannot be written to: {}", error_text(errno)));
    }
  }
}

std::string Subprocess::receive(const Waiting& waiting) {
  while (true) {
    const std::size_t end = received_.find('\n', seen_);
    if (end != std::string::npos) {
      std::string line = received_.substr(0, end);
      received_.erase(0, end + 1);
      seen_ = 0;
      return line;
    }
    seen_ = received_.size();
    if (seen_ > options_.longest_line)
      fail(fmt::format("wrote a line of more than {} bytes", options_.longest_line));
    wait(false, waiting);
  }
}

void Subprocess::wait(bool writing, const Waiting& waiting) {
  // What it says while it does not listen must not keep it from listening, up to what a line may have.
  const bool reading = !writing || received_.size() <= options_.longest_line;
  std::array<pollfd, 3> polled = {pollfd{reading ? output_ : -1, POLLIN, 0}, pollfd{errors_, POLLIN, 0},
                                  pollfd{writing ? input_ : -1, POLLOUT, 0}};
  const int ready = poll(polled.data(), polled.size(), kPoll);
  if (polled[1].revents != 0) read_errors();
  if (polled[0].revents != 0) read_output();
  // What it started may keep its output open.
  if (ready == 0 && has_exited(0)) fail_ended("has ended");
  if (waiting) waiting();
}

void Subprocess::read_output() {
  std::array<char, 1 << 16> buffer;
  const ssize_t got = read(output_, buffer.data(), buffer.size());
  if (got > 0) received_.append(buffer.data(), static_cast<std::size_t>(got));
  if (got == 0) fail_ended("closed its standard output");
}

void Subprocess::read_errors() {
  std::array<char, 1 << 16> buffer;
  // Who writes without end must not keep us here.
  for (int reads = 0; reads < 4; ++reads) {
    const ssize_t got = read(errors_, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got == 0) {
      close(errors_);
      errors_ = -1;
    }
    if (got <= 0) return;
    const auto size = static_cast<std::size_t>(got);
    last_errors_.append(buffer.data(), size);
    if (last_errors_.size() > 2 * kErrors) last_errors_.erase(0, last_errors_.size() - kErrors);
    log(std::string_view(buffer.data(), size));
  }
}

/// A log that cannot be written costs nobody the run.
void Subprocess::log(std::string_view text) {
  text = text.substr(0, options_.longest_log - logged_);
  if (options_.log.empty() || text.empty()) return;
  if (log_ < 0) log_ = open(options_.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (write(log_, text.data(), text.size()) > 0) logged_ += text.size();
}

void Subprocess::fail_ended(const std::string& reason) {
  siginfo_t end{};
  const bool ended =
      has_exited(kLeave) && waitid(P_PID, static_cast<id_t>(id_), &end, WEXITED | WNOHANG | WNOWAIT) == 0;
  fail(ended ? exit_words(end) : reason);
}

void Subprocess::fail(const std::string& reason) {
  if (errors_ >= 0) read_errors();
  const std::string errors = last_of(last_errors_);
  throw SubprocessFailed(
      fmt::format("'{}' {}{}", options_.command[0], reason,
                  errors.empty() ? "" : "; the last it wrote to its standard error:\n" + errors));
}

}  // namespace c2rl
