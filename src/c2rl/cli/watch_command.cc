#include <filesystem>
#include <memory>
#include <ostream>

#include "c2rl/base/error.h"
#include "c2rl/cli/commands.h"
#include "c2rl/cli/watching.h"

namespace c2rl {
namespace {

constexpr const char* kExample = R"(Examples:
  c2rl watch
  c2rl watch /data/runs

Lists the runs and experiments below a directory (default: runs) for a browser on this machine, and shows the page of each,
which follows it while it goes on. Prints the address, which nobody can guess; no other machine can reach it, and nothing can
be changed through it. Ctrl-C ends it. To see it from elsewhere: ssh -L PORT:127.0.0.1:PORT MACHINE.)";

struct WatchOptions {
  std::string directory = "runs";
};

int run_watch(const WatchOptions& options, const Console& console) {
  if (!std::filesystem::is_directory(options.directory))
    throw InputError({.file = options.directory}, "is no directory; expected one with runs below it");
  const InterruptGuard interrupt;
  DirectorySite site(options.directory);
  const LocalServer server(site);
  console.out << "Watch at " << server.address() << "\nCtrl-C ends it.\n" << std::flush;
  wait_for(interrupt);
  return 0;
}

}  // namespace

void describe_watch(Command& command) {
  command.example(kExample);
  const auto options = std::make_shared<WatchOptions>();
  command.optional_argument("DIRECTORY", options->directory,
                            "with runs and experiments below it; default runs");
  command.does([options](const Console& console) { return run_watch(*options, console); });
}

}  // namespace c2rl
