#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "c2rl/base/gzip.h"
#include "c2rl/base/ranks.h"
#include "c2rl/environments/umb.h"
#include "c2rl/environments/umb_archive.h"
#include "c2rl/mdp/model_builder.h"
#include "c2rl/mdp/parallel.h"

namespace c2rl {
namespace {

/// As much as a compressed archive may hold: several times the largest model.
constexpr std::size_t kMostBytes = std::size_t{1} << 34;

/// How bytes that xz made begin.
constexpr std::string_view kXz =
    "\xfd"
    "7zXZ";

/// States that one thread goes through at a time.
constexpr int kGrain = 1 << 13;

class UmbReader {
 public:
  /// Of part `index` of `of`.
  UmbReader(std::string_view bytes, const std::string& file, const ModelEnds& ends, int index, int of)
      : archive_(bytes, file),
        ends_(ends),
        first_(static_cast<int>(part_begin(archive_.states(), index, of))),
        last_(static_cast<int>(part_begin(archive_.states(), index + 1, of))) {}

  TabularModel read() {
    read_structure();
    read_rewards();
    check_measurements(model_.measurements, ends_, {.file = archive_.file()});
    read_labels();
    find_terminal_states();
    fill();
    model_.start = read_start();
    if (ends_.reached)
      measure_reached(model_, states_labelled(labels_, ends_.terminal_label, archive_.file()));
    return std::move(model_);
  }
  const StateLabels& labels() const { return labels_; }
  int states_in_all() const { return archive_.states(); }
  int first() const { return first_; }

 private:
  /// What is measured: what states, choices and branches have of it.
  struct Reward {
    UmbValues states, choices, branches;
  };

  static std::int64_t at(const UmbIndices& begin, std::int64_t i) {
    return begin ? static_cast<std::int64_t>(begin[i]) : i;
  }

  void read_structure() {
    const std::int64_t states = archive_.states(), choices = archive_.choices(), all = archive_.branches();
    choice_begin_ = archive_.intervals("state-to-choices.bin", states, choices, first_, last_);
    const std::int64_t begin = at(choice_begin_, first_), end = at(choice_begin_, last_);
    branch_begin_ = archive_.intervals("choice-to-branches.bin", choices, all, begin, end);
    branches_ = at(branch_begin_, end) - at(branch_begin_, begin);
    choices_ = end - begin;
    check_model_size(static_cast<double>(std::max(branches_, choices_)), 1);
    target_ = archive_.indices("branch-to-target.bin", all);
    probability_ = archive_.values("branch-to-probability.bin", all);
    if (all > 0 && !probability_) archive_.fail("branch-to-probability.bin", "is not there");
  }

  void read_rewards() {
    for (const auto& [id, name] : archive_.annotations("rewards")) {
      archive_.expect_doubles("rewards", id);
      if (std::ranges::find(model_.measurements, name) != model_.measurements.end())
        archive_.fail("index.json", fmt::format("two rewards are called '{}'", name));
      model_.measurements.push_back(name);
      const std::string folder = fmt::format("annotations/rewards/{}/", id);
      rewards_.push_back({.states = archive_.values(folder + "states/values.bin", archive_.states()),
                          .choices = archive_.values(folder + "choices/values.bin", archive_.choices()),
                          .branches = archive_.values(folder + "branches/values.bin", archive_.branches())});
    }
    check_model_size(static_cast<double>(branches_), static_cast<double>(rewards_.size()));
  }

  void read_labels() {
    for (const auto& [id, name] : archive_.annotations("aps")) {
      const auto is_labelled =
          archive_.bits(fmt::format("annotations/aps/{}/states/values.bin", id), archive_.states());
      std::vector<int>& states = labels_[name];
      for (int s = first_; s < last_; ++s) {
        if (is_labelled[s]) states.push_back(s);
      }
    }
    terminal_.assign(last_ - first_, false);
    for (const int s : states_labelled(labels_, ends_.terminal_label, archive_.file()))
      terminal_[s - first_] = true;
  }

