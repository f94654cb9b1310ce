#include "c2rl/geometry/constraint_tokens.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "c2rl/base/text.h"

namespace c2rl {
namespace {

// ASCII only, whatever the locale: other letters are for quoted names.
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}
bool is_control(char c) {
  return (c >= '\0' && c < ' ') || c == 0x7F;
}
bool is_utf8_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

/// Cuts the text into tokens; `reader` only serves to complain.
class Tokenizer {
 public:
  Tokenizer(std::string_view text, const TokenReader& reader) : text_(text), reader_(reader) {}

  Token next() {
    while (is_space(at(0)) && begin_ < text_.size()) ++begin_;
    if (begin_ == text_.size()) return token(Token::Kind::end, 0);
    const char c = at(0);
    if (is_digit(c) || (c == '.' && is_digit(at(1)))) return number();
    if (is_letter(c))
      return token(Token::Kind::name, run(0, [](char x) { return is_letter(x) || is_digit(x); }));
    if (c == '"') return quoted_name();
    return symbol();
  }

 private:
  /// The character `ahead` of the current one; NUL past the end.
  char at(size_t ahead) const { return begin_ + ahead < text_.size() ? text_[begin_ + ahead] : '\0'; }

  /// First place from `ahead` on whose character does not satisfy the predicate.
  template <class Predicate>
  size_t run(size_t ahead, Predicate holds) const {
    while (begin_ + ahead < text_.size() && holds(text_[begin_ + ahead])) ++ahead;
    return ahead;
  }

  Token token(Token::Kind kind, size_t length) {
    Token result{.kind = kind, .text = std::string(text_.substr(begin_, length)), .position = begin_};
    begin_ += length;
    return result;
  }

  Token number() {
    size_t length = run(0, is_digit);
    if (at(length) == '.') length = run(length + 1, is_digit);
    if (at(length) == 'e' || at(length) == 'E') {
      const size_t sign = at(length + 1) == '+' || at(length + 1) == '-' ? 1 : 0;
      if (is_digit(at(length + 1 + sign))) length = run(length + 1 + sign, is_digit);
    }
    Token result = token(Token::Kind::number, length);
    result.value = parse_number(result.text).value();
    if (!std::isfinite(result.value)) {
      reader_.fail(result.position, fmt::format("{} is too large for a number", result.text));
    }
    return result;
  }

  /// "name", with "" for a quote inside it, as in a CSV file.
  Token quoted_name() {
    const size_t start = begin_;
    std::string name;
    size_t i = 1;
    for (;; ++i) {
      if (begin_ + i >= text_.size()) reader_.fail(start, "this quoted name has no closing quote");
      if (at(i) == '"' && at(i + 1) != '"') break;
      if (at(i) == '"') ++i;
      name += at(i);
    }
    Token result = token(Token::Kind::quoted_name, i + 1);
    result.text = name;
    return result;
  }

  Token symbol() {
    const char c = at(0);
    if ((c == '<' || c == '>' || c == '=') && at(1) == '=') return token(Token::Kind::symbol, 2);
    if (c == '<' || c == '>') {
      reader_.fail(begin_,
                   fmt::format("found a strict '{0}', expected '{0}=': a target includes its boundary", c));
    }
    if (c == '=') reader_.fail(begin_, "found '=', expected '==', '<=' or '>='");
    if (std::string_view("+-*/(),").find(c) != std::string_view::npos) return token(Token::Kind::symbol, 1);
    const std::string character = is_control(c)
                                      ? fmt::format("\\x{:02x}", c)
                                      : std::string(text_.substr(begin_, run(1, is_utf8_continuation)));
    reader_.fail(begin_,
                 fmt::format("found '{}', which means nothing here; expected a number, a measurement, an "
                             "operator or a comparison",
                             character));
  }

  std::string_view text_;
  const TokenReader& reader_;
  size_t begin_ = 0;
};

}  // namespace

TokenReader::TokenReader(std::string_view text, const Place& place) : text_(text), place_(place) {
  Tokenizer tokenizer(text, *this);
  do tokens_.push_back(tokenizer.next());
  while (tokens_.back().kind != Token::Kind::end);
}

const Token& TokenReader::peek_second() const {
  return tokens_[std::min(next_ + 1, tokens_.size() - 1)];
}

Token TokenReader::take() {
  const Token& token = tokens_[next_];
  next_ = std::min(next_ + 1, tokens_.size() - 1);
  return token;
}

bool TokenReader::take_if(std::string_view symbol) {
  if (!peek().is(symbol)) return false;
  take();
  return true;
}

void TokenReader::fail(size_t position, const std::string& message) const {
  // One line, one column a character, whatever line breaks, tabs or control characters the text holds.
  std::string line(text_);
  std::replace_if(line.begin(), line.end(), is_control, ' ');
  const auto before = text_.substr(0, position);
  const auto columns =
      std::count_if(before.begin(), before.end(), [](char c) { return !is_utf8_continuation(c); });
  throw InputError(
      place_, fmt::format("{}\n  {}\n  {}^", message, line, std::string(static_cast<size_t>(columns), ' ')));
}

void TokenReader::fail_expected(const std::string& expected) const {
  const Token& token = peek();
  const std::string found = token.kind == Token::Kind::end           ? "the end"
                            : token.kind == Token::Kind::quoted_name ? '"' + token.text + '"'
                                                                     : "'" + token.text + "'";
  fail(token.position, fmt::format("found {}, expected {}", found, expected));
}

}  // namespace c2rl
