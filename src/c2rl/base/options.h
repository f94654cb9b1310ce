#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "c2rl/base/config.h"
#include "c2rl/base/enum_names.h"
#include "c2rl/base/vector.h"

namespace c2rl {

/// The numbers that an option may take.
struct Range {
  double lowest = -kInfinity, highest = kInfinity;
  bool open_below = false, open_above = false;  // the end itself is not meant
  bool infinite = false;                        // infinity is, where the range has no end

  bool contains(double value) const;
  /// "above 0", "from 0 to below 1"; empty where any finite number will do.
  std::string words() const;
};
inline Range any_number() {
  return {};
}
inline Range at_least(double lowest) {
  return {.lowest = lowest};
}
inline Range above(double lowest) {
  return {.lowest = lowest, .open_below = true};
}
inline Range between(double lowest, double highest) {
  return {.lowest = lowest, .highest = highest};
}
/// A part of something, or a probability.
inline Range part() {
  return between(0, 1);
}

/// One option of a kind, for people.
struct OptionInfo {
  std::string key;
  std::string type;      // "a number above 0", "gae, n-step or monte-carlo"
  std::string standard;  // the default, as it would be written or in words; empty where there is none
  std::string reason;    // what it does, and why the default is what it is
};

/// Goes over the options of a kind. A kind names each of them once, in a member function of the struct that
/// holds their values:
///
///   void AppropoOptions::visit(OptionVisitor& visitor) {
///     visitor.number("kappa", kappa, above(0), "height at which the target is set to make a cone of it");
///     visitor.flag("cache", cache, "play a stored policy that answers well enough");
///     if (visitor.when(cache)) visitor.integer("max_cache_rounds", ...);
///   }
///
/// and reading, checking and listing them follow from that: see read_options, check_options, list_options.
/// What the struct holds before the visit is the default.
class OptionVisitor {
 public:
  virtual ~OptionVisitor() = default;

  enum class Presence { optional, required };
  static constexpr Presence kRequired = Presence::required;

  void number(const std::string& key, double& value, const Range& range, const std::string& reason,
              Presence presence = Presence::optional) {
    visit({key, &value, range, reason, presence});
  }
  void integer(const std::string& key, std::int64_t& value, const Range& range, const std::string& reason,
               Presence presence = Presence::optional) {
    visit({key, &value, range, reason, presence});
  }
  void integer(const std::string& key, int& value, const Range& range, const std::string& reason,
               Presence presence = Presence::optional) {
    visit({key, &value, range, reason, presence});
  }
  /// Whole numbers, each within the range.
  void integers(const std::string& key, std::vector<int>& value, const Range& range,
                const std::string& reason) {
    visit({key, &value, range, reason});
  }
  void flag(const std::string& key, bool& value, const std::string& reason) {
    visit({key, &value, {}, reason});
  }
  void text(const std::string& key, std::string& value, const std::string& reason) {
    visit({key, &value, {}, reason});
  }
  /// The path of a file, as Config::file_path resolves it.
  void path(const std::string& key, std::string& value, const std::string& reason,
            Presence presence = kRequired) {
    visit({key, PathOption{&value}, {}, reason, presence});
  }
  void vector(const std::string& key, Vector& value, const std::string& reason,
              Presence presence = Presence::optional) {
    visit({key, &value, {}, reason, presence});
  }
  /// Without a default; `standard` says in words what holds then.
  void vector(const std::string& key, std::optional<Vector>& value, const std::string& standard,
              const std::string& reason) {
    visit({.key = key, .value = &value, .reason = reason, .standard = standard});
  }
  template <typename Enum>
  void choice(const std::string& key, Enum& value, const EnumNames<Enum>& names, const std::string& reason) {
    auto index = static_cast<std::size_t>(value);
    visit({key, ChoiceOption{&index, &names.all()}, {}, reason});
    value = static_cast<Enum>(index);
  }
  /// One that the kind reads by itself, a table for instance: listed only.
  void described(const std::string& key, const std::string& type, const std::string& standard,
                 const std::string& reason) {
    visit({.key = key, .value = DescribedOption{type}, .reason = reason, .standard = standard});
  }

  /// Whether options that mean something only where `condition` holds are visited. They are listed in any
  /// case, so that their reason says when.
  virtual bool when(bool condition) const { return condition; }

  /// A default that depends on options before it: only reading takes it.
  template <typename Value>
  void suggest(Value& value, const Value& standard) const {
    if (takes_suggestions()) value = standard;
  }

 protected:
  struct PathOption {
    std::string* value;
  };
  struct ChoiceOption {
    std::size_t* index;
    const std::vector<std::string>* names;
  };
  struct DescribedOption {
    std::string type;
  };
  struct Option {
    std::string key;
    std::variant<double*, std::int64_t*, int*, bool*, std::string*, Vector*, std::optional<Vector>*,
                 std::vector<int>*, PathOption, ChoiceOption, DescribedOption>
        value;
    Range range = {};
    std::string reason = {};
    Presence presence = Presence::optional;
    std::string standard = {};
  };

 private:
  virtual void visit(const Option& option) = 0;
  virtual bool takes_suggestions() const { return false; }
};

/// The three ways to go over options, each handed to `visit`.
void visit_reading(const Config& section, const std::function<void(OptionVisitor&)>& visit);
void visit_checking(const std::function<void(OptionVisitor&)>& visit);
std::vector<OptionInfo> visit_listing(const std::function<void(OptionVisitor&)>& visit);

/// The options (see OptionVisitor) as a section of a problem file has them; what is out of its range is an
/// InputError with file, line and field.
template <typename Options>
Options read_options(const Config& section, Options options = {}) {
  visit_reading(section, [&](OptionVisitor& visitor) { options.visit(visitor); });
  return options;
}

/// An InputError names the first option that is out of its range.
template <typename Options>
void check_options(Options options) {
  visit_checking([&](OptionVisitor& visitor) { options.visit(visitor); });
}

/// All of them, with their defaults.
template <typename Options>
std::vector<OptionInfo> list_options(Options options = {}) {
  return visit_listing([&](OptionVisitor& visitor) { options.visit(visitor); });
}

}  // namespace c2rl