  double measured(const Reward& reward, int state, std::int64_t choice, std::int64_t branch) const {
    // Adding a zero that nobody wrote would turn -0 into 0.
    std::optional<double> sum;
    const auto add = [&](double value) { sum = sum ? *sum + value : value; };
    if (reward.states) add(reward.states[state]);
    if (reward.choices) add(reward.choices[choice]);
    if (reward.branches) add(reward.branches[branch]);
    return sum.value_or(0);
  }

  bool stays_for_nothing(int state) const {
    for (std::int64_t k = at(choice_begin_, state); k < at(choice_begin_, state + 1); ++k) {
      for (std::int64_t e = at(branch_begin_, k); e < at(branch_begin_, k + 1); ++e) {
        if ((target_ ? target_[e] : 0) != std::uint64_t(state)) return false;
        for (const Reward& reward : rewards_) {
          if (measured(reward, state, k, e) != 0) return false;
        }
      }
    }
    return true;
  }

  void find_terminal_states() {
    model_.states = last_ - first_;
    model_.choice_begin.reserve(std::size_t(model_.states) + 1);
    model_.transition_begin.reserve(std::size_t(choices_) + 1);
    std::int64_t transitions = 0;
    for (int s = first_; s < last_; ++s) {
      if (!terminal_[s - first_] && !stays_for_nothing(s)) {
        for (std::int64_t k = at(choice_begin_, s); k < at(choice_begin_, s + 1); ++k) {
          transitions += at(branch_begin_, k + 1) - at(branch_begin_, k);
          model_.transition_begin.push_back(static_cast<std::int32_t>(transitions));
        }
      }
      model_.choice_begin.push_back(static_cast<std::int32_t>(model_.transition_begin.size()) - 1);
    }
  }

  void fill() {
    const auto transitions = static_cast<std::size_t>(model_.transitions());
    model_.next.resize(transitions);
    model_.probability.resize(transitions);
    model_.measurement.resize(model_.dim(), model_.transitions());
    for_ranges_parallel(model_.states, kGrain, [&](int begin, int end) {
      for (int s = begin; s < end; ++s) {
        const std::int64_t shift = at(choice_begin_, first_ + s) - model_.choice_begin[s];
        for (int k = model_.choice_begin[s]; k < model_.choice_begin[s + 1]; ++k)
          fill_choice(first_ + s, k, k + shift);
      }
    });
  }

  /// Choice k of the model is choice `there` of the file.
  void fill_choice(int state, int k, std::int64_t there) {
    const int first = model_.transition_begin[k], last = model_.transition_begin[k + 1];
    const std::int64_t shift = at(branch_begin_, there) - first;
    double sum = 0;
    for (int e = first; e < last; ++e) {
      const std::uint64_t next = target_ ? target_[e + shift] : 0;
      if (next >= std::uint64_t(archive_.states()))
        archive_.fail("branch-to-target.bin", fmt::format("found state {} at place {}, expected one below {}",
                                                          next, e + shift, archive_.states()));
      const double probability = probability_[e + shift];
      if (!(probability >= 0 && probability <= 1))
        archive_.fail(
            "branch-to-probability.bin",
            fmt::format("found {} at place {}, expected a number between 0 and 1", probability, e + shift));
      model_.next[e] = static_cast<std::int32_t>(next);
      model_.probability[e] = probability;
      sum += probability;
      for (int i = 0; i < model_.dim(); ++i) {
        const double amount = measured(rewards_[i], state, there, e + shift);
        if (!std::isfinite(amount))
          archive_.fail(fmt::format("annotations.rewards of '{}'", model_.measurements[i]),
                        fmt::format("found {} for choice {} (of state {}), expected a finite number", amount,
                                    there, state));
        model_.measurement(i, e) = amount;
      }
    }
    if (!(std::abs(sum - 1) <= kPrintedSumTolerance))
      archive_.fail("branch-to-probability.bin",
                    fmt::format("the probabilities of choice {} (of state {}) sum to {}, expected 1", there,
                                state, sum));
    if (std::abs(sum - 1) <= kExactSumTolerance) return;
    for (int e = first; e < last; ++e) model_.probability[e] /= sum;
  }

