#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "c2rl/base/json.h"
#include "c2rl/base/tar.h"
#include "c2rl/base/version.h"
#include "c2rl/environments/umb.h"

namespace c2rl {
namespace {

/// Numbers of 8 bytes, one behind the other; this machine's are little-endian, as the format's are.
template <typename Number>
class Bytes {
 public:
  explicit Bytes(std::size_t count) { bytes_.reserve(count * sizeof(Number)); }
  void add(Number value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof(value)); }
  std::string_view bytes() const { return bytes_; }

 private:
  std::string bytes_;
};
using Indices = Bytes<std::uint64_t>;
using Values = Bytes<double>;

std::string bits(const std::vector<bool>& values) {
  std::string bytes((values.size() + 63) / 64 * 8, '\0');
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i]) bytes[i / 8] = static_cast<char>(bytes[i / 8] | 1 << (i % 8));
  }
  return bytes;
}

class UmbWriter {
 public:
  UmbWriter(const TabularModel& model, const StateLabels& labels) : model_(model), labels_(labels) {
    for (int s = 0; s < model.states; ++s) terminal_ += model.is_terminal(s) ? 1 : 0;
    const auto is_start = [&](double p) { return p != 0; };
    starts_ = static_cast<int>(std::ranges::count_if(model.start, is_start));
    equal_starts_ = std::ranges::all_of(model.start, [&](double p) { return p == 0 || p == 1.0 / starts_; });
    names_ = folders(model.measurements, 'm');
    std::vector<std::string> known;
    for (const auto& [label, states] : labels) known.push_back(label);
    label_names_ = folders(known, 'l');
    for (int i = 0; i < model.dim(); ++i) by_choice_.push_back(is_by_choice(i));
  }

  std::string write() && {
    archive_.add("index.json", to_text(index(), 2) + "\n");
    write_structure();
    write_start();
    for (int i = 0; i < model_.dim(); ++i) write_measurement(i);
    auto name = label_names_.begin();
    for (const auto& [label, states] : labels_) {
      std::vector<bool> is_labelled(model_.states);
      for (const int s : states) is_labelled[s] = true;
      archive_.add(fmt::format("annotations/aps/{}/states/values.bin", *name++), bits(is_labelled));
    }
    return std::move(archive_).finish();
  }

 private:
  /// What annotations are stored under: their names where all of them can be those of folders, else numbers.
  static std::vector<std::string> folders(const std::vector<std::string>& names, char letter) {
    const bool plain = std::ranges::all_of(names, [](const std::string& name) {
      return !name.empty() && name.size() < 48 &&
             name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-") == std::string::npos;
    });
    if (plain) return names;
    std::vector<std::string> result;
    for (std::size_t i = 0; i < names.size(); ++i) result.push_back(fmt::format("{}{}", letter, i));
    return result;
  }

  /// All transitions of a choice measure the same.
  bool is_by_choice(int i) const {
    for (int k = 0; k < model_.choices(); ++k) {
      for (int e = model_.transition_begin[k] + 1; e < model_.transition_begin[k + 1]; ++e) {
        if (model_.measurement(i, e) != model_.measurement(i, e - 1)) return false;
      }
    }
    return true;
  }

  Json index() const {
    const Json number = {{"type", "double"}, {"size", 64}};
    Json rewards = Json::object();
    for (int i = 0; i < model_.dim(); ++i) {
      rewards[names_[i]] = {{"alias", model_.measurements[i]},
                            {"applies-to", {by_choice_[i] ? "choices" : "branches"}},
                            {"type", number}};
    }
    Json annotations = {{"rewards", rewards}};
    auto name = label_names_.begin();
    for (const auto& [label, states] : labels_) {
      annotations["aps"][*name++] = {
          {"alias", label}, {"applies-to", {"states"}}, {"type", {{"type", "bool"}, {"size", 1}}}};
    }
    if (!equal_starts_) {
      annotations["c2rl"] = {{"start",
                              {{"description", "how likely each state is the first"},
                               {"applies-to", {"states"}},
                               {"type", number}}}};
    }
    return {{"format-version", 1},
            {"format-revision", 0},
            {"file-data", {{"tool", "c2rl"}, {"tool-version", version()}}},
            {"transition-system",
             {{"time", "discrete"},
              {"#players", 1},
              {"#states", model_.states},
              {"#initial-states", starts_},
              {"#choices", model_.choices() + terminal_},
              {"#choice-actions", 0},
              {"#branches", model_.transitions() + terminal_},
              {"#branch-actions", 0},
              {"#observations", 0},
              {"branch-probability-type", number}}},
            {"annotations", annotations}};
  }

