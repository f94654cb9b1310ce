#include "c2rl/cli/command_line.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <filesystem>
#include <new>
#include <ostream>
#include <stdexcept>

#include <CLI/CLI.hpp>

#include "c2rl/base/error.h"
#include "c2rl/base/text.h"
#include "c2rl/base/version.h"
#include "c2rl/cli/commands.h"
#include "c2rl/cli/printable_stream.h"
#include "c2rl/oracle/oracle.h"

// The one file that reads the parser's header, which takes the compiler longer than any of ours.

namespace c2rl {
namespace {

struct Entry {
  const char* name;
  const char* summary;
  void (*describe)(Command& command);
};
constexpr Entry kCommands[] = {
    {"solve", "from a problem file to a mixed policy", describe_solve},
    {"mix", "which mixture of measured policies meets the constraints?", describe_mix},
    {"experiment", "methods x problems x variants x seeds, compared", describe_experiment},
    {"collect", "a dataset of all that a learning agent does", describe_collect},
    {"show", "the result of a run again", describe_show},
    {"report", "a page that shows runs and experiments", describe_report},
    {"watch", "the pages of runs and experiments, while they go on", describe_watch},
    {"verify", "is what a run says so? Checked anew", describe_verify},
    {"evaluate", "the mixed policy of a run on fresh episodes", describe_evaluate},
    {"flatten", "one randomised policy instead of a run's mixture", describe_flatten},
    {"check", "is a problem file right, and what would run?", describe_check},
    {"convert", "a model in another form: DRN or UMB", describe_convert},
    {"list", "what can be named in a problem file", describe_list},
};

/// An option that takes a text is given for what the text says.
std::string expect_text(const std::string& text) {
  return text.empty() ? "found nothing, expected a text" : "";
}

template <typename Value>
void add_option(CLI::App& parser, const std::string& name, Value& value, const std::string& help) {
  parser.add_option(name, value, help)->capture_default_str();
}

/// What is wrong when the first argument is meant to be a command and is none.
std::optional<std::string> slip_of_a_command(const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments.front().starts_with('-')) return std::nullopt;
  std::vector<std::string> names;
  for (const Entry& entry : kCommands) names.emplace_back(entry.name);
  if (std::ranges::find(names, arguments.front()) != names.end()) return std::nullopt;
  return unknown_name_message("command", arguments.front(), names);
}

}  // namespace

void Command::example(const std::string& text) {
  parser_.footer(text);
}
void Command::argument(const std::string& name, std::string& value, const std::string& help) {
  parser_.add_option(name, value, help)->required();
}
void Command::arguments(const std::string& name, std::vector<std::string>& values, const std::string& help) {
  parser_.add_option(name, values, help)->required()->check(expect_text);
}
void Command::optional_argument(const std::string& name, std::string& value, const std::string& help) {
  parser_.add_option(name, value, help);
}
void Command::option(const std::string& name, std::string& value, const std::string& help) {
  parser_.add_option(name, value, help)->capture_default_str()->check(expect_text);
}
void Command::option(const std::string& name, int& value, const std::string& help) {
  add_option(parser_, name, value, help);
}
void Command::option(const std::string& name, std::int64_t& value, const std::string& help) {
  add_option(parser_, name, value, help);
}
void Command::option(const std::string& name, double& value, const std::string& help) {
  add_option(parser_, name, value, help);
}
void Command::option(const std::string& name, std::optional<std::string>& value, const std::string& help) {
  parser_.add_option(name, value, help)->check(expect_text);
}
void Command::option(const std::string& name, std::optional<std::int64_t>& value, const std::string& help) {
  parser_.add_option(name, value, help);
}
void Command::option(const std::string& name, std::vector<std::string>& value, const std::string& help) {
  parser_.add_option(name, value, help)->allow_extra_args(false);
}
void Command::required_option(const std::string& name, std::string& value, const std::string& help) {
  parser_.add_option(name, value, help)->required()->check(expect_text);
}
void Command::flag(const std::string& name, bool& value, const std::string& help) {
  parser_.add_flag(name, value, help);
}

namespace {

constexpr int kInternalError = 1, kBadInput = 2, kNotKnown = 4;

int run_command(const std::vector<std::string>& arguments, const Console& console) {
  CLI::App app("c2rl: convex-constrained reinforcement learning", "c2rl");
  app.footer(
      "Exit status: 0 feasible or optimal, 3 proven infeasible, 4 neither is known or out of memory,\n"
      "             2 bad input or no room for the output, 1 internal error.\n\n"
      "c2rl COMMAND --help shows the options of a command, with an example.");
  app.set_version_flag("--version", std::string("c2rl ") + version());
  app.require_subcommand(1);
  int status = 0;
  std::deque<Command::Action> actions;
  for (const Entry& entry : kCommands) {
    CLI::App* parser = app.add_subcommand(entry.name, entry.summary);
    Command::Action& action = actions.emplace_back();
    Command command(*parser, action);
    entry.describe(command);
    parser->callback([&] { status = action(console); });
  }

  try {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());  // as CLI11 takes them
    app.parse(reversed);
    return status;
  } catch (const CLI::Success& finished) {  // --help and --version
    app.exit(finished, console.out, console.err);
    return 0;
  } catch (const CLI::ParseError& error) {
    console.err << "c2rl: " << slip_of_a_command(arguments).value_or(error.what())
                << "\nRun 'c2rl --help' to see the commands.\n";
    return kBadInput;
  }
}

}  // namespace

int run_command_line(const std::vector<std::string>& arguments, const Console& console) {
  PrintableStream out(console.out), err(console.err);
  const Console shown{out,          err,          console.live, console.columns, console.out_columns,
                      &console.err, console.ranks};
  const auto failed = [&](int status, const std::string& what) {
    err << "c2rl: " << what << "\n";
    return status;
  };
  int status = 0;
  try {
    status = run_command(arguments, shown);
  } catch (const InputError& error) {
    status = failed(kBadInput, error.what());
  } catch (const std::filesystem::filesystem_error& error) {
    status = failed(kBadInput, error.what());
  } catch (const std::bad_alloc&) {
    status = failed(kNotKnown,
                    "memory ran out: the problem is too large for this machine, or for its limit on memory");
  } catch (const OracleFailed& error) {
    status = failed(kNotKnown, std::string("the oracle failed: ") + error.what());
  } catch (const std::runtime_error& error) {  // ours are InputErrors, and defects logic_errors
    status = failed(kNotKnown, std::string("the system has no more to give: ") + error.what());
  } catch (const std::exception& error) {
    status = failed(kInternalError, std::string("internal error: ") + error.what());
  }
  if (!out.flush()) {
    const std::string cause = out.cause() != 0 ? std::string(": ") + std::strerror(out.cause()) : "";
    status = failed(kBadInput, "the output could not be written" + cause);
  }
  return status;
}

}  // namespace c2rl
