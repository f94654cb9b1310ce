#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "c2rl/cli/command_line.h"

namespace CLI {
class App;
}

namespace c2rl {

/// One command of the program: its arguments, bound to variables that live as long as it, and what it does.
/// The parser behind it is known to command.cc alone.
class Command {
 public:
  /// What runs once the variables are set; returns the exit status.
  using Action = std::function<int(const Console& console)>;

  Command(CLI::App& parser, Action& action) : parser_(parser), action_(action) {}

  /// Below the options in --help: what to type, and what comes out.
  void example(const std::string& text);

  /// An argument without a name, which must be given.
  void argument(const std::string& name, std::string& value, const std::string& help);
  /// One or more of them.
  void arguments(const std::string& name, std::vector<std::string>& values, const std::string& help);
  /// One that need not be given.
  void optional_argument(const std::string& name, std::string& value, const std::string& help);

  /// "--out" or "-c,--constraint". The default shows in --help, except where there is none.
  void option(const std::string& name, std::string& value, const std::string& help);
  void option(const std::string& name, int& value, const std::string& help);
  void option(const std::string& name, std::int64_t& value, const std::string& help);
  void option(const std::string& name, double& value, const std::string& help);
  void option(const std::string& name, std::optional<std::string>& value, const std::string& help);
  void option(const std::string& name, std::optional<std::int64_t>& value, const std::string& help);
  /// May be given several times.
  void option(const std::string& name, std::vector<std::string>& value, const std::string& help);
  /// Must be given.
  void required_option(const std::string& name, std::string& value, const std::string& help);
  void flag(const std::string& name, bool& value, const std::string& help);

  /// By rank 0 alone, where there are several.
  void does(Action action) {
    action_ = [action = std::move(action)](const Console& console) {
      return console.ranks.is_first() ? action(console) : 0;
    };
  }
  /// By all ranks, on which it must come to the same exchanges.
  void does_together(Action action) { action_ = std::move(action); }

 private:
  CLI::App& parser_;
  Action& action_;
};

}  // namespace c2rl
