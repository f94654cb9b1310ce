#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "c2rl/report/drawing.h"

namespace c2rl {
namespace {

/// Widths of the characters from blank to tilde in Helvetica, in thousandths of its size (Adobe's font metrics).
constexpr int kWidths[] = {278,  278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
                           556,  556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
                           1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
                           667,  778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
                           333,  556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
                           556,  556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584};
constexpr int kUsualWidth = 556;

/// One byte a character, of Latin-1; others are question marks.
std::string latin(const std::string& text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c < 0x80) {
      bytes += c < ' ' || c == 0x7f ? '?' : text[i];
    } else if ((c == 0xc2 || c == 0xc3) && i + 1 < text.size()) {
      bytes += static_cast<char>(((c & 3) << 6) | (static_cast<unsigned char>(text[++i]) & 0x3f));
    } else {
      bytes += '?';
      while (i + 1 < text.size() && (static_cast<unsigned char>(text[i + 1]) & 0xc0) == 0x80) ++i;
    }
  }
  return bytes;
}

std::string quoted(const std::string& bytes) {
  std::string text = "(";
  for (const char c : bytes) {
    if (c == '(' || c == ')' || c == '\\') text += '\\';
    text += c;
  }
  return text + ")";
}

std::string color_text(const Color& color, const char* operation) {
  return fmt::format("{:.3f} {:.3f} {:.3f} {}\n", color[0] / 255.0, color[1] / 255.0, color[2] / 255.0,
                     operation);
}

class PdfContents {
 public:
  explicit PdfContents(double height) : height_(height) {}

  void operator()(const Path& path) {
    if (path.spots.empty() || (!path.fill && !path.stroke)) return;
    text += "q\n";
    if (path.clip) {
      const auto& [from, to] = *path.clip;
      text += fmt::format("{:.2f} {:.2f} {:.2f} {:.2f} re W n\n", from.x, height_ - to.y, to.x - from.x,
                          to.y - from.y);
    }
    if (path.opacity < 1) text += fmt::format("/G{} gs\n", state_of(path.opacity));
    if (path.fill) text += color_text(*path.fill, "rg");
    if (path.stroke) text += color_text(*path.stroke, "RG") + fmt::format("{:.2f} w 1 j 1 J\n", path.width);
    if (!path.dashes.empty()) text += fmt::format("[{:.2f}] 0 d\n", fmt::join(path.dashes, " "));
    for (std::size_t i = 0; i < path.spots.size(); ++i)
      text +=
          fmt::format("{:.2f} {:.2f} {}\n", path.spots[i].x, height_ - path.spots[i].y, i == 0 ? "m" : "l");
    if (path.closed) text += "h\n";
    text += path.fill && path.stroke ? "B\n" : path.fill ? "f\n" : "S\n";
    text += "Q\n";
  }

  void operator()(const Text& part) {
    const double width = text_width(part.text, part.size);
    const double back = part.anchor == Text::Anchor::begin    ? 0
                        : part.anchor == Text::Anchor::middle ? width / 2
                                                              : width;
    const double x = part.at.x - (part.upward ? 0 : back);
    const double y = height_ - part.at.y - (part.upward ? back : 0);
    text += color_text(part.color, "rg");
    text += fmt::format("BT /F1 {:.2f} Tf {} {:.2f} {:.2f} Tm {} Tj ET\n", part.size,
                        part.upward ? "0 1 -1 0" : "1 0 0 1", x, y, quoted(latin(part.text)));
  }

  std::string text;
  std::map<int, int> states;  // opacity in percent, and its number

 private:
  int state_of(double opacity) {
    const int percent = static_cast<int>(std::lround(100 * opacity));
    return states.try_emplace(percent, static_cast<int>(states.size())).first->second;
  }

  double height_;
};

}  // namespace

double text_width(const std::string& text, double size) {
  double width = 0;
  for (const char c : latin(text)) {
    const int index = static_cast<unsigned char>(c) - ' ';
    width += index < static_cast<int>(std::size(kWidths)) ? kWidths[index] : kUsualWidth;
  }
  return width * size / 1000;
}

std::string to_pdf(const Drawing& drawing) {
  PdfContents contents(drawing.height);
  for (const auto& part : drawing.parts) std::visit(contents, part);
  std::string states;
  for (const auto& [percent, number] : contents.states)
    states += fmt::format("/G{} <</ca {:.2f} /CA {:.2f}>> ", number, percent / 100.0, percent / 100.0);
  const std::vector<std::string> objects = {
      "<</Type /Catalog /Pages 2 0 R>>", "<</Type /Pages /Kids [3 0 R] /Count 1>>",
      fmt::format("<</Type /Page /Parent 2 0 R /MediaBox [0 0 {:.2f} {:.2f}] /Contents 4 0 R /Resources "
                  "<</Font <</F1 5 0 R>> /ExtGState <<{}>>>>>>",
                  drawing.width, drawing.height, states),
      fmt::format("<</Length {}>>\nstream\n{}endstream", contents.text.size(), contents.text),
      "<</Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding>>"};
  std::string pdf = "%PDF-1.4\n";
  std::vector<std::size_t> begins;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    begins.push_back(pdf.size());
    pdf += fmt::format("{} 0 obj\n{}\nendobj\n", i + 1, objects[i]);
  }
  const std::size_t table = pdf.size();
  pdf += fmt::format("xref\n0 {}\n0000000000 65535 f \n", objects.size() + 1);
  for (const std::size_t begin : begins) pdf += fmt::format("{:010} 00000 n \n", begin);
  pdf += fmt::format("trailer\n<</Size {} /Root 1 0 R>>\nstartxref\n{}\n%%EOF\n", objects.size() + 1, table);
  return pdf;
}

}  // namespace c2rl
