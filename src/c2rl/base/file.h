#pragma once

#include <string>
#include <string_view>

namespace c2rl {

/// The whole content of a file; an InputError that names it when it cannot be read.
std::string read_file(const std::string& path);

/// Whether what is written must outlast a loss of power, which takes the disk milliseconds, or only the process.
enum class Sync { yes, no };

/// Replaces the file's content; an InputError that names it and the cause when it cannot be written. The file
/// is written beside and moved into place: at any time, whatever happens, it has the old content or the new. A
/// symbolic link is replaced, and what it points to stays as it is.
void write_file(const std::string& path, std::string_view content, Sync sync = Sync::yes);

/// Adds to the end of a file, which must be there and no symbolic link.
void append_to_file(const std::string& path, std::string_view content, Sync sync = Sync::yes);

/// Removes a file, or a symbolic link but not what it points to; does nothing where there is none.
void remove_file(const std::string& path);

/// Makes a directory and those it is in, where they are not there yet.
void make_directories(const std::string& path);

/// Whether a file of this name is what write_file leaves behind when it is killed.
bool is_unfinished_file(std::string_view name);

/// Whether a name can be that of a file in a directory, and of nothing elsewhere: it has no separators and no
/// control characters, and is neither "." nor "..".
bool is_file_name(std::string_view name);

}  // namespace c2rl
