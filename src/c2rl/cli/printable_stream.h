#pragma once

#include <ostream>
#include <streambuf>
#include <string>

namespace c2rl {

/// Passes on what is written, in printable form (base/printable.h), line by line or when flushed.
class PrintableStream : public std::ostream {
 public:
  explicit PrintableStream(std::ostream& to) : std::ostream(&buffer_), buffer_(to) {}
  ~PrintableStream() override { flush(); }

  /// Why something could not be written, as errno has it; 0 where it is not known.
  int cause() const { return buffer_.cause(); }

 private:
  class Buffer : public std::streambuf {
   public:
    explicit Buffer(std::ostream& to) : to_(to) {}
    int cause() const { return cause_; }

   private:
    int_type overflow(int_type c) override;
    std::streamsize xsputn(const char* text, std::streamsize size) override;
    int sync() override;
    bool pass_on(std::size_t size);

    std::ostream& to_;
    std::string kept_;  // what was not passed on yet
    int cause_ = 0;
  };

  Buffer buffer_;
};

}  // namespace c2rl
