#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "c2rl/base/error.h"

namespace c2rl {

/// A piece of a constraint's text: a number, a name (quoted or not), a symbol such as "<=", or its end.
struct Token {
  enum class Kind { number, name, quoted_name, symbol, end };
  Kind kind = Kind::end;
  std::string text;     // a quoted name without its quotes
  double value = 0;     // of a number; finite
  size_t position = 0;  // of its first byte in the constraint's text

  bool is(std::string_view symbol) const { return kind == Kind::symbol && text == symbol; }
  bool is_name() const { return kind == Kind::name || kind == Kind::quoted_name; }
};

/// The tokens of one constraint, read from left to right, and how to complain about a place in its text.
class TokenReader {
 public:
  /// `text` must outlive the reader. Reads all of it, so that every bad character or number throws here.
  TokenReader(std::string_view text, const Place& place);

  const Token& peek() const { return tokens_[next_]; }
  const Token& peek_second() const;
  Token take();
  /// Takes the next token when it is that symbol.
  bool take_if(std::string_view symbol);

  /// Throws an InputError: the message, then the text with a caret under the byte at `position`.
  [[noreturn]] void fail(size_t position, const std::string& message) const;
  /// "found X, expected Y" for the next token.
  [[noreturn]] void fail_expected(const std::string& expected) const;

 private:
  std::vector<Token> tokens_;  // the last one is the end
  size_t next_ = 0;
  std::string_view text_;
  Place place_;
};

}  // namespace c2rl
