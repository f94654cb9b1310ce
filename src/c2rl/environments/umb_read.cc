#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/base/gzip.h"
#include "c2rl/base/json.h"
#include "c2rl/base/tar.h"
#include "c2rl/environments/umb.h"
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

/// An array in the archive, of numbers of 8 bytes that may lie anywhere; absent: what the format says of such.
template <typename Number>
class Array {
 public:
  Array() = default;
  explicit Array(std::string_view bytes) : bytes_(bytes.data()) {}
  explicit operator bool() const { return bytes_ != nullptr; }
  Number operator[](std::size_t i) const {
    Number value;
    std::memcpy(&value, bytes_ + i * sizeof(Number), sizeof(Number));
    return value;
  }

 private:
  const char* bytes_ = nullptr;
};
using Indices = Array<std::uint64_t>;
using Values = Array<double>;

class UmbReader {
 public:
  UmbReader(std::string_view bytes, const std::string& file, const ModelEnds& ends)
      : file_(file), files_(files_of_tar(bytes, file)), ends_(ends) {}

  TabularModel read() {
    read_index();
    read_rewards();
    check_measurements(model_.measurements, ends_, {.file = file_});
    read_labels();
    find_terminal_states();
    fill();
    model_.start = read_start();
    if (ends_.reached) measure_reached(model_, states_labelled(labels_, ends_.terminal_label, file_));
    return std::move(model_);
  }
  const StateLabels& labels() const { return labels_; }

 private:
  /// What is measured: what states, choices and branches have of it.
  struct Reward {
    Values states, choices, branches;
  };

  [[noreturn]] void fail(const std::string& field, const std::string& reason) const {
    throw InputError({.file = file_, .field = field}, reason);
  }

  /// A file of `count` numbers of 8 bytes.
  template <typename A>
  A array(const std::string& name, std::size_t count) const {
    const auto found = files_.find(name);
    if (found == files_.end()) return {};
    if (found->second.size() != 8 * count)
      fail(name,
           fmt::format("found {} bytes, expected {} for {} numbers", found->second.size(), 8 * count, count));
    return A(found->second);
  }

  std::vector<bool> bits(const std::string& name, std::size_t count) const {
    const Indices words = array<Indices>(name, (count + 63) / 64);
    std::vector<bool> result(count, false);
    for (std::size_t i = 0; words && i < count; ++i) result[i] = words[i / 64] >> (i % 64) & 1;
    return result;
  }

  /// A map to intervals, one after the other, of `total` things.
  Indices intervals(const std::string& name, int count, int total) const {
    const Indices begin = array<Indices>(name, std::size_t(count) + 1);
    if (!begin) {
      if (count != total)
        fail(name, fmt::format("is not there, which means one each, but {} have {} in all", count, total));
      return begin;
    }
    for (int i = 0; i <= count; ++i) {
      const std::uint64_t least = i == 0 ? 0 : begin[i - 1];
      const bool ends = i == 0 || i == count;
      if (begin[i] < least || (ends && begin[i] != (i == 0 ? 0 : std::uint64_t(total))))
        fail(name, fmt::format("found {} at place {}, expected intervals in order from 0 to {}", begin[i], i,
                               total));
    }
    return begin;
  }

  static int at(const Indices& begin, int i) { return begin ? static_cast<int>(begin[i]) : i; }

  void read_index() {
    const auto found = files_.find("index.json");
    if (found == files_.end()) fail("", "the archive has no index.json: it is no UMB file");
    try {
      index_ = parse_json(found->second);
      const JsonObject all(index_);
      if (const auto version = all.integer("format-version"); version != 1)
        fail("format-version", fmt::format("found {}, expected 1", version));
      const JsonObject system(all.at("transition-system"), "transition-system.");
      if (const std::string time = system.text("time"); time != "discrete")
        fail("transition-system.time",
             fmt::format("found \"{}\", expected \"discrete\": an MDP or DTMC", time));
      if (const auto players = system.integer("#players"); players < 0 || players > 1)
        fail("transition-system.#players", fmt::format("found {}, expected 0 or 1", players));
      if (system.integer("#observations") != 0)
        fail("transition-system.#observations", "found observations, which an MDP or DTMC has not");
      expect_double(system.at("branch-probability-type"), "transition-system.branch-probability-type");
      states_ = count(system, "#states");
      choices_ = count(system, "#choices");
      branches_ = count(system, "#branches");
      if (states_ == 0) fail("transition-system.#states", "found 0, expected at least 1");
    } catch (const InputError& error) {
      throw error.within({.file = file_, .field = "index.json"});
    }
    check_model_size(branches_, 1);
    choice_begin_ = intervals("state-to-choices.bin", states_, choices_);
    branch_begin_ = intervals("choice-to-branches.bin", choices_, branches_);
    target_ = array<Indices>("branch-to-target.bin", branches_);
    probability_ = array<Values>("branch-to-probability.bin", branches_);
    if (branches_ > 0 && !probability_) fail("branch-to-probability.bin", "is not there");
  }

