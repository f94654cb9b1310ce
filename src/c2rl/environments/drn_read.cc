#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/base/text.h"
#include "c2rl/environments/drn.h"
#include "c2rl/environments/drn_header.h"
#include "c2rl/environments/model_ends.h"
#include "c2rl/mdp/model_builder.h"

namespace c2rl {
namespace {

/// A finite number, or a fraction of two.
std::optional<double> parse_value(std::string_view text) {
  const size_t slash = text.find('/');
  auto value = parse_number(trim(text.substr(0, slash)));
  if (value && slash != std::string_view::npos) {
    const auto denominator = parse_number(trim(text.substr(slash + 1)));
    value = denominator ? std::optional(*value / *denominator) : std::nullopt;
  }
  return value && std::isfinite(*value) ? value : std::nullopt;
}

class DrnReader {
 public:
  DrnReader(std::string_view text, const std::string& file, const ModelEnds& ends)
      : lines_(text, file),
        ends_(ends),
        header_(read_drn_header(lines_)),
        is_successor_(header_.states, -1),
        builder_(header_.reward_models) {
    check_measurements(header_.reward_models, ends_, {.file = file, .line = lines_.number()});
  }

  TabularModel read() {
    std::string_view line;
    while (lines_.next(line)) {
      std::string_view words = line;
      const std::string_view first = take_word(words);
      if (first == "state") {
        read_state(words);
      } else if (first == "action") {
        read_action(words);
      } else {
        read_transition(line);
      }
    }
    return finish();
  }

  /// But for `init`.
  StateLabels labels() {
    labels_.erase("init");
    return std::move(labels_);
  }

 private:
  /// The actions of the state being read; kept back until it is known whether the state is terminal.
  struct Choice {
    Vector reward;
    int begin = 0;  // its first transition
    int line = 0;
    double sum = 0;
  };

  Eigen::Index dim() const { return std::ssize(header_.reward_models); }

  /// Takes "[r1, r2]" off the front of `text`, if it is there.
  std::optional<Vector> take_rewards(std::string_view& text) {
    text = trim(text);
    if (!text.starts_with('[')) return std::nullopt;
    const size_t end = text.find(']');
    if (end == std::string_view::npos) lines_.fail("the rewards lack a closing ]");
    std::string_view list = text.substr(1, end - 1);
    text.remove_prefix(end + 1);
    Vector rewards(dim());
    Eigen::Index count = 0;
    for (bool more = true; more; ++count) {
      const size_t comma = list.find(',');
      const std::string_view word = trim(list.substr(0, comma));
      const auto value = parse_value(word);
      if (!value) lines_.fail(fmt::format("found reward '{}', expected a number", word));
      if (count < rewards.size()) rewards[count] = *value;
      more = comma != std::string_view::npos;
      if (more) list.remove_prefix(comma + 1);
    }
    if (count != rewards.size()) {
      lines_.fail(fmt::format("found {} rewards, expected {}: one per reward model", count, rewards.size()));
    }
    return rewards;
  }

  void read_state(std::string_view words) {
    end_state();
    const std::string_view word = take_word(words);
    if (parse_index(word) != builder_.states()) {
      lines_.fail(fmt::format("found state '{}', expected state {}", word, builder_.states()));
    }
    if (builder_.states() == header_.states) {
      lines_.fail(fmt::format("more states than @nr_states says ({})", header_.states));
    }
    in_state_ = true;
    has_terminal_label_ = false;
    state_reward_ = take_rewards(words);
    for (words = trim(words); !words.empty(); words = trim(words)) read_label(words);
  }

  void read_label(std::string_view& words) {
    std::string_view label;
    if (words.starts_with('"')) {
      const size_t end = words.find('"', 1);
      if (end == std::string_view::npos) lines_.fail("a label lacks its closing quotation mark");
      label = words.substr(1, end - 1);
      words.remove_prefix(end + 1);
    } else {
      label = take_word(words);
    }
    if (label.starts_with('!') || label.starts_with('{')) {
      lines_.fail(
          fmt::format("found '{}': exit rates and observations have no place in an MDP or DTMC", label));
    }
    if (label == "init") starts_.push_back(builder_.states());
    has_terminal_label_ |= label == ends_.terminal_label;
    auto found = labels_.find(label);
    if (found == labels_.end()) found = labels_.emplace(label, std::vector<int>()).first;
    found->second.push_back(builder_.states());
  }

  void read_action(std::string_view words) {
    if (!in_state_) lines_.fail("an action before the first state");
    if (header_.is_chain && !choices_.empty()) lines_.fail("a second action in a DTMC");
    end_choice();
    if (take_word(words).empty()) lines_.fail("an action lacks its name");
    begin_choice(take_rewards(words));
  }

