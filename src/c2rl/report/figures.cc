#include "c2rl/report/figures.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "c2rl/base/file.h"
#include "c2rl/base/vector.h"
#include "c2rl/report/panel.h"

namespace c2rl {
namespace {

/// Told apart by nearly everybody (Okabe and Ito); the page has the same.
constexpr Color kColors[] = {{0, 114, 178}, {213, 94, 0},   {0, 158, 115},  {204, 121, 167},
                             {230, 159, 0}, {86, 180, 233}, {140, 109, 49}, {127, 127, 127}};
constexpr Color kTargetColor = kColors[2], kPolicyColor = kColors[0], kMixtureColor = kColors[1],
                kBoundColor = kColors[3];
constexpr std::size_t kLongestName = 60;

Color color_of(std::size_t index) {
  return kColors[index % std::size(kColors)];
}

std::vector<double> numbers(const Json& json) {
  std::vector<double> values;
  for (const Json& value : json) values.push_back(value.is_number() ? value.get<double>() : std::nan(""));
  return values;
}

std::string shortened(const std::string& text) {
  return text.size() <= kLongestName ? text : text.substr(0, kLongestName - 3) + "...";
}

/// Letters, digits and dashes of a name, which may be anything.
std::string file_stem(const std::string& name) {
  std::string stem;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)))
      stem += c;
    else if (!stem.empty() && stem.back() != '-')
      stem += '-';
    if (stem.size() >= kLongestName) break;
  }
  while (!stem.empty() && stem.back() == '-') stem.pop_back();
  return stem.empty() ? "figure" : stem;
}

/// What is smaller than the largest by more than numbers can tell is zero.
constexpr double kNothing = 1e-16;

