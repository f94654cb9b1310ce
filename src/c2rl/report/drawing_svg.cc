#include <fmt/format.h>

#include "c2rl/report/drawing.h"
#include "c2rl/report/markup.h"

namespace c2rl {
namespace {

std::string color_text(const Color& color) {
  return fmt::format("#{:02x}{:02x}{:02x}", color[0], color[1], color[2]);
}

class SvgWriter {
 public:
  void operator()(const Path& path) {
    std::string clip;
    if (path.clip) {
      const auto& [from, to] = *path.clip;
      text += fmt::format(
          "<clipPath id=\"c{}\"><rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" "
          "height=\"{:.2f}\"/></clipPath>\n",
          ++clips_, from.x, from.y, to.x - from.x, to.y - from.y);
      clip = fmt::format(" clip-path=\"url(#c{})\"", clips_);
    }
    text += "<path d=\"";
    for (std::size_t i = 0; i < path.spots.size(); ++i)
      text += fmt::format("{}{:.2f},{:.2f}", i == 0 ? "M" : "L", path.spots[i].x, path.spots[i].y);
    text += path.closed ? "Z\"" : "\"";
    text += path.fill ? fmt::format(" fill=\"{}\"", color_text(*path.fill)) : " fill=\"none\"";
    if (path.stroke)
      text += fmt::format(" stroke=\"{}\" stroke-width=\"{:.2f}\"", color_text(*path.stroke), path.width);
    if (path.opacity < 1) text += fmt::format(" opacity=\"{:.2f}\"", path.opacity);
    if (!path.dashes.empty())
      text += fmt::format(" stroke-dasharray=\"{:.2f}\"", fmt::join(path.dashes, ","));
    text += clip + "/>\n";
  }

  void operator()(const Text& part) {
    static constexpr const char* kAnchors[] = {"start", "middle", "end"};
    text += fmt::format(
        "<text x=\"{:.2f}\" y=\"{:.2f}\" font-size=\"{}\" fill=\"{}\" text-anchor=\"{}\"{}>{}</text>\n",
        part.at.x, part.at.y, part.size, color_text(part.color), kAnchors[static_cast<int>(part.anchor)],
        part.upward ? fmt::format(" transform=\"rotate(-90 {:.2f} {:.2f})\"", part.at.x, part.at.y) : "",
        escaped(part.text));
  }

  std::string text;

 private:
  int clips_ = 0;
};

}  // namespace

std::string to_svg(const Drawing& drawing) {
  SvgWriter writer;
  writer.text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}pt\" height=\"{1}pt\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"Helvetica, Arial, sans-serif\">\n",
      drawing.width, drawing.height);
  for (const auto& part : drawing.parts) std::visit(writer, part);
  return writer.text + "</svg>\n";
}

}  // namespace c2rl
