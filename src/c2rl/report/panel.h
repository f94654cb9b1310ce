#pragma once

#include <string>
#include <vector>

#include "c2rl/report/drawing.h"

namespace c2rl {

/// A line of a panel, with a band around it where it has one.
struct PanelCurve {
  std::string name;
  Color color = kInk;
  std::vector<double> x, y;
  std::vector<double> low = {}, high = {};  // as many as there are points, or none
  bool steps = false;                       // a value holds until the next
  std::vector<double> dashes = {};
};

struct PanelAxis {
  std::string label;
  bool logarithmic = false;
  double from = 0, to = 1;
};

/// Points that are marked, in an order of their own above the curves.
struct PanelDots {
  std::string name;
  Color color = kInk;
  std::vector<double> x, y;
  bool filled = true;
};

/// A polygon below the curves.
struct PanelArea {
  std::string name;
  Color color = kInk;
  std::vector<double> x, y;
};

struct Panel {
  std::string title;
  PanelAxis x, y;
  std::vector<PanelArea> areas = {};
  std::vector<PanelCurve> curves = {};
  std::vector<PanelDots> dots = {};
};

/// Panels side by side, with one legend below for all that they name.
Drawing draw_panels(const std::vector<Panel>& panels);

/// Numbers at which an axis has marks: about so many, simple, from below.
std::vector<double> axis_ticks(const PanelAxis& axis, int most);

}  // namespace c2rl
