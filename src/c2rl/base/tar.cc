#include "c2rl/base/tar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "c2rl/base/error.h"

namespace c2rl {
namespace {

constexpr std::size_t kBlock = 512;

/// A field of a header: where it begins, and how long it is.
struct Field {
  std::size_t begin, size;
};
constexpr Field kName = {0, 100}, kMode = {100, 8}, kSize = {124, 12}, kTime = {136, 12},
                kChecksum = {148, 8}, kType = {156, 1}, kMagic = {257, 6}, kPrefix = {345, 155};

std::string_view text_of(std::string_view header, Field field) {
  const std::string_view all = header.substr(field.begin, field.size);
  return all.substr(0, all.find('\0'));
}

std::optional<std::uint64_t> octal(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 8);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Octal digits, or for 8 GB and more big-endian bytes behind one with its highest bit set.
std::optional<std::uint64_t> size_of(std::string_view header) {
  const std::string_view field = header.substr(kSize.begin, kSize.size);
  if ((static_cast<unsigned char>(field[0]) & 0x80) == 0) return octal(text_of(header, kSize));
  std::uint64_t value = 0;
  for (const char c : field.substr(field.size() - sizeof(value)))
    value = value << 8 | static_cast<unsigned char>(c);
  return value;
}

/// The sum of all bytes, those of the sum itself as blanks.
std::uint64_t checksum(std::string_view header) {
  std::uint64_t sum = ' ' * kChecksum.size;
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (i < kChecksum.begin || i >= kChecksum.begin + kChecksum.size)
      sum += static_cast<unsigned char>(header[i]);
  }
  return sum;
}

/// "length key=value\n" records, of which a file's name and size matter here.
struct Extended {
  std::string path;
  std::optional<std::uint64_t> size;

  bool read(std::string_view records) {
    while (!records.empty()) {
      std::size_t length = 0;
      const auto [end, error] = std::from_chars(records.data(), records.data() + records.size(), length);
      const auto digits = static_cast<std::size_t>(end - records.data());
      if (error != std::errc() || length < digits + 2 || length > records.size()) return false;
      const std::string_view record = records.substr(digits + 1, length - digits - 2);
      records.remove_prefix(length);
      if (record.starts_with("path=")) path = record.substr(5);
      if (!record.starts_with("size=")) continue;
      std::uint64_t value = 0;
      if (std::from_chars(record.data() + 5, record.data() + record.size(), value).ec != std::errc())
        return false;
      size = value;
    }
    return true;
  }
};

std::string plain_name(std::string_view name) {
  while (name.starts_with("./")) name.remove_prefix(2);
  while (name.starts_with('/')) name.remove_prefix(1);
  return std::string(name);
}

}  // namespace

std::map<std::string, std::string_view> files_of_tar(std::string_view bytes, const std::string& archive) {
  std::map<std::string, std::string_view> files;
  const auto fail = [&](std::size_t at, const std::string& reason) {
    throw InputError({.file = archive}, fmt::format("not a whole tar archive: {} at byte {}", reason, at));
  };
  Extended extended;
  for (std::size_t at = 0;;) {
    if (at + kBlock > bytes.size()) fail(at, at == bytes.size() ? "no end" : "a header is cut off");
    const std::string_view header = bytes.substr(at, kBlock);
    if (header.find_first_not_of('\0') == std::string_view::npos) return files;
    if (octal(text_of(header, kChecksum)) != checksum(header))
      fail(at, "found a header whose checksum is wrong");
    const char type = header[kType.begin];
    auto size = size_of(header);
    if (type != 'x' && type != 'g' && extended.size) size = std::exchange(extended.size, std::nullopt);
    at += kBlock;
    if (!size || *size > bytes.size() - at) fail(at, "a file is cut off");
    const std::string_view content = bytes.substr(at, *size);
    if (type == 'x') {
      if (!extended.read(content)) fail(at, "found an extended header that cannot be read");
    } else if (type == '0' || type == '\0') {
      std::string name(text_of(header, kName));
      if (header.substr(kMagic.begin, 5) == "ustar" && header[kPrefix.begin] != '\0')
        name = fmt::format("{}/{}", text_of(header, kPrefix), name);
      if (!extended.path.empty()) name = extended.path;
      if (!files.emplace(plain_name(name), content).second)
        fail(at, fmt::format("'{}' is there twice", name));
    }
    if (type != 'x') extended = {};
    const std::size_t padded = (*size + kBlock - 1) / kBlock * kBlock;
    at = std::min(bytes.size(), at + padded);
  }
}

void TarWriter::add(const std::string& name, std::string_view content) {
  if (name.size() > kName.size) throw std::logic_error("TarWriter: the name is too long");
  std::array<char, kBlock> header = {};
  const auto put = [&](Field field, std::string_view text) {
    std::memcpy(header.data() + field.begin, text.data(), text.size());
  };
  put(kName, name);
  put(kMode, "0000644");
  put(kTime, "00000000000");
  const std::string digits = fmt::format("{:011o}", content.size());
  if (digits.size() < kSize.size) {
    put(kSize, digits);
  } else {
    header[kSize.begin] = static_cast<char>(0x80);
    for (std::size_t i = 0; i < 8; ++i)
      header[kSize.begin + kSize.size - 1 - i] = static_cast<char>(std::uint64_t{content.size()} >> (8 * i));
  }
  put(kType, "0");
  put(kMagic, std::string_view("ustar\0", 6));
  put({263, 2}, "00");
  put(kChecksum, fmt::format("{:06o}", checksum({header.data(), header.size()})));
  header[kChecksum.begin + 7] = ' ';
  bytes_.append(header.data(), header.size());
  bytes_.append(content);
  bytes_.append((kBlock - content.size() % kBlock) % kBlock, '\0');
}

std::string TarWriter::finish() && {
  bytes_.append(2 * kBlock, '\0');
  return std::move(bytes_);
}

}  // namespace c2rl
