#include "c2rl/run/points.h"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <unistd.h>

#include "c2rl/base/error.h"

namespace c2rl {
namespace {

using Strings = std::vector<std::string>;

Points parse(std::string_view text) {
  return parse_points(text, "points.csv");
}

std::string error_of(std::string_view text) {
  try {
    parse(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

std::string file_error_of(const std::string& file) {
  try {
    read_points(file);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Points, OneColumnAPolicy) {
  const Points points = parse("steps,risk\n8,4\n10,1\n12,0\n");
  EXPECT_EQ(points.names, (Strings{"steps", "risk"}));
  EXPECT_EQ(points.ids, (Strings{"1", "2", "3"}));
  EXPECT_EQ(points.values, (Matrix{{8, 10, 12}, {4, 1, 0}}));
  EXPECT_FALSE(points.has_standard_errors);
  EXPECT_EQ(points.standard_errors, Matrix::Zero(2, 3));
}

TEST(Points, IdsAndStandardErrorsMayStandAnywhere) {
  const Points points = parse("risk_se,steps,id,risk\n0.5,8,fast,4\n0,-1e1,\"12\",+.25\n");
  EXPECT_EQ(points.names, (Strings{"steps", "risk"}));
  EXPECT_EQ(points.ids, (Strings{"fast", "12"}));
  EXPECT_EQ(points.values, (Matrix{{8, -10}, {4, 0.25}}));
  EXPECT_TRUE(points.has_standard_errors);
  EXPECT_EQ(points.standard_errors, (Matrix{{0, 0}, {0.5, 0}}));
}

TEST(Points, QuotesFollowRfc4180) {
  const Points points = parse("\"a, b\" , \"say \"\"hi\"\"\",id\n1,\"2\",\"two\nlines\"\n3, 4 ,\"\"\"\"\n");
  EXPECT_EQ(points.names, (Strings{"a, b", "say \"hi\""}));
  EXPECT_EQ(points.ids, (Strings{"two\nlines", "\""}));
  EXPECT_EQ(points.values, (Matrix{{1, 3}, {2, 4}}));
}

TEST(Points, LineEndsMarksCommentsAndBlankLinesAreNotData) {
  const Matrix expected{{1, 3}, {2, 4}};
  EXPECT_EQ(parse("a,b\r\n1,2\r\n3,4\r\n").values, expected);
  EXPECT_EQ(parse("a,b\n1,2\n3,4").values, expected);
  EXPECT_EQ(parse("\xEF\xBB\xBF"
                  "a,b\n1,2\n3,4\n")
                .names,
            (Strings{"a", "b"}));
  EXPECT_EQ(parse("# made by hand\n\na,b\n1,2\n# \"quote\n3,4\n\n  \r\n\n").values, expected);
}

TEST(PointsError, NamesFileLineColumnAndWhatWasExpected) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "points.csv: is empty, expected a header with measurement names"},
      {"\n# nothing\n\n", "points.csv: is empty, expected a header with measurement names"},
      {"a,b\n", "points.csv: has a header but no rows, expected one row a policy"},
      {"a,b\n1,2\n\n3\n", "points.csv:4:1: fields in this row: found 1, expected 2 as in the header"},
      {"a,b\n1,2,3\n", "points.csv:2:1: fields in this row: found 3, expected 2 as in the header"},
      {"a,risk\n1,2\n10,two\n", "points.csv:3:4: risk: found 'two', expected a number"},
      {"id,a\n\"ü\nx\", 1,5\n", "points.csv:2:1: fields in this row: found 3, expected 2 as in the header"},
      {"id,a\nü, 1;5\n", "points.csv:2:4: a: found '1;5', expected a number"},
      {"id,a\n\"x\ny\",z\n", "points.csv:3:4: a: found 'z', expected a number"},
      {"a,b\n1,\n", "points.csv:2:3: b: found nothing, expected a number"},
      {"a,b\n1,nan\n", "points.csv:2:3: b: found 'nan', expected a number from -1e100 to 1e100"},
      {"a,b\n-inf,1\n", "points.csv:2:1: a: found '-inf', expected a number from -1e100 to 1e100"},
      {"a,b\n1e999,1\n", "points.csv:2:1: a: found '1e999', expected a number from -1e100 to 1e100"},
      {"a,b,a\n1,2,3\n", "points.csv:1:5: found a second column 'a'"},
      {"a,,b\n1,2,3\n", "points.csv:1:3: found a column without a name"},
      {"id,a\nx,1\n#\ny,2\nx,3\n",
       "points.csv:5:1: id: found 'x' again, first on line 2; expected a different id in every row"},
      {"id,a\n,1\n", "points.csv:2:1: id: found nothing, expected a name"},
      {"a,b_se\n1,2\n", "points.csv:1:3: found 'b_se', a standard error, but no measurement 'b'"},
      {"a,a_se,a_se_se\n1,2,3\n",
       "points.csv:1:8: found 'a_se_se', a standard error, but no measurement 'a_se'"},
      {"a,a_se\n1,-0.5\n", "points.csv:2:3: a_se: found -0.5, expected a standard error of at least 0"},
      {"id\nx\n",
       "points.csv:1:1: found no measurement, expected at least one column besides id and NAME_se"},
      {"a,b\n1,\"2\n3,4\n", "points.csv:2:3: this quote is never closed"},
      {"a,b\n\"1\"2,3\n",
       "points.csv:2:4: found text after a closing quote, expected a comma or the end of the line"},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(error_of(text), message) << text;
}

TEST(PointsError, SemicolonsAreRecognised) {
  try {
    parse_points("steps;risk\n1,5;2\n", "p.csv");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "p.csv:1:1: found semicolons between the names, expected commas (and points in numbers)");
  }
}

TEST(PointsError, FilesThatCannotBeReadAreNamed) {
  EXPECT_EQ(file_error_of("/no/such/points.csv"),
            "/no/such/points.csv: cannot be opened: No such file or directory");
  EXPECT_EQ(file_error_of("/"), "/: is a directory, expected a CSV file");
}

// They are no measurements: mixing or bounding them would mean nothing.
TEST(Points, SpreadsUnderOtherNamesArePointedAt) {
  for (const char* name : {"cost_std", "cost_sd", "cost_stddev", "std_cost", "cost.std"}) {
    const std::string header = std::string("cost,") + name;
    const std::string error = error_of(header + "\n1,2\n");
    EXPECT_NE(error.find(std::string("1:6: found '") + name +
                         "', which looks like the standard deviation of "
                         "'cost', expected its standard error, called 'cost_se'"),
              std::string::npos)
        << error;
  }
  for (const char* name : {"cost_stderr", "cost_sem", "cost_error", "se_cost", "cost_SEM"}) {
    const std::string error = error_of(std::string("id,") + name + ",cost\np,1,2\n");
    EXPECT_NE(error.find("which looks like the standard error of 'cost'; expected it to be called 'cost_se'"),
              std::string::npos)
        << error;
  }
  // No other column is called so: these are measurements.
  EXPECT_EQ(parse("tracking_error,std\n1,2\n").names, (Strings{"tracking_error", "std"}));
}

TEST(Points, ReadsFilesAndStandardInput) {
  const auto file = std::filesystem::path(testing::TempDir()) / fmt::format("points_test_{}.csv", getpid());
  std::ofstream(file) << "a\n1\n2\n";
  EXPECT_EQ(read_points(file.string()).values, (Matrix{{1, 2}}));
  std::filesystem::remove(file);

  std::istringstream typed("a\n1\nx\n");
  std::streambuf* const before = std::cin.rdbuf(typed.rdbuf());
  EXPECT_EQ(file_error_of("-"), "standard input:3:1: a: found 'x', expected a number");
  std::cin.rdbuf(before);
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? "\"\"" : std::string(1, c);
  return result + '"';
}

TEST(PointsProperty, WrittenPointsAreReadBackToTheLastBit) {
  const bool held = rc::check("any ids and values", [] {
    const auto ids = *rc::gen::nonEmpty(rc::gen::unique<Strings>(rc::gen::nonEmpty<std::string>()));
    Matrix values(2, static_cast<Eigen::Index>(ids.size()));
    const std::string line_end = *rc::gen::element<std::string>("\n", "\r\n");
    std::string text = "id,a,b" + line_end;
    for (Eigen::Index i = 0; i < values.cols(); ++i) {
      for (Eigen::Index j = 0; j < 2; ++j) values(j, i) = *rc::gen::arbitrary<double>();
      text += fmt::format("{},{},{}{}", quoted(ids[static_cast<size_t>(i)]), values(0, i), values(1, i),
                          line_end);
    }
    const Points points = parse(text);
    RC_ASSERT(points.ids == ids);
    RC_ASSERT(points.values == values);
  });
  EXPECT_TRUE(held);
}

TEST(PointsProperty, GarbageGivesAnInputErrorOrFinitePoints) {
  const bool held = rc::check("pieces of CSV in any order", [](const std::string& bytes) {
    const auto piece = rc::gen::element<std::string>("a", "b", "id", "a_se", ",", "\n", "\r\n", "\"", "1",
                                                     "-2", "1e999", "#", " ");
    std::string text;
    for (const std::string& next : *rc::gen::container<Strings>(piece)) text += next;
    for (const std::string& candidate : {bytes, text, "a,a_se\n" + text}) {
      try {
        const Points points = parse(candidate);
        RC_ASSERT(points.values.allFinite() && points.values.size() > 0);
        RC_ASSERT(points.ids.size() == static_cast<size_t>(points.values.cols()));
        RC_ASSERT((points.standard_errors.array() >= 0).all());
      } catch (const InputError&) {
      }
    }
  });
  EXPECT_TRUE(held);
}

}  // namespace
}  // namespace c2rl
