#include "c2rl/environments/drn.h"
#include "c2rl/environments/environment_kinds.h"

namespace c2rl {
namespace {

struct ModelFileOptions {
  std::string path;
  DrnOptions drn;
  Episode episode;

  void visit(OptionVisitor& visitor) {
    visitor.path("path", path, "the model; relative to the problem file");
    visitor.text("terminal_label", drn.terminal_label, "states with this label end the episode; empty: none");
    visitor.flag(
        kReached, drn.reached,
        "measure also whether the episode ended in a state with the terminal_label, or without one in any "
        "terminal state, as reached");
    episode.visit(visitor);
  }
};

TabularModel make_from_file(const ModelFileOptions& options) {
  TabularModel model = read_drn(options.path, options.drn);
  options.episode.apply_to(model);
  return model;
}

}  // namespace

/// See drn.h for how a file is read.
EnvironmentKind file_kind() {
  return model_kind("file", "an explicit model in Storm's DRN format", make_from_file);
}

}  // namespace c2rl
