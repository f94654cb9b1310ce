#include <csignal>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "c2rl/cli/command_line.h"
#include "mpi_ranks.h"

namespace {

/// Where an output is closed, the next file to be opened would take its place, and what is printed would go there. A
/// descriptor that can be read only makes printing fail instead.
void keep_outputs_apart() {
  int descriptor = 0;
  while (descriptor >= 0 && descriptor <= STDERR_FILENO) descriptor = open("/dev/null", O_RDONLY);
  if (descriptor >= 0) close(descriptor);
}

}  // namespace

int main(int argc, char** argv) {
  keep_outputs_apart();
  // A reader that has seen enough makes printing fail, which is said like any other failure. To ignore the signal would
  // be passed on to programs that this one starts; a handler is not.
  std::signal(SIGPIPE, [](int) {});
  std::unique_ptr<c2rl::Ranks> ranks;
  try {
    ranks = c2rl::ranks_of_job();
  } catch (const c2rl::InputError& error) {
    std::cerr << "c2rl: " << error.what() << "\n";
    return 2;
  }
  const bool is_seen = !ranks || ranks->is_first();
  std::ofstream nowhere("/dev/null");
  std::ostringstream unseen;
  c2rl::Console console{.out = is_seen ? std::cout : nowhere,
                        .err = is_seen ? std::cerr : unseen,
                        .live = is_seen && isatty(STDERR_FILENO) != 0,
                        .ranks = ranks ? *ranks : c2rl::lone_rank()};
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) console.columns = size.ws_col;
  if (isatty(STDOUT_FILENO) != 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
    console.out_columns = size.ws_col;
  const int status = c2rl::run_command_line(std::vector<std::string>(argv + 1, argv + argc), console);
  if (is_seen) return status;
  // What is wrong with the input, all ranks have found and the first has said. Anything else is this one's own.
  constexpr int kBadInput = 2;
  // One that cannot go on would be waited for for ever.
  if (status != 0 && status != kBadInput) ranks->end_all(unseen.str());
  return 0;
}
