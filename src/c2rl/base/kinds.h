#pragma once

#include <algorithm>
#include <deque>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "c2rl/base/config.h"
#include "c2rl/base/options.h"
#include "c2rl/base/text.h"

namespace c2rl {

/// What every kind of thing says about itself, in its own file. Kinds of solvers, oracles and so on add what
/// decides where they apply, and how they are made.
struct KindInfo {
  std::string name;                      // in problem files
  std::string summary;                   // one line
  std::vector<OptionInfo> options = {};  // its own keys
};

/// The kinds of one sort of thing that a problem file can name. Those that are built in come first, the
/// standard one at the very front; a program may add its own. May be used from several threads.
template <typename Kind>
class Kinds {
 public:
  /// `what` names the sort in messages: "solver".
  Kinds(std::string what, std::vector<Kind> built_in) : what_(std::move(what)) {
    for (Kind& kind : built_in) add(std::move(kind));
  }

  const std::string& what() const { return what_; }

  /// An InputError when the name is empty or taken.
  void add(Kind kind) {
    const std::lock_guard lock(mutex_);
    if (kind.name.empty()) throw InputError({.field = what_}, "a kind needs a name");
    if (std::ranges::any_of(kinds_, [&](const Kind& known) { return known.name == kind.name; }))
      throw InputError({.field = what_}, "there is a kind '" + kind.name + "' already");
    kinds_.push_back(std::move(kind));
  }

  /// In the order in which they were added; they stay where they are for ever.
  std::vector<const Kind*> all() const {
    const std::lock_guard lock(mutex_);
    std::vector<const Kind*> kinds;
    kinds.reserve(kinds_.size());
    for (const Kind& kind : kinds_) kinds.push_back(&kind);
    return kinds;
  }

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const Kind* kind : all()) names.push_back(kind->name);
    return names;
  }

  /// What is taken where nothing is named.
  const Kind& standard() const { return *all().front(); }

  /// An unknown name is an InputError that suggests the nearest one.
  const Kind& find(const std::string& name) const {
    for (const Kind* kind : all()) {
      if (kind->name == name) return *kind;
    }
    throw InputError({.field = what_}, unknown_name_message(what_, name, names()));
  }

  /// The kind that a section names under `kind`; without a fallback one must stand there.
  const Kind& named_in(const Config& section, const std::optional<std::string>& fallback = {}) const {
    return find(section.choice("kind", names(), fallback));
  }

 private:
  std::string what_;
  mutable std::mutex mutex_;
  std::deque<Kind> kinds_;
};

}  // namespace c2rl
