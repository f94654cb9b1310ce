#include <iostream>
#include <string>
#include <vector>

#include "c2rl/cli/command_line.h"

int main(int argc, char** argv) {
  return c2rl::run_command_line(std::vector<std::string>(argv + 1, argv + argc), std::cout, std::cerr);
}