  int count(const JsonObject& system, const std::string& field) const {
    const std::int64_t value = system.integer(field);
    if (value < 0 || value >= std::numeric_limits<std::int32_t>::max())
      fail("transition-system." + field, fmt::format("found {}, expected a number below 2^31", value));
    return static_cast<int>(value);
  }

  void expect_double(const Json& type, const std::string& field) const {
    const std::string found = JsonObject(type, field + ".").text("type");
    if (found != "double")
      fail(field, fmt::format("found numbers of type \"{}\", expected \"double\"", found));
  }

  /// The annotations of a group, by the names that people know them by: their aliases, or else what they are stored
  /// under.
  std::vector<std::pair<std::string, std::string>> annotations(const std::string& group) const {
    std::vector<std::pair<std::string, std::string>> result;
    if (!index_.contains("annotations") || !index_["annotations"].is_object()) return result;
    const Json& groups = index_["annotations"];
    if (!groups.contains(group)) return result;
    if (!groups[group].is_object())
      fail("index.json", fmt::format("annotations.{}: expected an object", group));
    for (const auto& [id, annotation] : groups[group].items()) {
      const JsonObject object(annotation, fmt::format("annotations.{}.{}.", group, id));
      result.emplace_back(id, object.has("alias") ? object.text("alias") : id);
    }
    return result;
  }

  void read_rewards() {
    for (const auto& [id, name] : annotations("rewards")) {
      expect_double(index_["annotations"]["rewards"][id]["type"],
                    fmt::format("annotations.rewards.{}.type", id));
      if (std::ranges::find(model_.measurements, name) != model_.measurements.end())
        fail("index.json", fmt::format("two rewards are called '{}'", name));
      model_.measurements.push_back(name);
      const std::string folder = fmt::format("annotations/rewards/{}/", id);
      rewards_.push_back({.states = array<Values>(folder + "states/values.bin", states_),
                          .choices = array<Values>(folder + "choices/values.bin", choices_),
                          .branches = array<Values>(folder + "branches/values.bin", branches_)});
    }
    check_model_size(branches_, static_cast<double>(rewards_.size()));
  }

  void read_labels() {
    for (const auto& [id, name] : annotations("aps")) {
      const auto is_labelled = bits(fmt::format("annotations/aps/{}/states/values.bin", id), states_);
      std::vector<int>& states = labels_[name];
      for (int s = 0; s < states_; ++s) {
        if (is_labelled[s]) states.push_back(s);
      }
    }
    terminal_.assign(states_, false);
    for (const int s : states_labelled(labels_, ends_.terminal_label, file_)) terminal_[s] = true;
  }

  double measured(const Reward& reward, int state, int choice, int branch) const {
    // Adding a zero that nobody wrote would turn -0 into 0.
    std::optional<double> sum;
    const auto add = [&](double value) { sum = sum ? *sum + value : value; };
    if (reward.states) add(reward.states[state]);
    if (reward.choices) add(reward.choices[choice]);
    if (reward.branches) add(reward.branches[branch]);
    return sum.value_or(0);
  }

  bool stays_for_nothing(int state) const {
    for (int k = at(choice_begin_, state); k < at(choice_begin_, state + 1); ++k) {
      for (int e = at(branch_begin_, k); e < at(branch_begin_, k + 1); ++e) {
        if ((target_ ? target_[e] : 0) != std::uint64_t(state)) return false;
        for (const Reward& reward : rewards_) {
          if (measured(reward, state, k, e) != 0) return false;
        }
      }
    }
    return true;
  }

