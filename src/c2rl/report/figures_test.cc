#include "c2rl/report/figures.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "c2rl/base/file.h"
#include "c2rl/report/panel.h"

namespace c2rl {
namespace {

// A reader finds every object where the table at the end says that it is.
void expect_whole(const std::string& pdf) {
  ASSERT_TRUE(pdf.starts_with("%PDF-1.4\n"));
  ASSERT_TRUE(pdf.ends_with("%%EOF\n"));
  const std::size_t table = std::stoul(pdf.substr(pdf.find("startxref\n") + 10));
  ASSERT_EQ(pdf.substr(table, 5), "xref\n");
  constexpr std::size_t kEntry = 20;
  std::size_t entry = pdf.find('\n', table + 5) + 1 + kEntry;  // behind the one that is free
  for (int number = 1; pdf.substr(entry, 7) != "trailer"; ++number, entry += kEntry) {
    const std::string begin = std::to_string(number) + " 0 obj\n";
    EXPECT_EQ(pdf.substr(std::stoul(pdf.substr(entry, 10)), begin.size()), begin);
  }
  const std::size_t length = std::stoul(pdf.substr(pdf.find("/Length ") + 8));
  const std::size_t stream = pdf.find("stream\n") + 7;
  EXPECT_EQ(pdf.substr(stream + length, 9), "endstream");
}

Drawing drawing_with(const std::string& text) {
  Drawing drawing{.width = 100, .height = 50, .parts = {}};
  drawing.parts.push_back(Path{.spots = {{0, 0}, {10, 10}}, .stroke = kInk, .opacity = 0.5});
  drawing.parts.push_back(Text{.at = {50, 20}, .text = text, .size = 10, .anchor = Text::Anchor::middle});
  return drawing;
}

TEST(ToPdf, IsWhole) {
  expect_whole(to_pdf(drawing_with("plain")));
}

TEST(ToPdf, TextIsText) {
  const std::string pdf = to_pdf(drawing_with("a) Tj (b\\ \xc3\xa9\n\xe2\x86\x92"));
  expect_whole(pdf);
  EXPECT_NE(pdf.find("(a\\) Tj \\(b\\\\ \xe9?"
                     "?) Tj"),
            std::string::npos);
}

// "plain" has 556 + 222 + 556 + 222 + 556 thousandths.
TEST(ToPdf, TextStandsInTheMiddle) {
  EXPECT_DOUBLE_EQ(text_width("plain", 10), 21.12);
  EXPECT_NE(to_pdf(drawing_with("plain")).find("1 0 0 1 39.44 30.00 Tm"), std::string::npos);
}

TEST(ToSvg, TextIsText) {
  const std::string svg = to_svg(drawing_with("<script> & more"));
  EXPECT_EQ(svg.find("<script>"), std::string::npos);
  EXPECT_NE(svg.find("&lt;script&gt; &amp; more"), std::string::npos);
}

TEST(AxisTicks, AreSimple) {
  EXPECT_EQ(axis_ticks({"", false, 0, 10}, 5), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(axis_ticks({"", false, -1.1, 1.1}, 4), (std::vector<double>{-1, 0, 1}));
  EXPECT_EQ(axis_ticks({"", true, 0.5, 2000}, 6), (std::vector<double>{1, 10, 100, 1000}));
  EXPECT_EQ(axis_ticks({"", true, 1, 6}, 6), (std::vector<double>{1, 2, 5}));
}

constexpr const char* kExperiment =
    R"({"items": [{"kind": "experiment", "name": "../evil </text>", "series": [
  {"method": "one", "problem": "p", "variants": ["v"], "calls": {"at": [1, 2],
     "error": {"mean": [1, 0.1], "sd": [0.5, 0.2]}, "policies": {"mean": [1, 2], "sd": [0, 0]}}},
  {"method": "two", "problem": "p", "variants": ["v"], "calls": {"at": [1, 2],
     "error": {"mean": [1, 0.5], "sd": [0.5, 0.1]}, "policies": {"mean": [1, 1], "sd": [0, 0]}}}]}]})";

TEST(WriteFigures, SvgAndPdfWithNamesOfTheirOwn) {
  const std::string folder = testing::TempDir() + "figures_test";
  std::filesystem::remove_all(folder);
  const std::vector<std::string> files = write_figures(parse_json(kExperiment), folder);
  EXPECT_EQ(files, (std::vector<std::string>{"evil-text-p-v.svg", "evil-text-p-v.pdf"}));
  const std::string svg = read_file(folder + "/evil-text-p-v.svg");
  EXPECT_NE(svg.find(">one</text>"), std::string::npos);
  EXPECT_NE(svg.find(">approximation error</text>"), std::string::npos);
  EXPECT_NE(svg.find(">policies stored</text>"), std::string::npos);
  expect_whole(read_file(folder + "/evil-text-p-v.pdf"));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace c2rl
