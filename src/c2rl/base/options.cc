#include "c2rl/base/options.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "c2rl/base/text.h"

namespace c2rl {
namespace {

template <typename... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <typename... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

std::string with_words(const std::string& what, const Range& range) {
  const std::string words = range.words();
  return words.empty() ? what : what + (words.find(" or more") == std::string::npos ? " " : ", ") + words;
}

std::string number_type(const Range& range) {
  return with_words("a number", range) + (range.infinite ? ", or inf" : "");
}
std::string integer_type(const Range& range) {
  return with_words("a whole number", range);
}
std::string integers_type(const Range& range) {
  return with_words("whole numbers", range);
}

/// A whole number's written form; format_number would round it to six digits.
std::string written(double value) {
  return value == std::floor(value) && std::abs(value) <= 1e15 ? fmt::format("{:.0f}", value)
                                                               : format_number(value);
}

std::string written(const Vector& values) {
  std::vector<std::string> parts;
  for (const double value : values) parts.push_back(written(value));
  return "[" + join(parts, ", ") + "]";
}

class Reader final : public OptionVisitor {
 public:
  explicit Reader(const Config& section) : section_(section) {}

 private:
  bool takes_suggestions() const override { return true; }

  void visit(const Option& option) override {
    const std::string& key = option.key;
    const bool required = option.presence == Presence::required;
    std::visit(Overloaded{
                   [&](double* value) {
                     *value = section_.number(key, required ? std::nullopt : std::optional(*value));
                     section_.expect(option.range.contains(*value), key, number_type(option.range));
                   },
                   [&](std::int64_t* value) { *value = read_integer(option, required, *value); },
                   [&](int* value) {
                     constexpr int kMost = std::numeric_limits<int>::max();
                     const std::int64_t read = read_integer(option, required, *value);
                     section_.expect(std::abs(read) <= kMost, key, fmt::format("at most {}", kMost));
                     *value = static_cast<int>(read);
                   },
                   [&](bool* value) { *value = section_.boolean(key, *value); },
                   [&](std::string* value) { *value = section_.text(key, *value); },
                   [&](Vector* value) {
                     *value = section_.vector(key, required ? std::nullopt : std::optional(*value));
                   },
                   [&](std::optional<Vector>* value) {
                     if (section_.has(key)) *value = section_.vector(key);
                   },
                   [&](std::vector<int>* value) { *value = read_integers(option, *value); },
                   [&](PathOption path) {
                     *path.value =
                         section_.file_path(key, required ? std::nullopt : std::optional(*path.value));
                   },
                   [&](ChoiceOption choice) {
                     const auto& names = *choice.names;
                     const std::string name = section_.choice(key, names, names[*choice.index]);
                     *choice.index = static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
                   },
                   [&](const DescribedOption&) {},
               },
               option.value);
  }

  std::int64_t read_integer(const Option& option, bool required, std::int64_t standard) const {
    const std::int64_t value =
        section_.integer(option.key, required ? std::nullopt : std::optional(standard));
    section_.expect(option.range.contains(static_cast<double>(value)), option.key,
                    integer_type(option.range));
    return value;
  }

  std::vector<int> read_integers(const Option& option, const std::vector<int>& standard) const {
    Vector values(static_cast<Eigen::Index>(standard.size()));
    for (std::size_t i = 0; i < standard.size(); ++i) values[static_cast<Eigen::Index>(i)] = standard[i];
    values = section_.vector(option.key, values);
    std::vector<int> whole;
    for (const double value : values) {
      section_.expect(option.range.contains(value) && value == std::floor(value), option.key,
                      integers_type(option.range));
      whole.push_back(static_cast<int>(value));
    }
    return whole;
  }

  const Config& section_;
};

class Checker final : public OptionVisitor {
  void visit(const Option& option) override {
    const auto check = [&](double value, const std::string& type) {
      if (!option.range.contains(value))
        throw InputError({.field = option.key}, fmt::format("found {}, expected {}", written(value), type));
    };
    std::visit(
        Overloaded{
            [&](double* value) { check(*value, number_type(option.range)); },
            [&](std::int64_t* value) { check(static_cast<double>(*value), integer_type(option.range)); },
            [&](int* value) { check(*value, integer_type(option.range)); },
            [&](std::vector<int>* value) {
              for (const int entry : *value) check(entry, integers_type(option.range));
            },
            [&](ChoiceOption choice) {
              if (*choice.index >= choice.names->size())
                throw InputError({.field = option.key}, "found a value that has no name");
            },
            [](const auto&) {},  // anything will do, or the kind checks it by itself
        },
        option.value);
  }
};

class Lister final : public OptionVisitor {
 public:
  bool when(bool /*condition*/) const override { return true; }
  std::vector<OptionInfo> listed;

 private:
  void visit(const Option& option) override {
    OptionInfo info{option.key, {}, option.standard, option.reason};
    const auto set = [&](const std::string& type, const std::string& standard) {
      info.type = type;
      info.standard = standard;
    };
    std::visit(
        Overloaded{
            [&](const double* value) { set(number_type(option.range), written(*value)); },
            [&](const std::int64_t* value) { set(integer_type(option.range), fmt::format("{}", *value)); },
            [&](const int* value) { set(integer_type(option.range), fmt::format("{}", *value)); },
            [&](const bool* value) { set("true or false", *value ? "true" : "false"); },
            [&](const std::string* value) { set("a text", "\"" + *value + "\""); },
            [&](const Vector* value) { set("a list of numbers", written(*value)); },
            [&](const std::optional<Vector>*) { info.type = "a list of numbers"; },
            [&](const std::vector<int>* value) {
              set(integers_type(option.range), fmt::format("[{}]", fmt::join(*value, ", ")));
            },
            [&](PathOption path) { set("the path of a file", "\"" + *path.value + "\""); },
            [&](ChoiceOption choice) {
              set("one of " + join(*choice.names, ", "), "\"" + (*choice.names)[*choice.index] + "\"");
            },
            [&](const DescribedOption& described) { info.type = described.type; },
        },
        option.value);
    if (option.presence == Presence::required) info.standard.clear();
    listed.push_back(std::move(info));
  }
};

}  // namespace

bool Range::contains(double value) const {
  if (std::isinf(value) && !infinite) return false;
  const bool over = open_below ? value > lowest : value >= lowest;
  const bool under = open_above ? value < highest : value <= highest;
  return over && under;  // neither for NaN
}

std::string Range::words() const {
  const bool has_lowest = std::isfinite(lowest), has_highest = std::isfinite(highest);
  if (has_lowest && has_highest) {
    return fmt::format("from {}{} to {}{}", open_below ? "above " : "", written(lowest),
                       open_above ? "below " : "", written(highest));
  }
  if (has_lowest) return open_below ? "above " + written(lowest) : written(lowest) + " or more";
  if (has_highest) return (open_above ? "below " : "at most ") + written(highest);
  return "";
}

void visit_reading(const Config& section, const std::function<void(OptionVisitor&)>& visit) {
  Reader reader(section);
  visit(reader);
}

void visit_checking(const std::function<void(OptionVisitor&)>& visit) {
  Checker checker;
  visit(checker);
}

std::vector<OptionInfo> visit_listing(const std::function<void(OptionVisitor&)>& visit) {
  Lister lister;
  visit(lister);
  return std::move(lister.listed);
}

}  // namespace c2rl