  /// visit(k) for every choice in order, -1 for those of terminal states.
  template <typename Visit>
  void for_each_choice(Visit visit) const {
    for (int s = 0; s < model_.states; ++s) {
      if (model_.is_terminal(s)) visit(s, -1);
      for (int k = model_.choice_begin[s]; k < model_.choice_begin[s + 1]; ++k) visit(s, k);
    }
  }

  void write_structure() {
    const std::size_t choices = model_.choices() + terminal_, branches = model_.transitions() + terminal_;
    {
      Indices begin(model_.states + 1);
      std::uint64_t at = 0;
      begin.add(at);
      for (int s = 0; s < model_.states; ++s) begin.add(at += model_.is_terminal(s) ? 1 : model_.actions(s));
      archive_.add("state-to-choices.bin", begin.bytes());
    }
    {
      Indices begin(choices + 1);
      std::uint64_t at = 0;
      begin.add(at);
      for_each_choice([&](int, int k) {
        begin.add(at += k < 0 ? 1 : model_.transition_begin[k + 1] - model_.transition_begin[k]);
      });
      archive_.add("choice-to-branches.bin", begin.bytes());
    }
    Indices target(branches);
    for_each_choice([&](int s, int k) {
      if (k < 0) return target.add(s);
      for (int e = model_.transition_begin[k]; e < model_.transition_begin[k + 1]; ++e)
        target.add(model_.next[e]);
    });
    archive_.add("branch-to-target.bin", target.bytes());
    archive_.add("branch-to-probability.bin",
                 of_branches(1.0, [&](int e) { return model_.probability[e]; }).bytes());
  }

  template <typename Get>
  Values of_branches(double of_terminal, Get get) const {
    Values values(model_.transitions() + terminal_);
    for_each_choice([&](int, int k) {
      if (k < 0) return values.add(of_terminal);
      for (int e = model_.transition_begin[k]; e < model_.transition_begin[k + 1]; ++e) values.add(get(e));
    });
    return values;
  }

  void write_start() {
    std::vector<bool> initial(model_.states);
    for (int s = 0; s < model_.states; ++s) initial[s] = model_.start[s] != 0;
    archive_.add("state-is-initial.bin", bits(initial));
    if (equal_starts_) return;
    Values values(model_.states);
    for (const double p : model_.start) values.add(p);
    archive_.add("annotations/c2rl/start/states/values.bin", values.bytes());
  }

  void write_measurement(int i) {
    const std::string folder = fmt::format("annotations/rewards/{}/", names_[i]);
    const auto measured = [&](int e) { return model_.measurement(i, e); };
    if (!by_choice_[i])
      return archive_.add(folder + "branches/values.bin", of_branches(0.0, measured).bytes());
    Values values(model_.choices() + terminal_);
    for_each_choice([&](int, int k) { values.add(k < 0 ? 0.0 : measured(model_.transition_begin[k])); });
    archive_.add(folder + "choices/values.bin", values.bytes());
  }

  const TabularModel& model_;
  const StateLabels& labels_;
  int terminal_ = 0, starts_ = 0;
  bool equal_starts_ = true;
  std::vector<std::string> names_, label_names_;
  std::vector<bool> by_choice_;  // of measurements
  TarWriter archive_;
};

}  // namespace

std::string to_umb(const TabularModel& model, const StateLabels& labels) {
  return UmbWriter(model, labels).write();
}

}  // namespace c2rl
