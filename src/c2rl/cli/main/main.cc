#include <iostream>
#include <string>
#include <vector>

#include <sys/ioctl.h>
#include <unistd.h>

#include "c2rl/cli/command_line.h"

int main(int argc, char** argv) {
  c2rl::Console console{std::cout, std::cerr, isatty(STDERR_FILENO) != 0};
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) console.columns = size.ws_col;
  if (isatty(STDOUT_FILENO) != 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
    console.out_columns = size.ws_col;
  return c2rl::run_command_line(std::vector<std::string>(argv + 1, argv + argc), console);
}
