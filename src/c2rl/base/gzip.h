#pragma once

#include <string>
#include <string_view>

namespace c2rl {

/// Whether bytes begin as gzip's do.
bool is_gzip(std::string_view bytes);

/// What was compressed; an InputError names `file` where the bytes are damaged, or hold more than `most` bytes.
std::string gunzip(std::string_view bytes, const std::string& file, std::size_t most);

}  // namespace c2rl
