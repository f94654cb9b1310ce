#pragma once

#include <array>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace c2rl {

/// From the left and from the top, in points (1/72 inch).
struct Spot {
  double x = 0, y = 0;
};

/// Red, green and blue, 0 to 255.
using Color = std::array<int, 3>;
inline constexpr Color kInk = {26, 28, 32}, kGray = {150, 150, 150};

/// Straight lines from spot to spot.
struct Path {
  std::vector<Spot> spots;
  bool closed = false;
  std::optional<Color> stroke = {};
  std::optional<Color> fill = {};
  double width = 1;
  double opacity = 1;
  std::vector<double> dashes = {};               // on, off, ...; none: not dashed
  std::optional<std::array<Spot, 2>> clip = {};  // corners of what is shown of it
};

struct Text {
  enum class Anchor { begin, middle, end };

  Spot at;  // on the base line
  std::string text;
  double size = 8;
  Anchor anchor = Anchor::begin;
  bool upward = false;  // turned by a quarter to the left
  Color color = kInk;
};

/// What a figure is made of, first things below. The same drawing is written as SVG and as PDF, both by vectors.
struct Drawing {
  double width = 0, height = 0;
  std::vector<std::variant<Path, Text>> parts;
};

std::string to_svg(const Drawing& drawing);
/// With the font Helvetica, which every reader has. Characters that it lacks are question marks.
std::string to_pdf(const Drawing& drawing);

/// How wide a text is in Helvetica, in points.
double text_width(const std::string& text, double size);

}  // namespace c2rl
