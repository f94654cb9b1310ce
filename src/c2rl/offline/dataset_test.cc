#include "c2rl/offline/dataset.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <limits>
#include <span>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "c2rl/base/error.h"
#include "c2rl/base/file.h"
#include "c2rl/base/safetensors.h"
#include "c2rl/mdp/models_testing.h"
#include "c2rl/mdp/policies_testing.h"
#include "c2rl/offline/dataset_testing.h"

namespace c2rl {
namespace {

/// A file that is gone when the test is.
class TemporaryFile {
 public:
  TemporaryFile()
      : path_(testing::TempDir() + "c2rl_" + testing::UnitTest::GetInstance()->current_test_info()->name() +
              ".safetensors") {}
  ~TemporaryFile() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

Dataset indexed_dataset() {
  const TabularModel model = garnet_model({.horizon = 6}, Rng(1));
  return sampled_dataset(model, *random_policy(model, Rng(2)), 20, Rng(3));
}

/// Two episodes, the second one not finished.
Dataset feature_dataset() {
  Dataset dataset;
  dataset.measurements = {"cost", "time with \"quotes\" \u00e9"};
  dataset.discount = 0.1 + 0.2;  // no short decimal
  dataset.features = 3;
  dataset.actions = 2;
  dataset.observation = Eigen::MatrixXf::Random(3, 3);
  dataset.next_observation = Eigen::MatrixXf::Random(3, 3);
  dataset.next_observation.col(1) = dataset.observation.col(2);
  dataset.action = {0, 1, 0};
  dataset.probability = {0.5, 1, 0.25};
  dataset.measurement = Matrix::Random(2, 3);
  dataset.terminated = {1, 0, 0};
  dataset.truncated = {0, 0, 0};
  dataset.episode_begin = {0, 1, 3};
  return dataset;
}

void expect_equal(const Dataset& a, const Dataset& b) {
  EXPECT_EQ(a.measurements, b.measurements);
  EXPECT_EQ(a.discount, b.discount);
  EXPECT_EQ(a.horizon, b.horizon);
  EXPECT_EQ(a.states, b.states);
  EXPECT_EQ(a.features, b.features);
  EXPECT_EQ(a.actions, b.actions);
  EXPECT_EQ(a.state, b.state);
  EXPECT_EQ(a.next_state, b.next_state);
  EXPECT_EQ(a.observation, b.observation);
  EXPECT_EQ(a.next_observation, b.next_observation);
  EXPECT_EQ(a.action, b.action);
  EXPECT_EQ(a.probability, b.probability);
  EXPECT_EQ(a.measurement, b.measurement);
  EXPECT_EQ(a.terminated, b.terminated);
  EXPECT_EQ(a.truncated, b.truncated);
  EXPECT_EQ(a.episode_begin, b.episode_begin);
}

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Dataset, WhatIsWrittenReadsBack) {
  const TemporaryFile file;
  for (const Dataset& dataset : {indexed_dataset(), feature_dataset()}) {
    write_dataset(file.path(), dataset);
    expect_equal(read_dataset(file.path()), dataset);
  }
}

TEST(Dataset, AnEpisodeIsCompleteWhenNothingOfItIsMissing) {
  Dataset dataset = feature_dataset();
  EXPECT_TRUE(dataset.is_complete(0));   // terminated
  EXPECT_FALSE(dataset.is_complete(1));  // the collection ended
  dataset.horizon = 2;
  EXPECT_TRUE(dataset.is_complete(1));  // reached the horizon
  dataset.horizon = 0;
  dataset.discount = 1e-6;
  EXPECT_TRUE(dataset.is_complete(1));  // what is missing counts 1e-12
  dataset.episode_begin = {0, 1, 3, 3};
  EXPECT_TRUE(dataset.is_complete(2));  // over where it began
}

TEST(Dataset, ValidateSaysWhatIsWrong) {
  struct Fault {
    std::string message;
    std::function<void(Dataset&)> make;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Fault> indexed = {
      {"measurements: found none", [](Dataset& d) { d.measurements.clear(); }},
      {"measurements: found 'm0' twice", [](Dataset& d) { d.measurements[1] = "m0"; }},
      {"discount: found 0", [](Dataset& d) { d.discount = 0; }},
      {"discount: found nan", [&](Dataset& d) { d.discount = nan; }},
      {"horizon: found -1", [](Dataset& d) { d.horizon = -1; }},
      {"expected at most the horizon, 2", [](Dataset& d) { d.horizon = 2; }},
      {"states: found 8 states and 1 features", [](Dataset& d) { d.features = 1; }},
      {"actions: found 0", [](Dataset& d) { d.actions = 0; }},
      {"controls: found 2, expected 0: the actions of a dataset are numbered",
       [](Dataset& d) { d.controls = 2; }},
      {"state: transition 0: found 8, expected 0 to 7", [](Dataset& d) { d.state[0] = 8; }},
      {"next_state: transition 1: found -1", [](Dataset& d) { d.next_state[1] = -1; }},
      {"next_state: found", [](Dataset& d) { d.next_state.pop_back(); }},
      {"observation: found 3 entries", [](Dataset& d) { d.observation.setZero(3, 1); }},
      {"action: transition 2: found 3, expected 0 to 2", [](Dataset& d) { d.action[2] = 3; }},
      {"probability: transition 0: found 0", [](Dataset& d) { d.probability[0] = 0; }},
      {"probability: transition 0: found 1.5", [](Dataset& d) { d.probability[0] = 1.5; }},
      {"probability: transition 0: found nan", [&](Dataset& d) { d.probability[0] = nan; }},
      {"measurement: transition 3: found a value", [&](Dataset& d) { d.measurement(1, 3) = nan; }},
      {"measurement: found", [](Dataset& d) { d.measurement.conservativeResize(3, Eigen::NoChange); }},
      {"terminated: transition 0: found 2", [](Dataset& d) { d.terminated[0] = 2; }},
      {"truncated: found", [](Dataset& d) { d.truncated.push_back(0); }},
      {"is both terminated and truncated", [](Dataset& d) { d.terminated[0] = d.truncated[0] = 1; }},
      {"goes on after transition 0, which ends it",
       [](Dataset& d) {
         d.terminated[0] = 1;
         d.truncated[0] = 0;
       }},
      {"episode_begin: found 1 entries", [](Dataset& d) { d.episode_begin = {0}; }},
      {"episode_begin: found 0 entries", [](Dataset& d) { d.episode_begin.clear(); }},
      {"after", [](Dataset& d) { d.episode_begin[1] = d.size(); }},
      {"does not begin where", [](Dataset& d) { d.next_state[0] = (d.next_state[0] + 1) % 7; }},
  };
  const Dataset good = indexed_dataset();
  ASSERT_GT(good.length(0), 1);
  EXPECT_NO_THROW(validate(good));
  for (const Fault& fault : indexed) {
    Dataset bad = good;
    fault.make(bad);
    const std::string message = error_of([&] { validate(bad); });
    EXPECT_NE(message.find(fault.message), std::string::npos)
        << "expected: " << fault.message << "\nfound: " << message;
  }
  const std::vector<Fault> featured = {
      {"observation: transition 2: found a value",
       [&](Dataset& d) { d.observation(0, 2) = static_cast<float>(nan); }},
      {"next_observation: found 6 entries", [](Dataset& d) { d.next_observation.setZero(3, 2); }},
      {"observation: found 1 rows", [](Dataset& d) { d.observation.setZero(1, 9); }},
      {"does not begin where", [](Dataset& d) { d.next_observation(0, 1) += 1; }},
      {"found no transitions", [](Dataset& d) { d.action.clear(); }},
  };
  EXPECT_NO_THROW(validate(feature_dataset()));
  for (const Fault& fault : featured) {
    Dataset bad = feature_dataset();
    fault.make(bad);
    const std::string message = error_of([&] { validate(bad); });
    EXPECT_NE(message.find(fault.message), std::string::npos)
        << "expected: " << fault.message << "\nfound: " << message;
  }
}

// The checksum is the one of zip: that of "123456789" is cbf43926. The tensors of this file have these bytes.
TEST(Dataset, TheChecksumIsZips) {
  const TemporaryFile file;
  const std::string digits = "123456789";
  Tensor tensor{"digits", "U8", {9}, {}};
  for (const char c : digits) tensor.bytes.push_back(std::byte(c));
  Safetensors content{{{"kind", "dataset"}, {"version", "1"}, {"crc32", "00000000"}}, {tensor}};
  write_safetensors(file.path(), content);
  const std::string message = error_of([&] { read_dataset(file.path()); });
  EXPECT_NE(message.find("crc32: the tensors have cbf43926, expected 00000000"), std::string::npos)
      << message;
}

TEST(Dataset, AFileThatIsNoDatasetIsAnErrorThatNamesIt) {
  const TemporaryFile file;
  write_dataset(file.path(), indexed_dataset());
  const Safetensors good = read_safetensors(file.path());
  struct Fault {
    std::string message;
    std::function<void(Safetensors&)> make;
  };
  const std::vector<Fault> faults = {
      {"not a dataset: its kind is 'tabular'", [](Safetensors& c) { c.metadata["kind"] = "tabular"; }},
      {"not a dataset", [](Safetensors& c) { c.metadata.clear(); }},
      {"version: found 2, expected 1", [](Safetensors& c) { c.metadata["version"] = "2"; }},
      {"crc32: missing", [](Safetensors& c) { c.metadata.erase("crc32"); }},
      {"the file is damaged", [](Safetensors& c) { c.tensors[0].bytes[0] ^= std::byte{1}; }},
      {"discount: found 'x', expected a number", [](Safetensors& c) { c.metadata["discount"] = "x"; }},
      {"horizon: found 1.5, expected a whole number", [](Safetensors& c) { c.metadata["horizon"] = "1.5"; }},
      {"states: found 1e99", [](Safetensors& c) { c.metadata["states"] = "1e99"; }},
      {"actions: found 0", [](Safetensors& c) { c.metadata["actions"] = "0"; }},
      {"measurements: expected a JSON list", [](Safetensors& c) { c.metadata["measurements"] = "{"; }},
      {"measurements: expected a JSON list", [](Safetensors& c) { c.metadata["measurements"] = "[1]"; }},
      {"measurements: expected a JSON list",
       [](Safetensors& c) { c.metadata["measurements"] = std::string(1'000'000, '['); }},
      {"measurement: found 208 entries for 104 transitions",
       [](Safetensors& c) { c.metadata["measurements"] = "[\"a\"]"; }},
      {"observation: missing",
       [](Safetensors& c) {
         c.metadata["states"] = "0";
         c.metadata["features"] = "3";
       }},
      {"probability: found F32",
       [](Safetensors& c) {
         c.tensors[0].type = "F32";
         c.tensors[0].shape = {c.tensors[0].shape[0] * 2};
       }},
      {"state: found I32 with 2 dimensions", [](Safetensors& c) { c.tensors[2].shape.push_back(1); }},
      {"extra: is no tensor of a dataset",
       [](Safetensors& c) {
         c.tensors.push_back({"extra", "U8", {0}, {}});
       }},
  };
  for (const Fault& fault : faults) {
    Safetensors bad = good;
    fault.make(bad);
    write_safetensors(file.path(), bad);
    const std::string message = error_of([&] { read_dataset(file.path()); });
    EXPECT_NE(message.find(file.path()), std::string::npos) << message;
    EXPECT_NE(message.find(fault.message), std::string::npos)
        << "expected: " << fault.message << "\nfound: " << message;
  }
}

// Whatever byte changes, the file reads as a valid dataset or gives an error: it never does anything else.
TEST(Dataset, DamagedFilesNeverCrash) {
  const TemporaryFile file;
  write_dataset(file.path(), feature_dataset());
  const std::string good = read_file(file.path());
  EXPECT_TRUE(rc::check([&] {
    std::string bad = good;
    const int changes = *rc::gen::inRange(1, 4);
    for (int i = 0; i < changes; ++i) {
      bad[*rc::gen::inRange<std::size_t>(0, bad.size())] = *rc::gen::arbitrary<char>();
    }
    if (*rc::gen::arbitrary<bool>()) bad.resize(*rc::gen::inRange<std::size_t>(0, bad.size() + 1));
    write_file(file.path(), bad);
    try {
      validate(read_dataset(file.path()));
    } catch (const InputError& error) {
      RC_ASSERT(std::string(error.what()).find(file.path()) != std::string::npos);
    }
  }));
}

TEST(Dataset, AnInvalidDatasetIsNotWritten) {
  const TemporaryFile file;
  Dataset bad = indexed_dataset();
  bad.action[0] = -1;
  EXPECT_THROW(write_dataset(file.path(), bad), InputError);
  EXPECT_FALSE(std::filesystem::exists(file.path()));
}

TEST(SelectEpisodes, KeepsThemWholeAndInOrder) {
  for (const Dataset& all : {indexed_dataset(), feature_dataset()}) {
    const std::vector<int> chosen = {all.episodes() - 1, 0};
    const Dataset found = select_episodes(all, chosen);
    validate(found);
    ASSERT_EQ(found.episodes(), 2);
    for (int e = 0; e < 2; ++e) {
      ASSERT_EQ(found.length(e), all.length(chosen[e]));
      EXPECT_EQ(found.is_complete(e), all.is_complete(chosen[e]));
      for (int t = 0; t < found.length(e); ++t) {
        const int i = found.episode_begin[e] + t, from = all.episode_begin[chosen[e]] + t;
        EXPECT_EQ(found.action[i], all.action[from]);
        EXPECT_EQ(found.probability[i], all.probability[from]);
        EXPECT_EQ(found.measurement.col(i), all.measurement.col(from));
        EXPECT_EQ(found.terminated[i], all.terminated[from]);
        EXPECT_EQ(found.truncated[i], all.truncated[from]);
        if (all.states > 0) {
          EXPECT_EQ(found.state[i], all.state[from]);
          EXPECT_EQ(found.next_state[i], all.next_state[from]);
        } else {
          EXPECT_EQ(found.observation.col(i), all.observation.col(from));
          EXPECT_EQ(found.next_observation.col(i), all.next_observation.col(from));
        }
      }
    }
  }
}

TEST(SplitEpisodes, BothPartsAreSpreadOverTheFile) {
  for (const double part : {0.0, 0.2, 0.5, 0.9}) {
    constexpr int kEpisodes = 1000;
    const EpisodeSplit split = split_episodes(kEpisodes, part);
    std::vector<int> all = split.learning;
    all.insert(all.end(), split.judging.begin(), split.judging.end());
    std::ranges::sort(all);
    for (int e = 0; e < kEpisodes; ++e) ASSERT_EQ(all[e], e);
    EXPECT_NEAR(static_cast<double>(split.judging.size()), part * kEpisodes, 1);
    // Of any tenth of the file a tenth learns, a tenth judges, and a tenth of every slice of judges.
    const auto in_tenth = [](std::span<const int> episodes, int tenth) {
      return static_cast<double>(std::ranges::count_if(episodes, [&](int e) { return e / 100 == tenth; }));
    };
    constexpr int kSlice = 50;
    for (int tenth = 0; tenth < 10; ++tenth) {
      EXPECT_NEAR(in_tenth(split.learning, tenth), (1 - part) * 100, 1);
      for (int first = 0; first + kSlice <= std::ssize(split.judging); first += 25)
        EXPECT_NEAR(in_tenth(std::span(split.judging).subspan(first, kSlice), tenth), kSlice / 10, 2);
    }
  }
  EXPECT_EQ(split_episodes(1, 0.99).learning, std::vector<int>{0});
}

}  // namespace
}  // namespace c2rl
