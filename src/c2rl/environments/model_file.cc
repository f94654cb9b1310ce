#include "c2rl/environments/model_file.h"

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/base/file.h"
#include "c2rl/base/mapped_file.h"
#include "c2rl/environments/drn.h"
#include "c2rl/environments/environment_kinds.h"
#include "c2rl/environments/umb.h"

namespace c2rl {

TabularModel read_model_file(const std::string& path, const ModelEnds& ends, StateLabels* labels) {
  const MappedFile file(path);
  return looks_like_umb(file.bytes()) ? parse_umb(file.bytes(), path, ends, labels)
                                      : parse_drn(file.bytes(), path, ends, labels);
}

void check_model_file_name(const std::string& path) {
  if (path.ends_with(".drn") || path.ends_with(".umb")) return;
  throw InputError({.file = path}, "found another name, expected one that ends in .drn or .umb");
}

void write_model_file(const TabularModel& model, const std::string& path, const StateLabels& labels) {
  check_model_file_name(path);
  write_file(path, path.ends_with(".drn") ? to_drn(model, labels) : to_umb(model, labels));
}

namespace {

struct ModelFileOptions {
  std::string path;
  ModelEnds ends;
  Episode episode;
  Partition partition = {};

  void visit(OptionVisitor& visitor) {
    visitor.path("path", path, "the model; relative to the problem file");
    visitor.text("terminal_label", ends.terminal_label,
                 "states with this label end the episode; empty: none");
    visitor.flag(
        kReached, ends.reached,
        "measure also whether the episode ended in a state with the terminal_label, or without one in any "
        "terminal state, as reached");
    episode.visit(visitor);
    partition.visit(visitor);
  }

  World world_in_parts() const;
};

TabularModel make_from_file(const ModelFileOptions& options) {
  TabularModel model = read_model_file(options.path, options.ends);
  options.episode.apply_to(model);
  return model;
}

World ModelFileOptions::world_in_parts() const {
  if (ends.reached)
    throw InputError({.field = kReached},
                     "is true, expected false: who has a part does not know which other states are ends");
  const MappedFile file(path);
  const ModelFileShape shape =
      looks_like_umb(file.bytes()) ? umb_shape(file.bytes(), path) : drn_shape(file.bytes(), path);
  check_measurements(shape.measurements, ends, {.file = path});
  return make_world(shape.measurements, shape.states, episode.discount, episode.horizon,
                    [path = path, ends = ends](int index, int of) {
                      const MappedFile mapped(path);
                      return looks_like_umb(mapped.bytes())
                                 ? parse_umb_part(mapped.bytes(), path, ends, index, of)
                                 : parse_drn_part(mapped.bytes(), path, ends, index, of);
                    });
}

}  // namespace

/// See drn.h and umb.h for how a file is read.
EnvironmentKind file_kind() {
  return model_kind("file", "an explicit model in Storm's DRN format, or in UMB", make_from_file);
}

}  // namespace c2rl