/// From the least to the most that is above zero, with some room.
PanelAxis logarithmic(const std::string& label, const std::vector<double>& values, double room) {
  double low = kInfinity, high = 0;
  for (const double value : values) {
    if (!(value > 0)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (high == 0) low = 0.1, high = 1;
  low = std::max(low, kNothing * high);
  if (high < 2 * low) low /= 2, high *= 2;
  return {label, true, low / room, high * room};
}

/// What is drawn of many runs: a middle, and a band around it.
struct Statistic {
  const char* suffix;  // of the file's name
  const char* words;
  const char* middle;
  const char *low, *high;  // null: a standard deviation each way
};
constexpr Statistic kStatistics[] = {
    {"", "mean, standard deviation", "mean", nullptr, nullptr},
    {"-median", "median, quartiles", "median", "q1", "q3"},
    {"-iqm", "interquartile mean, 95% interval", "iqm", "iqm_low", "iqm_high"},
};

/// What it is drawn against.
struct Axis {
  const char* suffix;
  const char* field;
  const char* label;
};
constexpr Axis kAxes[] = {{"", "calls", "oracle calls"},
                          {"-steps", "steps", "environment steps"},
                          {"-seconds", "seconds", "seconds"}};

Panel course_panel(const Json& group, const std::string& quantity, const Statistic& statistic,
                   const Axis& axis, const std::map<std::string, Color>& colors) {
  Panel panel{.title = quantity == "error" ? "approximation error" : "policies stored", .x = {}, .y = {}};
  std::vector<double> places, values;
  for (const Json& series : group) {
    const Json& course = series.at(axis.field);
    if (course.at("at").empty()) continue;
    const Json& spreads = course.at(quantity);
    PanelCurve curve{.name = shortened(series.at("method")),
                     .color = colors.at(series.at("method")),
                     .x = numbers(course.at("at")),
                     .y = numbers(spreads.at(statistic.middle))};
    if (statistic.low) {
      curve.low = numbers(spreads.at(statistic.low));
      curve.high = numbers(spreads.at(statistic.high));
    } else {
      const std::vector<double> deviation = numbers(spreads.at("sd"));
      for (std::size_t i = 0; i < curve.y.size(); ++i) {
        curve.low.push_back(curve.y[i] - deviation[i]);
        curve.high.push_back(curve.y[i] + deviation[i]);
      }
    }
    places.insert(places.end(), curve.x.begin(), curve.x.end());
    values.insert(values.end(), curve.y.begin(), curve.y.end());
    panel.curves.push_back(std::move(curve));
  }
  panel.x = logarithmic(axis.label, places, 1);
  panel.y =
      logarithmic(fmt::format("{} ({})", quantity, statistic.words), values, quantity == "error" ? 3 : 1.3);
  return panel;
}

struct Figure {
  std::string name;
  std::vector<Panel> panels;
};

std::vector<Figure> experiment_figures(const Json& item) {
  std::map<std::string, Color> colors;
  std::vector<std::pair<std::string, Json>> groups;
  for (const Json& series : item.at("series")) {
    colors.try_emplace(series.at("method"), color_of(colors.size()));
    std::string name = series.at("problem");
    for (const Json& variant : series.at("variants")) name += "-" + variant.get<std::string>();
    auto group = std::ranges::find(groups, name, &std::pair<std::string, Json>::first);
    if (group == groups.end()) group = groups.insert(group, {name, Json::array()});
    group->second.push_back(series);
  }
  std::vector<Figure> figures;
  for (const auto& [name, group] : groups) {
    for (const Axis& axis : kAxes) {
      for (const Statistic& statistic : kStatistics) {
        Panel error = course_panel(group, "error", statistic, axis, colors);
        if (error.curves.empty()) continue;  // nothing was counted, as with an exact oracle's steps
        figures.push_back({item.at("name").get<std::string>() + "-" + name + axis.suffix + statistic.suffix,
                           {std::move(error), course_panel(group, "policies", statistic, axis, colors)}});
      }
    }
  }
  return figures;
}

Panel space_panel(const Json& item) {
  const Json& view = item.at("space").at(0);
  const auto i = view.at("pair").at(0).get<std::size_t>(), j = view.at("pair").at(1).get<std::size_t>();
  const std::vector<double> box = numbers(view.at("near"));
  const Json& names = item.at("result").at("measurements");
  Panel panel{.title = "measurement space",
              .x = {shortened(names.at(i)), false, box[0], box[2]},
              .y = {shortened(names.at(j)), false, box[1], box[3]}};
  PanelArea target{.name = "target", .color = kTargetColor, .x = {}, .y = {}};
  for (const Json& corner : view.at("target")) {
    target.x.push_back(corner.at(0));
    target.y.push_back(corner.at(1));
  }
  panel.areas.push_back(std::move(target));
  PanelCurve path{.name = "", .color = kMixtureColor, .x = {}, .y = {}};
  for (const Json& point : item.at("history").at("point")) {
    path.x.push_back(point.at(i));
    path.y.push_back(point.at(j));
  }
  PanelDots mixture{.name = "mixture", .color = kMixtureColor, .x = {path.x.back()}, .y = {path.y.back()}};
  panel.curves.push_back(std::move(path));
  PanelDots others{.name = "", .color = kPolicyColor, .x = {}, .y = {}, .filled = false};
  for (const Json& policy : item.at("policies")) {
    others.x.push_back(policy.at("point").at(i));
    others.y.push_back(policy.at("point").at(j));
  }
  panel.dots.push_back(std::move(others));
  PanelDots members{.name = "policies of the mixture", .color = kPolicyColor, .x = {}, .y = {}};
  for (const Json& policy : item.at("result").at("policies")) {
    members.x.push_back(policy.at("measurement").at(i));
    members.y.push_back(policy.at("measurement").at(j));
  }
  panel.dots.push_back(std::move(members));
  panel.dots.push_back(std::move(mixture));
  return panel;
}

std::vector<Figure> run_figures(const Json& item) {
  const Json& history = item.at("history");
  std::vector<Figure> figures;
  if (history.at("call").empty()) return figures;
  const std::string name = item.at("name");
  if (!item.at("space").empty()) figures.push_back({name + "-space", {space_panel(item)}});
  std::vector<double> calls = numbers(history.at("call"));
  calls.push_back(calls.back() + 1);
  // What holds after the last call is seen, too.
  const auto held = [&](const char* field) {
    std::vector<double> values = numbers(history.at(field));
    values.push_back(values.back());
    return values;
  };
  const std::vector<double> distance = held("distance"), bound = held("bound"), policies = held("policies");
  const PanelAxis x = calls.back() > 200 ? logarithmic("oracle call", calls, 1)
                                         : PanelAxis{"oracle call", false, 1, std::max(2.0, calls.back())};
  std::vector<double> shown = distance;
  shown.insert(shown.end(), bound.begin(), bound.end());
  Panel distances{.title = "distance to the target", .x = x, .y = logarithmic("distance", shown, 2)};
  distances.curves.push_back(
      {.name = "distance", .color = kMixtureColor, .x = calls, .y = distance, .steps = true});
  distances.curves.push_back(
      {.name = "lower bound", .color = kBoundColor, .x = calls, .y = bound, .steps = true, .dashes = {3, 2}});
  Panel stored{.title = "policies stored",
               .x = x,
               .y = {"policies", false, 0, 1.1 * std::max(2.0, *std::ranges::max_element(policies))}};
  stored.curves.push_back({.name = "", .color = kPolicyColor, .x = calls, .y = policies, .steps = true});
  figures.push_back({name + "-course", {std::move(distances), std::move(stored)}});
  return figures;
}

}  // namespace

std::vector<std::string> write_figures(const Json& data, const std::string& folder) {
  make_directories(folder);
  std::vector<std::string> files;
  std::set<std::string> taken;
  for (const Json& item : data.at("items")) {
    for (const Figure& figure : item.at("kind") == "run" ? run_figures(item) : experiment_figures(item)) {
      const Drawing drawing = draw_panels(figure.panels);
      const std::string first = file_stem(figure.name);
      std::string stem = first;
      for (int i = 2; !taken.insert(stem).second; ++i) stem = fmt::format("{}-{}", first, i);
      write_file(fmt::format("{}/{}.svg", folder, stem), to_svg(drawing));
      write_file(fmt::format("{}/{}.pdf", folder, stem), to_pdf(drawing));
      files.push_back(stem + ".svg");
      files.push_back(stem + ".pdf");
    }
  }
  return files;
}

}  // namespace c2rl
