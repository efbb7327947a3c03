// A Lexer reads the tokens of a GraphQL document (October 2021 specification, 2.1; escapes as in graphql-js 16).
#pragma once

#include <string>
#include <string_view>

#include "graphql/language/problem.h"

namespace mb::graphql {

enum class TokenKind { end, punctuator, name, integer, real, string, blockString };

struct Token {
  TokenKind kind = TokenKind::end;
  uint32_t at = 0;
  std::string_view word;  // as in the source, also for a string
  std::string text;       // of a string: its value

  bool is(std::string_view punctuator) const { return kind == TokenKind::punctuator && word == punctuator; }
  bool isName(std::string_view name) const { return kind == TokenKind::name && word == name; }
  std::string described() const;  // for error messages
};

// At most this many tokens in a document.
inline constexpr size_t kMaxTokens = 20'000;
// Bounded, as responses and errors repeat names.
inline constexpr size_t kMaxNameBytes = 1'000;

class Lexer {
 public:
  // `source` is valid UTF-8 and outlives the tokens.
  explicit Lexer(std::string_view source) : source_(source) {}
  // The next token; `end` again and again after the last one.
  Parsed<Token> next();

 private:
  void skipIgnored();
  Parsed<Token> number(Token token);
  Parsed<Token> string(Token token);
  Parsed<Token> blockString(Token token);
  Parsed<uint32_t> codePoint(size_t escapeAt);
  Parsed<uint32_t> hexDigits(size_t escapeAt, size_t count);
  std::unexpected<Problem> wrong(size_t at, std::string message) const;
  std::unexpected<Problem> invalidUnicode(size_t escapeAt) const;
  char peek(size_t ahead = 0) const { return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0'; }
  std::string shown(size_t at) const;

  std::string_view source_;
  size_t at_ = 0;
  size_t tokens_ = 0;
};

}  // namespace mb::graphql