  void find_terminal_states() {
    model_.states = states_;
    model_.choice_begin.reserve(std::size_t(states_) + 1);
    model_.transition_begin.reserve(std::size_t(choices_) + 1);
    int transitions = 0;
    for (int s = 0; s < states_; ++s) {
      if (!terminal_[s] && !stays_for_nothing(s)) {
        for (int k = at(choice_begin_, s); k < at(choice_begin_, s + 1); ++k) {
          transitions += at(branch_begin_, k + 1) - at(branch_begin_, k);
          model_.transition_begin.push_back(transitions);
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
    for_ranges_parallel(states_, kGrain, [&](int begin, int end) {
      for (int s = begin; s < end; ++s) {
        const int shift = at(choice_begin_, s) - model_.choice_begin[s];
        for (int k = model_.choice_begin[s]; k < model_.choice_begin[s + 1]; ++k)
          fill_choice(s, k, k + shift);
      }
    });
  }

  /// Choice k of the model is choice `there` of the file.
  void fill_choice(int state, int k, int there) {
    const int first = model_.transition_begin[k], last = model_.transition_begin[k + 1];
    const int shift = at(branch_begin_, there) - first;
    double sum = 0;
    for (int e = first; e < last; ++e) {
      const std::uint64_t next = target_ ? target_[e + shift] : 0;
      if (next >= std::uint64_t(states_))
        fail("branch-to-target.bin",
             fmt::format("found state {} at place {}, expected one below {}", next, e + shift, states_));
      const double probability = probability_[e + shift];
      if (!(probability >= 0 && probability <= 1))
        fail("branch-to-probability.bin",
             fmt::format("found {} at place {}, expected a number between 0 and 1", probability, e + shift));
      model_.next[e] = static_cast<std::int32_t>(next);
      model_.probability[e] = probability;
      sum += probability;
      for (int i = 0; i < model_.dim(); ++i) {
        const double amount = measured(rewards_[i], state, there, e + shift);
        if (!std::isfinite(amount))
          fail(fmt::format("annotations.rewards of '{}'", model_.measurements[i]),
               fmt::format("found {} for choice {} (of state {}), expected a finite number", amount, there,
                           state));
        model_.measurement(i, e) = amount;
      }
    }
    if (!(std::abs(sum - 1) <= kPrintedSumTolerance))
      fail("branch-to-probability.bin",
           fmt::format("the probabilities of choice {} (of state {}) sum to {}, expected 1", there, state,
                       sum));
    if (std::abs(sum - 1) <= kExactSumTolerance) return;
    for (int e = first; e < last; ++e) model_.probability[e] /= sum;
  }

  Vector read_start() const {
    Vector start = Vector::Zero(states_);
    const std::string likely = "annotations/c2rl/start/states/values.bin";
    if (const Values values = array<Values>(likely, states_)) {
      for (int s = 0; s < states_; ++s) start[s] = values[s];
      if (!(start.minCoeff() >= 0 && std::abs(start.sum() - 1) <= kExactSumTolerance))
        fail(likely,
             fmt::format("found numbers that sum to {}, expected probabilities that sum to 1", start.sum()));
      return start;
    }
    const std::vector<bool> initial = bits("state-is-initial.bin", states_);
    const auto number = std::ranges::count(initial, true);
    if (number == 0) fail("state-is-initial.bin", "no state is initial");
    for (int s = 0; s < states_; ++s) start[s] = initial[s] ? 1.0 / static_cast<double>(number) : 0;
    return start;
  }

  const std::string& file_;
  const std::map<std::string, std::string_view> files_;
  const ModelEnds& ends_;
  Json index_;
  int states_ = 0, choices_ = 0, branches_ = 0;
  Indices choice_begin_, branch_begin_, target_;
  Values probability_;
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

TabularModel parse_umb(std::string_view bytes, const std::string& file, const ModelEnds& ends,
                       StateLabels* labels) {
  if (bytes.starts_with(kXz))
    throw InputError({.file = file},
                     "is compressed by xz; expected a plain archive, or gzip: decompress it by xz -d");
  if (is_gzip(bytes)) return parse_umb(gunzip(bytes, file, kMostBytes), file, ends, labels);
  UmbReader reader(bytes, file, ends);
  TabularModel model = reader.read();
  if (labels) *labels = reader.labels();
  return model;
}

}  // namespace c2rl
