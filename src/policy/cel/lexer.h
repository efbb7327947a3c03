// A Lexer converts source text to tokens.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/cel/cel.h"
#include "policy/cel/value.h"

namespace mb::cel {

enum class TokenKind {
  end,
  invalid,     // a problem was reported
  identifier,  // selectors and reserved words included
  quoted,      // `a selector in backticks`
  keyword,     // true false null in
  integer,     // magnitude in `number`
  uinteger,
  real,
  string,  // decoded, in `text`
  bytes,
  symbol,
};

struct Token {
  TokenKind kind = TokenKind::end;
  Position at;
  std::string_view text;  // as in the source; for quoted literals, their decoded content
  uint32_t begin = 0;     // offsets in the source
  uint32_t end = 0;
  uint64_t number = 0;
  double real = 0;

  bool is(std::string_view symbol) const { return kind == TokenKind::symbol && text == symbol; }
  bool isKeyword(std::string_view word) const { return kind == TokenKind::keyword && text == word; }
};

class Lexer {
 public:
  // `source` is UTF-8; it, `texts` (which receives decoded literals) and `problems` outlive the tokens.
  Lexer(std::string_view source, std::deque<std::string>& texts, std::vector<Problem>& problems)
      : source_(source), texts_(texts), problems_(problems) {}
  Token next();

 private:
  bool skipBlank();
  Position positionAt(size_t offset);
  Token make(TokenKind kind, size_t begin, size_t end);
  Token invalid(size_t offset, std::string message);
  Token number(size_t begin);
  Token quotedText(size_t begin, size_t prefix, bool raw, bool bytes);
  Token backticked(size_t begin);
  char at(size_t offset) const { return offset < source_.size() ? source_[offset] : '\0'; }

  std::string_view source_;
  std::deque<std::string>& texts_;
  std::vector<Problem>& problems_;
  size_t offset_ = 0;
  // The offset and position that positionAt() has reached; it only moves forward.
  size_t counted_ = 0;
  Position position_;
};

// Whether `word` must not name a variable or a function.
bool isReservedWord(std::string_view word);

// Decodes the escapes of a literal's content; nullopt with `badOffset` at the backslash of an invalid one. In `bytes`,
// \x and octal escapes are octets, otherwise code points, and \U is invalid.
std::optional<std::string> decodeEscapes(std::string_view content, bool bytes, size_t& badOffset);
// "1.5e3", "Infinity", "NaN"; nullopt for text that is not a number or too large for a double.
std::optional<double> parseReal(std::string_view text);
bool isValidUtf8(std::string_view text);

}  // namespace mb::cel
