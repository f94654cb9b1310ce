#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "c2rl/base/vector.h"

namespace c2rl {

/// Policies known by their measurements alone.
struct Points {
  std::vector<std::string> names;  // of the measurements
  std::vector<std::string> ids;    // of the policies, all different
  Matrix values;                   // one row a measurement, one column a policy
  Matrix standard_errors;          // of the values; zero where the file gives none
  bool has_standard_errors = false;
};

/// Reads a CSV file (see CsvReader) of policies, or standard input when `file` is "-": a header, then one row
/// a policy. Each column is a measurement, except `id` (the policy's name; default: the row's number, from 1)
/// and `NAME_se` (the standard error of measurement NAME). Whatever is wrong with the file is an InputError
/// with its line and column; so is a column such as NAME_std, which is no measurement by itself.
Points read_points(const std::string& file);

/// The same for the text of a file; `file` is for errors.
Points parse_points(std::string_view text, const std::string& file);

}  // namespace c2rl
