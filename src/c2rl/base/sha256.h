#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace c2rl {

/// SHA-256 (FIPS 180-4) of bytes that come in parts. One hash for everything: that a file is as it was written,
/// where a shorter one would do, and that two problems are the same, where it would not.
class Sha256 {
 public:
  void add(std::string_view bytes);
  /// 64 hexadecimal digits; nothing may be added after that.
  std::string digits();

 private:
  void take_block(const unsigned char* block);

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> block_ = {};
  std::size_t filled_ = 0;  // of the block
  std::uint64_t bytes_ = 0;
};

std::string sha256(std::string_view bytes);

}  // namespace c2rl
