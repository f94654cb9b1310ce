#pragma once

#include <string>
#include <string_view>

namespace c2rl {

/// The whole content of a file; an InputError that names it when it cannot be read.
std::string read_file(const std::string& path);

/// Replaces the file's content; an InputError that names it when it cannot be written.
void write_file(const std::string& path, std::string_view content);

}  // namespace c2rl
