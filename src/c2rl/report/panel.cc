#include "c2rl/report/panel.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "c2rl/base/text.h"

namespace c2rl {
namespace {

constexpr double kPanelWidth = 230, kPanelHeight = 165;  // of the frame of a panel
constexpr double kLeft = 46, kTop = 22, kBottom = 32, kRight = 12, kLegendLine = 13;
constexpr double kSmall = 7, kUsual = 8, kTitle = 9;

std::string tick_text(double value) {
  const double size = std::abs(value);
  if (size != 0 && (size >= 1e6 || size < 1e-3)) return fmt::format("{:.3g}", value);
  return format_number(value);
}

/// One panel within a drawing.
class PanelPainter {
 public:
  PanelPainter(const Panel& panel, Spot corner, Drawing& drawing)
      : panel_(panel),
        from_(corner),
        to_{corner.x + kPanelWidth, corner.y + kPanelHeight},
        drawing_(drawing) {}

  void paint() {
    grid();
    for (const PanelArea& area : panel_.areas) {
      drawing_.parts.push_back(Path{.spots = spots(area.x, area.y),
                                    .closed = true,
                                    .fill = area.color,
                                    .opacity = 0.25,
                                    .clip = frame()});
      drawing_.parts.push_back(Path{.spots = spots(area.x, area.y),
                                    .closed = true,
                                    .stroke = area.color,
                                    .width = 0.8,
                                    .clip = frame()});
    }
    for (const PanelCurve& curve : panel_.curves) band(curve);
    for (const PanelCurve& curve : panel_.curves) {
      drawing_.parts.push_back(Path{.spots = curve.steps ? stepped(curve) : spots(curve.x, curve.y),
                                    .stroke = curve.color,
                                    .width = 1.2,
                                    .dashes = curve.dashes,
                                    .clip = frame()});
    }
    for (const PanelDots& dots : panel_.dots) {
      for (std::size_t i = 0; i < dots.x.size(); ++i) dot(at(dots.x[i], dots.y[i]), dots);
    }
    drawing_.parts.push_back(Path{.spots = {from_, {to_.x, from_.y}, to_, {from_.x, to_.y}},
                                  .closed = true,
                                  .stroke = kInk,
                                  .width = 0.6});
    drawing_.parts.push_back(Text{.at = {(from_.x + to_.x) / 2, from_.y - 7},
                                  .text = panel_.title,
                                  .size = kTitle,
                                  .anchor = Text::Anchor::middle});
  }

 private:
  std::array<Spot, 2> frame() const { return {from_, to_}; }

  static double part(const PanelAxis& axis, double value) {
    if (!axis.logarithmic) return (value - axis.from) / (axis.to - axis.from);
    // What is no number there lies on the edge.
    return value <= axis.from ? 0 : std::log(value / axis.from) / std::log(axis.to / axis.from);
  }
  Spot at(double x, double y) const {
    return {from_.x + part(panel_.x, x) * kPanelWidth, to_.y - part(panel_.y, y) * kPanelHeight};
  }
  std::vector<Spot> spots(const std::vector<double>& x, const std::vector<double>& y) const {
    std::vector<Spot> found;
    found.reserve(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) found.push_back(at(x[i], y[i]));
    return found;
  }
  std::vector<Spot> stepped(const PanelCurve& curve) const {
    std::vector<Spot> found;
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
      if (i > 0) found.push_back(at(curve.x[i], curve.y[i - 1]));
      found.push_back(at(curve.x[i], curve.y[i]));
    }
    return found;
  }

  void band(const PanelCurve& curve) {
    if (curve.low.empty()) return;
    std::vector<Spot> around = spots(curve.x, curve.high);
    const std::vector<Spot> back = spots(curve.x, curve.low);
    around.insert(around.end(), back.rbegin(), back.rend());
    drawing_.parts.push_back(Path{
        .spots = std::move(around), .closed = true, .fill = curve.color, .opacity = 0.2, .clip = frame()});
  }

  void dot(Spot middle, const PanelDots& dots) {
    constexpr int kCorners = 16;
    constexpr double kRadius = 2.4;
    Path circle{.spots = {}, .closed = true, .stroke = dots.color, .width = 0.8, .clip = frame()};
    if (dots.filled) circle.fill = dots.color;
    for (int i = 0; i < kCorners; ++i) {
      const double angle = 2 * M_PI * i / kCorners;
      circle.spots.push_back({middle.x + kRadius * std::cos(angle), middle.y + kRadius * std::sin(angle)});
    }
    drawing_.parts.push_back(std::move(circle));
  }

