#include "c2rl/mdp/drn.h"
#include "c2rl/mdp/environments.h"

namespace c2rl {

/// A model in Storm's DRN format; see drn.h for how it is read.
///   path = "model.drn"       # relative to the problem file
///   terminal_label = "goal"  # states with this label end the episode; none by default
///   discount = 1.0, horizon = 0
TabularModel make_from_file(const Config& section) {
  TabularModel model =
      read_drn(section.file_path("path"), {.terminal_label = section.text("terminal_label", "")});
  read_episode(section, {}, model);
  return model;
}

}  // namespace c2rl
