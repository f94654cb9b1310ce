#include "c2rl/run/points.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "c2rl/base/csv.h"
#include "c2rl/base/error.h"
#include "c2rl/base/text.h"
#include "c2rl/geometry/convex_set.h"

namespace c2rl {
namespace {

constexpr std::string_view kStandardErrorSuffix = "_se";

bool same_but_for_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

/// What a spread is called elsewhere, before or behind the name of what it is the spread of.
constexpr std::array<std::string_view, 5> kDeviations = {"std", "sd", "stddev", "stdev", "deviation"};
constexpr std::array<std::string_view, 7> kErrors = {"stderr", "sem", "ste",           "se",
                                                     "error",  "err", "standard_error"};
constexpr std::string_view kSeparators = "_-. ";

/// The measurement that a column is the spread of, going by its name: "cost" for cost_std and std_cost.
std::optional<std::string> spread_of(std::string_view name, std::span<const std::string_view> words,
                                     const std::vector<std::string>& measurements) {
  const auto is_measurement = [&](std::string_view part) {
    return std::ranges::find(measurements, part) != measurements.end();
  };
  for (const std::string_view word : words) {
    if (name.size() < word.size() + 2) continue;
    const std::string_view front = name.substr(0, name.size() - word.size() - 1);
    const std::string_view back = name.substr(word.size() + 1);
    const bool behind = kSeparators.find(name[front.size()]) != std::string_view::npos;
    const bool before = kSeparators.find(name[word.size()]) != std::string_view::npos;
    if (behind && same_but_for_case(name.substr(front.size() + 1), word) && is_measurement(front))
      return std::string(front);
    if (before && same_but_for_case(name.substr(0, word.size()), word) && is_measurement(back))
      return std::string(back);
  }
  return std::nullopt;
}

struct Column {
  enum class Kind { id, value, standard_error };
  Kind kind = Kind::value;
  std::string name;
  size_t measurement = 0;  // the one it belongs to; of no meaning for an id
};

class PointsReader {
 public:
  PointsReader(std::string_view text, const std::string& file) : csv_(text, file), file_(file) {}

  Points read() {
    std::vector<CsvField> record;
    if (!csv_.next(record))
      throw InputError({.file = file_}, "is empty, expected a header with measurement names");
    read_header(record);
    while (csv_.next(record)) read_row(record);
    if (rows_ == 0) throw InputError({.file = file_}, "has a header but no rows, expected one row a policy");
    check_ids_differ();

    const auto rows = static_cast<Eigen::Index>(points_.names.size());
    const auto columns = static_cast<Eigen::Index>(rows_);
    points_.values = Eigen::Map<const Matrix>(values_.data(), rows, columns);
    points_.standard_errors = points_.has_standard_errors
                                  ? Matrix(Eigen::Map<const Matrix>(standard_errors_.data(), rows, columns))
                                  : Matrix::Zero(rows, columns);
    return std::move(points_);
  }

