#include "c2rl/base/sha256.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

#ifdef __SHA__
#include <immintrin.h>
#endif

namespace c2rl {
namespace {

constexpr std::array<std::uint32_t, 64> kRound = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

}  // namespace

#ifdef __SHA__
/// With the instructions that processors have for it, eight times as fast: four rounds, and four words of the schedule, at once.
void Sha256::take_block(const unsigned char* block) {
  constexpr int kLast = 3;  // of a ring of sixteen words, four at a time
  const __m128i from_big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  const auto four = [](auto* at) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at)); };
  __m128i w[kLast + 1];
  for (int i = 0; i <= kLast; ++i) w[i] = _mm_shuffle_epi8(four(block + 16 * i), from_big_endian);
  // The instructions want words h g d c and f e b a, from the lowest.
  const auto [a, b, c, d, e, f, g, h] = state_;
  const auto lanes = [](std::uint32_t high, std::uint32_t second, std::uint32_t third, std::uint32_t low) {
    return _mm_set_epi32(static_cast<int>(high), static_cast<int>(second), static_cast<int>(third),
                         static_cast<int>(low));
  };
  __m128i abef = lanes(a, b, e, f), cdgh = lanes(c, d, g, h);
  const __m128i abef_before = abef, cdgh_before = cdgh;
  for (int i = 0; i < static_cast<int>(kRound.size()) / 4; ++i) {
    __m128i& words = w[i & kLast];
    if (i > kLast) {
      const __m128i last = w[(i + 3) & kLast], second_last = w[(i + 2) & kLast];
      words = _mm_add_epi32(_mm_sha256msg1_epu32(words, w[(i + 1) & kLast]),
                            _mm_alignr_epi8(last, second_last, 4));
      words = _mm_sha256msg2_epu32(words, last);
    }
    const __m128i sum = _mm_add_epi32(words, four(kRound.data() + 4 * std::ptrdiff_t{i}));
    cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
    abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_unpackhi_epi64(sum, sum));
  }
  std::array<std::uint32_t, 4> first, second;
  _mm_storeu_si128(reinterpret_cast<__m128i*>(first.data()), _mm_add_epi32(abef, abef_before));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(second.data()), _mm_add_epi32(cdgh, cdgh_before));
  state_ = {first[3], first[2], second[3], second[2], first[1], first[0], second[1], second[0]};
}
#else
void Sha256::take_block(const unsigned char* block) {
  using std::rotr;
  std::array<std::uint32_t, 64> w;
  for (std::size_t i = 0; i < 16; ++i) {
    w[i] = std::uint32_t{block[4 * i]} << 24 | std::uint32_t{block[4 * i + 1]} << 16 |
           std::uint32_t{block[4 * i + 2]} << 8 | std::uint32_t{block[4 * i + 3]};
  }
  for (std::size_t i = 16; i < 64; ++i) {
    const std::uint32_t s0 = rotr(w[i - 15], 7) ^ rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
    const std::uint32_t s1 = rotr(w[i - 2], 17) ^ rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state_;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::uint32_t s1 = rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25);
    const std::uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + kRound[i] + w[i];
    const std::uint32_t s0 = rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22);
    const std::uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  const std::array<std::uint32_t, 8> more = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < state_.size(); ++i) state_[i] += more[i];
}
#endif

void Sha256::add(std::string_view bytes) {
  bytes_ += bytes.size();
  while (!bytes.empty()) {
    if (filled_ == 0 && bytes.size() >= block_.size()) {
      take_block(reinterpret_cast<const unsigned char*>(bytes.data()));
      bytes.remove_prefix(block_.size());
      continue;
    }
    const std::size_t part = std::min(block_.size() - filled_, bytes.size());
    std::memcpy(block_.data() + filled_, bytes.data(), part);
    filled_ += part;
    bytes.remove_prefix(part);
    if (filled_ == block_.size()) {
      take_block(block_.data());
      filled_ = 0;
    }
  }
}

std::string Sha256::digits() {
  // A one, zeros up to the end of a block, and there the number of bits.
  const std::uint64_t bits = 8 * bytes_;
  std::string end = "\x80";
  while ((bytes_ + end.size()) % block_.size() != block_.size() - 8) end.push_back('\0');
  for (int shift = 56; shift >= 0; shift -= 8) end.push_back(static_cast<char>(bits >> shift & 0xff));
  add(end);
  std::string text;
  for (const std::uint32_t word : state_) text += fmt::format("{:08x}", word);
  return text;
}

std::string sha256(std::string_view bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.digits();
}

}  // namespace c2rl
