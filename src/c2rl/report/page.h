#pragma once

#include <string>
#include <vector>

#include "c2rl/base/json.h"
#include "c2rl/run/record_file.h"

namespace c2rl {

/// What one or several run or experiment directories have come to, as the page reads it: {"items": [...]}. Works while
/// they are being written, too; whatever cannot be read is an InputError that names it.
Json report_data(const std::vector<std::string>& directories);
/// The same of one directory that is asked for again and again.
Json report_data(const std::string& directory, RecordReader& reader);

/// A page that is read from a file has everything in it, and may ask for nothing. A live one is the same, but when it
/// has been drawn it listens to the server-sent events at the relative address "events" (any EventSource), each of them
/// a `report_data` object on one line, and draws each, leaving what the reader has chosen as it is. Until the first
/// comes it shows what it was made of, which may be null.
enum class PageKind { file, live };

/// A whole HTML page, with script, style and data in it. Whatever the data say is shown as text.
std::string report_page(const Json& data, PageKind kind = PageKind::file);

/// Writes the page of these directories to a file; gives its size in bytes.
std::size_t write_report(const std::vector<std::string>& directories, const std::string& file);

/// The page of a directory by itself lies in it.
std::string report_file(const std::string& directory);

}  // namespace c2rl
