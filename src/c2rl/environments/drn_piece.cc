#include "c2rl/environments/drn_piece.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "c2rl/base/text.h"
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
  /// Keeps references.
  DrnReader(DrnLines& lines, const ModelEnds& ends, const DrnHeader& header, std::optional<int> first)
      : lines_(lines), ends_(ends), header_(header), first_(first), builder_(header_.reward_models) {}

  DrnPiece read() {
    std::string_view line;
    for (;;) {
      while (const auto plain = lines_.next_plain_transition(line)) read_transition(*plain, line);
      if (!lines_.next(line)) break;
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
    end_state();
    return {std::move(builder_).finish(Vector()), first_.value_or(0), choices_found_, std::move(labels_),
            std::move(starts_)};
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
  /// The one that is being read.
  int state() const { return first_.value_or(0) + builder_.states(); }

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
    const auto index = parse_index(word);
    if (!first_) first_ = index;
    if (index != state()) lines_.fail(fmt::format("found state '{}', expected state {}", word, state()));
    if (state() == header_.states) {
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
    if (label == "init") starts_.push_back(state());
    has_terminal_label_ |= label == ends_.terminal_label;
    auto found = labels_.find(label);
    if (found == labels_.end()) found = labels_.emplace(label, std::vector<int>()).first;
    found->second.push_back(state());
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
    const std::string_view target = trim(line.substr(0, colon)), value = trim(line.substr(colon + 1));
    // What is no number is taken for one that cannot be.
    read_transition({parse_index(target).value_or(-1), parse_value(value).value_or(-1)}, line);
  }

  void read_transition(const std::pair<int, double>& transition, std::string_view line) {
    const auto& [next, probability] = transition;
    if (header_.is_chain && in_state_ && choices_.empty()) begin_choice(std::nullopt);
    if (choices_.empty()) lines_.fail("a transition before the first action of its state");
    const size_t colon = line.find(':');
    if (next < 0 || next >= header_.states) {
      lines_.fail(fmt::format("found successor '{}', expected a state below {}", trim(line.substr(0, colon)),
                              header_.states));
    }
    if (stands_there(next)) lines_.fail(fmt::format("successor {} stands there twice", next));
    if (!(probability >= 0 && probability <= 1)) {
      lines_.fail(fmt::format("found probability '{}', expected a number or fraction between 0 and 1",
                              trim(line.substr(colon + 1))));
    }
    successors_.push_back(transition);
    choices_.back().sum += probability;
  }

  /// Whether the choice leads to this state already. Most files have successors in ascending order; of those that do not,
  /// the successors are kept.
  bool stands_there(int next) {
    const auto begin = successors_.begin() + choices_.back().begin;
    if (begin == successors_.end()) {
      is_ascending_ = true;
      return false;
    }
    if (is_ascending_ && next > successors_.back().first) return false;
    if (is_ascending_) {
      is_ascending_ = false;
      seen_.clear();
      for (auto other = begin; other != successors_.end(); ++other) seen_.insert(other->first);
    }
    return !seen_.insert(next).second;
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
                         return successors_[choice.begin] == std::pair(state(), 1.0) &&
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

  DrnLines& lines_;
  const ModelEnds& ends_;
  const DrnHeader& header_;
  std::optional<int> first_;

  bool in_state_ = false;
  bool has_terminal_label_ = false;
  std::optional<Vector> state_reward_;
  std::vector<Choice> choices_;
  std::vector<std::pair<int, double>> successors_;  // of all choices of the state
  bool is_ascending_ = true;                        // those of the choice are
  std::unordered_set<int> seen_;                    // else: they

  int choices_found_ = 0;
  StateLabels labels_;
  std::vector<int> starts_;
  ModelBuilder builder_;
};

}  // namespace

DrnPiece read_drn_piece(DrnLines& lines, const ModelEnds& ends, const DrnHeader& header,
                        std::optional<int> first) {
  return DrnReader(lines, ends, header, first).read();
}

}  // namespace c2rl
