// Every fuzz target over its kept files, and over the same mutations of them on every run. `make fuzz` searches on.

#include <filesystem>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "c2rl/base/file.h"
#include "c2rl/base/random.h"
#include "targets.h"

namespace c2rl {

/// Names the tests.
static void PrintTo(const FuzzTarget& target, std::ostream* out) {
  *out << target.name;
}

namespace {

constexpr int kMutations = 3000;    // of all files of a target together
constexpr int kMostChanges = 4;     // in one mutation
constexpr int kMostRepeats = 2000;  // of a piece

/// The kept files of a target, by their names: those that must be refused begin with "refused".
std::map<std::string, std::string> corpus_of(const FuzzTarget& target) {
  std::map<std::string, std::string> files;
  const std::string folder = std::string(C2RL_SOURCE_DIR) + "/tests/fuzz/corpus/" + target.name;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    files[entry.path().filename()] = read_file(entry.path());
  return files;
}

/// Numbers and marks at which readers tend to stumble.
const std::vector<std::string> kWords = {"0",
                                         "-1",
                                         "1e999",
                                         "nan",
                                         "18446744073709551616",
                                         "-9223372036854775808",
                                         "2147483648",
                                         "1e-320",
                                         "\"",
                                         "\n",
                                         "[",
                                         "]",
                                         "{",
                                         "}",
                                         "=",
                                         ",",
                                         "\x1b[2J",
                                         std::string(1, '\0'),
                                         "\xff",
                                         "\xe2\x82"};

std::string mutation_of(const std::vector<std::string>& corpus, Rng& rng) {
  std::string text = corpus[rng.below(corpus.size())];
  const auto place = [&] { return static_cast<std::size_t>(rng.below(text.size() + 1)); };
  for (auto changes = 1 + rng.below(kMostChanges); changes > 0; --changes) {
    const std::size_t at = place(), length = static_cast<std::size_t>(rng.below(16));
    const std::string piece = text.substr(at, length);
    switch (rng.below(6)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(rng.below(256));
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(place(), piece);
        break;
      case 3:
        text.replace(at, length, kWords[rng.below(kWords.size())]);
        break;
      case 4: {  // nesting, and counts that do not fit
        std::string repeated;
        for (auto i = rng.below(kMostRepeats); i > 0; --i) repeated += piece;
        text.insert(at, repeated);
        break;
      }
      default: {
        const std::string& other = corpus[rng.below(corpus.size())];
        text = text.substr(0, at) + other.substr(rng.below(other.size() + 1));
      }
    }
  }
  return text;
}

int run(const FuzzTarget& target, const std::string& bytes) {
  return target.run(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

class EveryFuzzTarget : public testing::TestWithParam<FuzzTarget> {};

TEST_P(EveryFuzzTarget, ReadsItsCorpus) {
  const auto corpus = corpus_of(GetParam());
  EXPECT_FALSE(corpus.empty());
  for (const auto& [name, bytes] : corpus)
    EXPECT_EQ(run(GetParam(), bytes), name.starts_with("refused") ? -1 : 0) << name;
}

TEST_P(EveryFuzzTarget, StandsMutations) {
  std::vector<std::string> corpus;
  for (auto& [name, bytes] : corpus_of(GetParam())) corpus.push_back(bytes);
  for (int i = 0; i < kMutations; ++i) {
    Rng rng = Rng(1).fork(GetParam().name, static_cast<std::uint64_t>(i));
    const std::string bytes = mutation_of(corpus, rng);
    EXPECT_NO_THROW(run(GetParam(), bytes))
        << "mutation " << i << ": " << testing::PrintToString(bytes.substr(0, 2000));
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, EveryFuzzTarget, testing::ValuesIn(kFuzzTargets),
                         [](const auto& target) { return std::string(target.param.name); });

}  // namespace
}  // namespace c2rl
