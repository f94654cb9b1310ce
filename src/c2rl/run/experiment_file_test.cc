#include "c2rl/run/experiment_file.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "c2rl/base/error.h"
#include "c2rl/base/file.h"

namespace c2rl {
namespace {

std::string fresh_folder(const char* name) {
  const std::string folder = testing::TempDir() + name;
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder;
}

TEST(ExperimentFile, ReadsBackWhatWasWritten) {
  const std::string folder = fresh_folder("experiment_file");
  ExperimentFile file;
  file.experiment.name = "one \"and\" two";
  file.experiment.seeds = 3;
  file.experiment.accuracies = {0.1, 0.01};
  file.experiment.problems = {{"p", "", {}}};
  file.experiment.methods = {{"m", {}}, {"n", {}}};
  file.experiment.axes = {{"oracle", {{"exact", {}}}}};
  file.experiment.expectations = {{.says = "s",
                                   .method = "m",
                                   .problem = "",
                                   .where = "",
                                   .quantity = "most-policies",
                                   .at_most = 3,
                                   .than = ""}};
  file.cells = {{.name = "m-p-exact-0",
                 .method = "m",
                 .problem = "p",
                 .variants = {"exact"},
                 .seed = 0,
                 .file = "",
                 .overrides = {},
                 .fingerprint = "f"}};
  write_experiment_file(file, folder);
  const ExperimentFile read = read_experiment_file(folder);
  EXPECT_EQ(read.experiment.name, file.experiment.name);
  EXPECT_EQ(read.experiment.accuracies, file.experiment.accuracies);
  ASSERT_EQ(read.experiment.methods.size(), 2u);
  EXPECT_EQ(read.experiment.methods[1].name, "n");
  ASSERT_EQ(read.experiment.axes.size(), 1u);
  EXPECT_EQ(read.experiment.axes[0].variants[0].name, "exact");
  ASSERT_EQ(read.experiment.expectations.size(), 1u);
  EXPECT_EQ(read.experiment.expectations[0].at_most, 3);
  ASSERT_EQ(read.cells.size(), 1u);
  EXPECT_EQ(read.cells[0].name, "m-p-exact-0");
  EXPECT_EQ(read.cells[0].fingerprint, "f");
}

// A cell's name is that of a file in the directory, and of nothing elsewhere.
TEST(ExperimentFile, RefusesWhatIsNone) {
  const std::string folder = fresh_folder("experiment_file_refused");
  EXPECT_THROW(read_experiment_file(folder), InputError);
  const std::string path = folder + "/" + ExperimentFile::kName;
  write_file(
      path,
      R"({"name": "x", "seeds": 1, "accuracies": [], "problems": [], "methods": [], "axes": [], "claims": [],
    "cells": [{"name": "../../etc/passwd", "method": "m", "problem": "p", "variants": [], "seed": 0, "fingerprint": ""}]})");
  try {
    read_experiment_file(folder);
    FAIL() << "expected an InputError";
  } catch (const InputError& error) {
    EXPECT_EQ(error.place().file, path);
  }
}

}  // namespace
}  // namespace c2rl
