#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "c2rl/base/error.h"

namespace c2rl {

inline std::string_view text_of(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

/// A defect: no InputError, so that nothing takes it for one.
inline void expect(bool holds, const std::string& what) {
  if (!holds) throw std::logic_error("expected " + what);
}

/// What `read` makes of bytes that may be anything: an InputError is a good answer.
template <typename Read>
int refused_or(Read&& read) {
  try {
    read();
    return 0;
  } catch (const InputError&) {
    return -1;
  }
}

/// Reading again what was written must not be refused.
template <typename Read>
auto read_again(Read&& read) {
  try {
    return read();
  } catch (const InputError& error) {
    throw std::logic_error(std::string("what was written is refused: ") + error.what());
  }
}

}  // namespace c2rl
