#include "c2rl/cli/printable_stream.h"

#include <cerrno>

#include "c2rl/base/printable.h"

namespace c2rl {

PrintableStream::Buffer::int_type PrintableStream::Buffer::overflow(int_type c) {
  if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
  const char character = traits_type::to_char_type(c);
  return xsputn(&character, 1) == 1 ? c : traits_type::eof();
}

std::streamsize PrintableStream::Buffer::xsputn(const char* text, std::streamsize size) {
  kept_.append(text, static_cast<std::size_t>(size));
  const std::size_t end = kept_.rfind('\n');
  const bool written = end == kept_.npos || pass_on(end + 1);
  return written ? size : 0;
}

int PrintableStream::Buffer::sync() {
  if (!pass_on(kept_.size())) return -1;
  errno = 0;
  if (!to_.flush() && cause_ == 0) cause_ = errno;
  return to_ ? 0 : -1;
}

bool PrintableStream::Buffer::pass_on(std::size_t size) {
  errno = 0;
  to_ << printable(std::string_view(kept_).substr(0, size));
  if (!to_ && cause_ == 0) cause_ = errno;
  kept_.erase(0, size);
  return static_cast<bool>(to_);
}

}  // namespace c2rl