 private:
  void read_header(const std::vector<CsvField>& header) {
    if (header.size() == 1 && header[0].text.find(';') != std::string_view::npos) {
      throw InputError(csv_.place(header[0].begin),
                       "found semicolons between the names, expected commas (and points in numbers)");
    }
    std::unordered_set<std::string_view> seen;
    for (const CsvField& field : header) {
      if (field.text.empty()) throw InputError(csv_.place(field.begin), "found a column without a name");
      if (!seen.insert(field.text).second) {
        throw InputError(csv_.place(field.begin), fmt::format("found a second column '{}'", field.text));
      }
      const bool is_error = field.text.ends_with(kStandardErrorSuffix);
      const Column::Kind kind = field.text == "id" ? Column::Kind::id
                                : is_error         ? Column::Kind::standard_error
                                                   : Column::Kind::value;
      columns_.push_back(
          {.kind = kind, .name = std::string(field.text), .measurement = points_.names.size()});
      if (kind == Column::Kind::value) points_.names.emplace_back(field.text);
      has_ids_ |= kind == Column::Kind::id;
      points_.has_standard_errors |= kind == Column::Kind::standard_error;
    }
    if (points_.names.empty()) {
      throw InputError(csv_.place(header.front().begin),
                       "found no measurement, expected at least one column besides id and NAME_se");
    }
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].kind == Column::Kind::standard_error) match_standard_error(columns_[i], header[i]);
      if (columns_[i].kind == Column::Kind::value) reject_spread(columns_[i], header[i]);
    }
  }

  /// A standard error under another name would be mixed, and might be constrained, as if it were measured.
  void reject_spread(const Column& column, const CsvField& field) const {
    if (const auto of = spread_of(column.name, kDeviations, points_.names)) {
      throw InputError(csv_.place(field.begin),
                       fmt::format("found '{0}', which looks like the standard deviation of '{1}', expected "
                                   "its standard error, called '{1}_se': the deviation over the square root "
                                   "of the number of episodes; leave the column out or rename it",
                                   column.name, *of));
    }
    if (const auto of = spread_of(column.name, kErrors, points_.names)) {
      throw InputError(
          csv_.place(field.begin),
          fmt::format("found '{0}', which looks like the standard error of '{1}'; expected it to "
                      "be called '{1}_se'",
                      column.name, *of));
    }
  }

  void match_standard_error(Column& column, const CsvField& field) {
    const std::string of = column.name.substr(0, column.name.size() - kStandardErrorSuffix.size());
    const auto found = std::find(points_.names.begin(), points_.names.end(), of);
    if (found == points_.names.end()) {
      throw InputError(csv_.place(field.begin),
                       fmt::format("found '{}', a standard error, but no measurement '{}'", column.name, of));
    }
    column.measurement = static_cast<size_t>(found - points_.names.begin());
  }

  void read_row(const std::vector<CsvField>& record) {
    if (record.size() != columns_.size()) {
      throw InputError(csv_.place(record.front().begin),
                       fmt::format("fields in this row: found {}, expected {} as in the header",
                                   record.size(), columns_.size()));
    }
    const size_t first = values_.size();
    values_.resize(first + points_.names.size());
    if (points_.has_standard_errors) standard_errors_.resize(values_.size());
    for (size_t i = 0; i < columns_.size(); ++i) {
      const Column& column = columns_[i];
      const CsvField& field = record[i];
      switch (column.kind) {
        case Column::Kind::id:
          if (field.text.empty())
            throw InputError(csv_.place(field.begin, "id"), "found nothing, expected a name");
          points_.ids.emplace_back(field.text);
          id_places_.push_back(field.begin);
          break;
        case Column::Kind::value:
          values_[first + column.measurement] = number(field, column);
          break;
        case Column::Kind::standard_error:
          standard_errors_[first + column.measurement] = number(field, column);
          break;
      }
    }
    ++rows_;
    if (!has_ids_) points_.ids.push_back(std::to_string(rows_));
  }

  double number(const CsvField& field, const Column& column) const {
    const std::optional<double> value = parse_number(field.text);
    if (value && std::abs(*value) <= kLargestNumber) {
      if (column.kind == Column::Kind::standard_error && *value < 0) {
        throw InputError(csv_.place(field.begin, column.name),
                         fmt::format("found {}, expected a standard error of at least 0", field.text));
      }
      return *value;
    }
    const std::string found = field.text.empty() ? "nothing" : fmt::format("'{}'", field.text);
    throw InputError(csv_.place(field.begin, column.name), fmt::format("found {}, expected a number{}", found,
                                                                       value ? " from -1e100 to 1e100" : ""));
  }

  void check_ids_differ() const {
    if (!has_ids_) return;
    std::unordered_map<std::string_view, size_t> first_row;
    first_row.reserve(rows_);
    for (size_t row = 0; row < rows_; ++row) {
      const auto [first, is_new] = first_row.emplace(points_.ids[row], row);
      if (is_new) continue;
      throw InputError(csv_.place(id_places_[row], "id"),
                       fmt::format("found '{}' again, first on line {}; expected a different id in every row",
                                   points_.ids[row], csv_.place(id_places_[first->second]).line));
    }
  }

  CsvReader csv_;
  std::string file_;
  std::vector<Column> columns_;
  Points points_;
  size_t rows_ = 0;
  bool has_ids_ = false;
  std::vector<double> values_;           // policy after policy
  std::vector<double> standard_errors_;  // likewise; empty when the file gives none
  std::vector<const char*> id_places_;
};

std::string read_all(std::istream& in, const std::string& file) {
  constexpr std::size_t kChunk = 1 << 20;
  std::string text;
  while (in) {
    const std::size_t size = text.size();
    text.resize(size + kChunk);
    in.read(text.data() + size, kChunk);
    text.resize(size + static_cast<std::size_t>(in.gcount()));
  }
  if (in.bad()) throw InputError({.file = file}, "cannot be read to its end");
  return text;
}

}  // namespace

Points parse_points(std::string_view text, const std::string& file) {
  return PointsReader(text, file).read();
}

Points read_points(const std::string& file) {
  if (file == "-") return parse_points(read_all(std::cin, "standard input"), "standard input");
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) {
    throw InputError({.file = file}, "is a directory, expected a CSV file");
  }
  std::ifstream in(file, std::ios::binary);
  if (!in) throw InputError({.file = file}, fmt::format("cannot be opened: {}", std::strerror(errno)));
  return parse_points(read_all(in, file), file);
}

}  // namespace c2rl