  void begin_choice(std::optional<Vector> reward) {
    // Adding a zero that nobody wrote would turn -0 into 0.
    if (reward && state_reward_) *reward += *state_reward_;
    if (!reward) reward = state_reward_.value_or(Vector::Zero(dim()));
    choices_.push_back({.reward = *std::move(reward),
                        .begin = static_cast<int>(successors_.size()),
                        .line = lines_.number()});
    ++choices_found_;
  }

  void read_transition(std::string_view line) {
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos) {
      lines_.fail(fmt::format("found '{}', expected 'state', 'action' or 'successor : probability'", line));
    }
    if (header_.is_chain && in_state_ && choices_.empty()) begin_choice(std::nullopt);
    if (choices_.empty()) lines_.fail("a transition before the first action of its state");
    const std::string_view target = trim(line.substr(0, colon));
    const auto next = parse_index(target);
    if (!next || *next >= header_.states) {
      lines_.fail(fmt::format("found successor '{}', expected a state below {}", target, header_.states));
    }
    if (is_successor_[*next] == choices_found_)
      lines_.fail(fmt::format("successor {} stands there twice", *next));
    is_successor_[*next] = choices_found_;
    const std::string_view value = trim(line.substr(colon + 1));
    const auto probability = parse_value(value);
    if (!probability || *probability < 0 || *probability > 1) {
      lines_.fail(
          fmt::format("found probability '{}', expected a number or fraction between 0 and 1", value));
    }
    successors_.emplace_back(*next, *probability);
    choices_.back().sum += *probability;
  }

  void end_choice() {
    if (choices_.empty()) return;
    const Choice& choice = choices_.back();
    if (std::abs(choice.sum - 1) > kPrintedSumTolerance) {
      lines_.fail_at(choice.line,
                     fmt::format("the probabilities of the action sum to {}, expected 1", choice.sum));
    }
    if (std::abs(choice.sum - 1) <= kExactSumTolerance) return;
    for (size_t i = choice.begin; i < successors_.size(); ++i) successors_[i].second /= choice.sum;
  }

  bool stays_for_nothing() const {
    return std::all_of(choices_.begin(), choices_.end(),
                       [&](const Choice& choice) {
                         return successors_[choice.begin] == std::pair(builder_.states(), 1.0) &&
                                choice.reward.isZero(0);
                       }) &&
           choices_.size() == successors_.size();
  }

  void end_state() {
    if (!in_state_) return;
    end_choice();
    if (!has_terminal_label_ && !stays_for_nothing()) {
      for (size_t k = 0; k < choices_.size(); ++k) {
        const size_t end = k + 1 < choices_.size() ? choices_[k + 1].begin : successors_.size();
        for (size_t i = choices_[k].begin; i < end; ++i) {
          builder_.add_transition(successors_[i].first, successors_[i].second, choices_[k].reward);
        }
        builder_.end_choice();
      }
    }
    builder_.end_state();
    choices_.clear();
    successors_.clear();
  }

  TabularModel finish() {
    end_state();
    if (builder_.states() != header_.states) {
      lines_.fail(
          fmt::format("found {} states, expected {} as @nr_states says", builder_.states(), header_.states));
    }
    if (header_.choices && *header_.choices != choices_found_) {
      lines_.fail(
          fmt::format("found {} actions, expected {} as @nr_choices says", choices_found_, *header_.choices));
    }
    if (starts_.empty()) lines_.fail("no state has the label 'init'");
    const std::vector<int>& labelled = states_labelled(labels_, ends_.terminal_label, lines_.file());
    Vector start = Vector::Zero(header_.states);
    for (const int state : starts_) start[state] = 1.0 / static_cast<double>(starts_.size());
    TabularModel model = std::move(builder_).finish(std::move(start));
    if (ends_.reached) measure_reached(model, labelled);
    return model;
  }

  DrnLines lines_;
  const ModelEnds& ends_;

  const DrnHeader header_;

  bool in_state_ = false;
  bool has_terminal_label_ = false;
  std::optional<Vector> state_reward_;
  std::vector<Choice> choices_;
  std::vector<std::pair<int, double>> successors_;  // of all choices of the state
  std::vector<int> is_successor_;                   // per state: the last choice that leads there

  int choices_found_ = 0;
  StateLabels labels_;
  std::vector<int> starts_;
  ModelBuilder builder_;
};

}  // namespace

TabularModel parse_drn(std::string_view text, const std::string& file, const ModelEnds& ends,
                       StateLabels* labels) {
  DrnReader reader(text, file, ends);
  TabularModel model = reader.read();
  if (labels) *labels = reader.labels();
  return model;
}

}  // namespace c2rl