  void grid() {
    for (const double tick : axis_ticks(panel_.x, 6)) {
      const double x = at(tick, panel_.y.from).x;
      drawing_.parts.push_back(Path{.spots = {{x, to_.y}, {x, to_.y + 3}}, .stroke = kInk, .width = 0.6});
      drawing_.parts.push_back(Text{
          .at = {x, to_.y + 11}, .text = tick_text(tick), .size = kSmall, .anchor = Text::Anchor::middle});
    }
    for (const double tick : axis_ticks(panel_.y, 6)) {
      const double y = at(panel_.x.from, tick).y;
      drawing_.parts.push_back(
          Path{.spots = {{from_.x, y}, {to_.x, y}}, .stroke = kGray, .width = 0.3, .opacity = 0.6});
      drawing_.parts.push_back(Path{.spots = {{from_.x - 3, y}, {from_.x, y}}, .stroke = kInk, .width = 0.6});
      drawing_.parts.push_back(Text{.at = {from_.x - 5, y + 2.5},
                                    .text = tick_text(tick),
                                    .size = kSmall,
                                    .anchor = Text::Anchor::end});
    }
    drawing_.parts.push_back(Text{.at = {(from_.x + to_.x) / 2, to_.y + 23},
                                  .text = panel_.x.label,
                                  .size = kUsual,
                                  .anchor = Text::Anchor::middle});
    drawing_.parts.push_back(Text{.at = {from_.x - 36, (from_.y + to_.y) / 2},
                                  .text = panel_.y.label,
                                  .size = kUsual,
                                  .anchor = Text::Anchor::middle,
                                  .upward = true});
  }

  const Panel& panel_;
  Spot from_, to_;
  Drawing& drawing_;
};

struct LegendEntry {
  std::string name;
  Color color;
  bool operator==(const LegendEntry&) const = default;
};

std::vector<LegendEntry> legend_of(const std::vector<Panel>& panels) {
  std::vector<LegendEntry> entries;
  const auto add = [&](const auto& part) {
    const LegendEntry entry{part.name, part.color};
    if (!part.name.empty() && std::ranges::find(entries, entry) == entries.end()) entries.push_back(entry);
  };
  for (const Panel& panel : panels) {
    for (const auto& part : panel.areas) add(part);
    for (const auto& part : panel.curves) add(part);
    for (const auto& part : panel.dots) add(part);
  }
  return entries;
}

}  // namespace

std::vector<double> axis_ticks(const PanelAxis& axis, int most) {
  std::vector<double> ticks;
  if (axis.logarithmic) {
    const int from = static_cast<int>(std::ceil(std::log10(axis.from) - 1e-9));
    const int to = static_cast<int>(std::floor(std::log10(axis.to) + 1e-9));
    const int every = std::max(1, (to - from + most) / most);
    for (int power = from; power <= to; ++power) {
      if (power % every == 0) ticks.push_back(std::pow(10, power));
    }
    if (ticks.size() >= 2) return ticks;
    ticks.clear();
    for (int power = from - 1; power <= to; ++power) {
      for (const double digit : {1, 2, 5}) {
        const double tick = digit * std::pow(10, power);
        if (tick >= axis.from && tick <= axis.to) ticks.push_back(tick);
      }
    }
    return ticks;
  }
  const double rough = (axis.to - axis.from) / most;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double digit : {5.0, 2.0, 1.0}) {
    if (digit * power >= rough * (1 - 1e-9)) step = digit * power;
  }
  for (double k = std::ceil(axis.from / step - 1e-9); k * step <= axis.to + 1e-9 * step; ++k)
    ticks.push_back(k == 0 ? 0 : k * step);
  return ticks;
}

Drawing draw_panels(const std::vector<Panel>& panels) {
  Drawing drawing;
  const double pitch = kLeft + kPanelWidth + kRight;
  drawing.width = pitch * static_cast<double>(panels.size());
  double x = 0;
  for (const Panel& panel : panels) {
    PanelPainter(panel, {x + kLeft, kTop}, drawing).paint();
    x += pitch;
  }
  // Names beside their colours, in as many lines as they need.
  double line = kTop + kPanelHeight + kBottom + kUsual, left = kLeft;
  for (const LegendEntry& entry : legend_of(panels)) {
    constexpr double kKey = 9, kGap = 12;
    const double width = kKey + 4 + text_width(entry.name, kUsual) + kGap;
    if (left > kLeft && left + width > drawing.width) {
      left = kLeft;
      line += kLegendLine;
    }
    drawing.parts.push_back(
        Path{.spots = {{left, line - 6}, {left + kKey, line - 6}, {left + kKey, line}, {left, line}},
             .closed = true,
             .fill = entry.color});
    drawing.parts.push_back(Text{.at = {left + kKey + 4, line}, .text = entry.name, .size = kUsual});
    left += width;
  }
  drawing.height = line + kUsual;
  return drawing;
}

}  // namespace c2rl