  Vector read_start() const {
    Vector start = Vector::Zero(last_ - first_);
    const std::string likely = "annotations/c2rl/start/states/values.bin";
    if (const UmbValues values = archive_.values(likely, archive_.states())) {
      for (int s = first_; s < last_; ++s) start[s - first_] = values[s];
      const bool is_whole = last_ - first_ == archive_.states();
      if (start.size() > 0 &&
          !(start.minCoeff() >= 0 && (!is_whole || std::abs(start.sum() - 1) <= kExactSumTolerance)))
        archive_.fail(
            likely,
            fmt::format("found numbers that sum to {}, expected probabilities that sum to 1", start.sum()));
      return start;
    }
    const std::vector<bool> initial = archive_.bits("state-is-initial.bin", archive_.states());
    const auto number = std::ranges::count(initial, true);
    if (number == 0) archive_.fail("state-is-initial.bin", "no state is initial");
    for (int s = first_; s < last_; ++s)
      start[s - first_] = initial[s] ? 1.0 / static_cast<double>(number) : 0;
    return start;
  }

  const UmbArchive archive_;
  const ModelEnds& ends_;
  const int first_, last_;                   // the states that are read
  std::int64_t choices_ = 0, branches_ = 0;  // of these
  UmbIndices choice_begin_, branch_begin_, target_;
  UmbValues probability_;
  std::vector<Reward> rewards_;
  std::vector<bool> terminal_;  // by their label
  StateLabels labels_;
  TabularModel model_;
};

}  // namespace

bool looks_like_umb(std::string_view bytes) {
  constexpr std::string_view kTar = "ustar";
  return is_gzip(bytes) || bytes.starts_with(kXz) ||
         (bytes.size() > 257 + kTar.size() && bytes.substr(257, kTar.size()) == kTar);
}

namespace {

void refuse_xz(std::string_view bytes, const std::string& file) {
  if (bytes.starts_with(kXz))
    throw InputError({.file = file},
                     "is compressed by xz; expected a plain archive, or gzip: decompress it by xz -d");
}

}  // namespace

TabularModel parse_umb(std::string_view bytes, const std::string& file, const ModelEnds& ends,
                       StateLabels* labels) {
  refuse_xz(bytes, file);
  if (is_gzip(bytes)) return parse_umb(gunzip(bytes, file, kMostBytes), file, ends, labels);
  try {
    UmbReader reader(bytes, file, ends, 0, 1);
    TabularModel model = reader.read();
    if (labels) *labels = reader.labels();
    return model;
  } catch (const InputError& error) {
    throw error.within({.file = file});
  }
}

ModelFileShape umb_shape(std::string_view bytes, const std::string& file) {
  refuse_xz(bytes, file);
  if (is_gzip(bytes))
    throw InputError({.file = file},
                     "is compressed, so that no part can be read by itself; expected a plain archive");
  const UmbArchive archive(bytes, file);
  ModelFileShape shape{.states = archive.states(), .measurements = {}};
  for (const auto& [id, name] : archive.annotations("rewards")) shape.measurements.push_back(name);
  return shape;
}

ModelPart parse_umb_part(std::string_view bytes, const std::string& file, const ModelEnds& ends, int index,
                         int of) {
  try {
    UmbReader reader(bytes, file, ends, index, of);
    return part_of(reader.read(), reader.first(), reader.states_in_all());
  } catch (const InputError& error) {
    throw error.within({.file = file});
  }
}

}  // namespace c2rl
