#include "c2rl/base/gzip.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <zlib.h>

#include "c2rl/base/error.h"

namespace c2rl {
namespace {

/// zlib counts in 32 bits.
constexpr std::size_t kPiece = std::size_t{1} << 24;
constexpr int kGzipHeader = 16;  // added to the window's bits: a gzip header is expected

struct Inflation {
  z_stream stream = {};
  Inflation() { inflateInit2(&stream, kGzipHeader + MAX_WBITS); }
  ~Inflation() { inflateEnd(&stream); }
  Inflation(const Inflation&) = delete;
  Inflation& operator=(const Inflation&) = delete;
};

}  // namespace

bool is_gzip(std::string_view bytes) {
  return bytes.starts_with("\x1f\x8b\x08");
}

std::string gunzip(std::string_view bytes, const std::string& file, std::size_t most) {
  Inflation inflation;
  z_stream& stream = inflation.stream;
  std::string result;
  std::size_t used = 0;
  for (;;) {
    const std::size_t before = result.size();
    result.resize(before + std::clamp(before, kPiece / 256, kPiece));
    const auto room = static_cast<uInt>(result.size() - before);
    stream.next_out = reinterpret_cast<Bytef*>(result.data() + before);
    stream.avail_out = room;
    const auto given = static_cast<uInt>(std::min(kPiece, bytes.size() - used));
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + used));
    stream.avail_in = given;
    const int status = inflate(&stream, Z_NO_FLUSH);
    used += given - stream.avail_in;
    result.resize(before + (room - stream.avail_out));
    if (result.size() > most)
      throw InputError({.file = file}, fmt::format("holds more than {} bytes when decompressed", most));
    if (status == Z_STREAM_END) {
      // What was compressed in several pieces is all of them together.
      if (!is_gzip(bytes.substr(used))) return result;
      inflateReset(&stream);
      continue;
    }
    const bool stalled = result.size() == before && given == stream.avail_in;
    if (status != Z_OK || stalled)
      throw InputError({.file = file}, fmt::format("cannot be decompressed: the gzip data is {} at byte {}",
                                                   used == bytes.size() ? "cut off" : "damaged", used));
  }
}

}  // namespace c2rl
