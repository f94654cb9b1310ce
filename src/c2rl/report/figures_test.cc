#include "c2rl/report/figures.h"

#include <cmath>
#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

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

/// What is said of error or stored policies: mean, median and interquartile mean, and what is around them.
Json spreads(const std::vector<double>& middle) {
  Json json;
  for (const char* field : {"mean", "sd", "median", "q1", "q3", "iqm", "iqm_low", "iqm_high"})
    json[field] = middle;
  return json;
}

Json course(const std::vector<double>& places, const std::vector<double>& error) {
  return {{"at", places},
          {"error", spreads(error)},
          {"policies", spreads(std::vector<double>(places.size(), 2))}};
}

Json experiment_of(const std::vector<Json>& series) {
  return {{"items", {{{"kind", "experiment"}, {"name", "../evil </text>"}, {"series", series}}}}};
}

class WriteFigures : public testing::Test {
 protected:
  WriteFigures() { std::filesystem::remove_all(folder_); }
  ~WriteFigures() override { std::filesystem::remove_all(folder_); }

  std::string folder_ = testing::TempDir() + "c2rl_figures_" + std::to_string(getpid());
};

TEST_F(WriteFigures, SvgAndPdfWithNamesOfTheirOwn) {
  const Json none = course({}, {});
  const std::vector<std::string> files = write_figures(experiment_of({{{"method", "one"},
                                                                       {"problem", "p"},
                                                                       {"variants", {"v"}},
                                                                       {"calls", course({1, 2}, {1, 0.1})},
                                                                       {"steps", none},
                                                                       {"seconds", none}},
                                                                      {{"method", "two"},
                                                                       {"problem", "p"},
                                                                       {"variants", {"v"}},
                                                                       {"calls", course({1, 2}, {1, 0.5})},
                                                                       {"steps", course({10, 20}, {1, 0.5})},
                                                                       {"seconds", none}}}),
                                                       folder_);
  // Nobody counted seconds, and one of them no steps.
  std::vector<std::string> expected;
  for (const char* stem : {"", "-median", "-iqm", "-steps", "-steps-median", "-steps-iqm"}) {
    expected.push_back(std::string("evil-text-p-v") + stem + ".svg");
    expected.push_back(std::string("evil-text-p-v") + stem + ".pdf");
  }
  EXPECT_EQ(files, expected);
  const auto has = [&](const std::string& file, const std::string& text) {
    return read_file(folder_ + "/" + file).find(">" + text + "</text>") != std::string::npos;
  };
  EXPECT_TRUE(has("evil-text-p-v.svg", "one"));
  EXPECT_TRUE(has("evil-text-p-v.svg", "two"));
  EXPECT_TRUE(has("evil-text-p-v.svg", "approximation error"));
  EXPECT_TRUE(has("evil-text-p-v.svg", "policies stored"));
  EXPECT_TRUE(has("evil-text-p-v.svg", "error (mean, standard deviation)"));
  EXPECT_TRUE(has("evil-text-p-v-median.svg", "policies (median, quartiles)"));
  EXPECT_FALSE(has("evil-text-p-v-steps.svg", "one"));
  EXPECT_TRUE(has("evil-text-p-v-steps.svg", "environment steps"));
  for (const std::string& file : files) {
    if (file.ends_with(".pdf")) expect_whole(read_file(folder_ + "/" + file));
  }
}

// Each statistic is the one that its file names, and so is its band.
TEST_F(WriteFigures, DrawsWhatItsNameSays) {
  Json calls = course({1, 2}, {1, 1000});
  calls["error"]["median"] = {10, 40};
  calls["error"]["q1"] = {5, 20};
  calls["error"]["q3"] = {20, 80};
  const Json none = course({}, {});
  write_figures(experiment_of({{{"method", "one"},
                                {"problem", "p"},
                                {"variants", Json::array()},
                                {"calls", calls},
                                {"steps", none},
                                {"seconds", none}}}),
                folder_);
  const std::string svg = read_file(folder_ + "/evil-text-p-median.svg");
  // The axis goes from a third of the least median to three times the most.
  const auto y = [](double value) {
    constexpr double kTop = 22, kHeight = 165;
    return fmt::format("{:.2f}", kTop + kHeight * (1 - std::log(value / (10.0 / 3)) / std::log(36.0)));
  };
  const auto has = [&](const std::string& path) { return svg.find(path) != std::string::npos; };
  EXPECT_TRUE(has("\"M46.00," + y(10) + "L276.00," + y(40) + "\"")) << svg;
  EXPECT_TRUE(has("\"M46.00," + y(20) + "L276.00," + y(80) + "L276.00," + y(20) + "L46.00," + y(5) + "Z\""))
      << svg;
}

}  // namespace
}  // namespace c2rl
