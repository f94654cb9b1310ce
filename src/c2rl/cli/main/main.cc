#include <iostream>
#include <string>
#include <vector>

#include <unistd.h>

#include "c2rl/cli/command_line.h"

int main(int argc, char** argv) {
  const c2rl::Console console{std::cout, std::cerr, isatty(STDERR_FILENO) != 0};
  return c2rl::run_command_line(std::vector<std::string>(argv + 1, argv + argc), console);
}
