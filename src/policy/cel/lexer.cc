#include "policy/cel/lexer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <deque>

#include "base/text.h"

namespace mb::cel {
namespace {

bool isDigit(char c) {
  return c >= '0' && c <= '9';
}
bool isHex(char c) {
  return hexDigit(c) >= 0;
}
bool isWordStart(char c) {
  return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool isWord(char c) {
  return isWordStart(c) || isDigit(c);
}

}  // namespace

bool isReservedWord(std::string_view word) {
  static constexpr std::array<std::string_view, 17> kWords = {
      "as",  "break", "const",   "continue",  "else",   "for", "function", "if",   "import",
      "let", "loop",  "package", "namespace", "return", "var", "void",     "while"};
  return std::ranges::find(kWords, word) != kWords.end();
}

Position Lexer::positionAt(size_t offset) {
  for (; counted_ < offset; ++counted_) {
    const auto c = static_cast<unsigned char>(source_[counted_]);
    if (c == '\n') {
      ++position_.line;
      position_.column = 1;
    } else if ((c & 0xC0) != 0x80) {
      ++position_.column;
    }
  }
  return position_;
}

Token Lexer::make(TokenKind kind, size_t begin, size_t end) {
  Token token;
  token.kind = kind;
  token.at = positionAt(begin);
  token.text = source_.substr(begin, end - begin);
  token.begin = static_cast<uint32_t>(begin);
  token.end = static_cast<uint32_t>(end);
  offset_ = end;
  return token;
}

Token Lexer::invalid(size_t offset, std::string message) {
  Token token = make(TokenKind::invalid, offset, source_.size());
  problems_.push_back({token.at.line, token.at.column, std::move(message)});
  return token;
}

bool Lexer::skipBlank() {
  while (offset_ < source_.size()) {
    const char c = source_[offset_];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r') {
      ++offset_;
    } else if (c == '/' && at(offset_ + 1) == '/') {
      offset_ = std::min(source_.find('\n', offset_), source_.size());
    } else {
      return true;
    }
  }
  return false;
}

Token Lexer::next() {
  if (!skipBlank()) return make(TokenKind::end, source_.size(), source_.size());
  const size_t begin = offset_;
  const char c = source_[begin];
  if (isDigit(c) || (c == '.' && isDigit(at(begin + 1)))) return number(begin);
  if (c == '"' || c == '\'') return quotedText(begin, 0, false, false);
  if (c == '`') return backticked(begin);
  if (isWordStart(c)) {
    size_t end = begin;
    while (isWord(at(end))) ++end;
    const std::string_view word = source_.substr(begin, end - begin);
    if (at(end) == '"' || at(end) == '\'') {
      if (word == "r" || word == "R") return quotedText(begin, 1, true, false);
      if (word == "b" || word == "B") return quotedText(begin, 1, false, true);
      if (word.size() == 2 && (word[0] == 'b' || word[0] == 'B') && (word[1] == 'r' || word[1] == 'R')) {
        return quotedText(begin, 2, true, true);
      }
    }
    const bool keyword = word == "true" || word == "false" || word == "null" || word == "in";
    return make(keyword ? TokenKind::keyword : TokenKind::identifier, begin, end);
  }
  static constexpr std::array<std::string_view, 6> kPairs = {"&&", "||", "==", "!=", "<=", ">="};
  const std::string_view pair = source_.substr(begin, 2);
  if (std::ranges::find(kPairs, pair) != kPairs.end()) return make(TokenKind::symbol, begin, begin + 2);
  if (std::string_view("()[]{}.,:?<>+-*/%!").find(c) != std::string_view::npos) {
    return make(TokenKind::symbol, begin, begin + 1);
  }
  return invalid(begin, "syntax error: unexpected character");
}

Token Lexer::number(size_t begin) {
  size_t end = begin;
  const bool hex = source_[begin] == '0' && at(begin + 1) == 'x' && isHex(at(begin + 2));
  bool real = false;
  if (hex) {
    end += 2;
    while (isHex(at(end))) ++end;
  } else {
    while (isDigit(at(end))) ++end;
    if (at(end) == '.' && isDigit(at(end + 1))) {
      real = true;
      ++end;
      while (isDigit(at(end))) ++end;
    }
    if (at(end) == 'e' || at(end) == 'E') {
      const size_t digits = end + (at(end + 1) == '+' || at(end + 1) == '-' ? 2 : 1);
      if (isDigit(at(digits))) {
        real = true;
        end = digits;
        while (isDigit(at(end))) ++end;
      }
    }
  }
  if (real) {
    Token token = make(TokenKind::real, begin, end);
    const auto value = parseReal(token.text);
    if (!value) return invalid(begin, "the number is out of range");
    token.real = *value;
    return token;
  }
  const size_t digits = hex ? begin + 2 : begin;
  uint64_t value = 0;
  const auto [_, failure] = std::from_chars(source_.data() + digits, source_.data() + end, value, hex ? 16 : 10);
  if (failure != std::errc{}) return invalid(begin, "the integer is out of range");
  const bool isUnsigned = at(end) == 'u' || at(end) == 'U';
  Token token = make(isUnsigned ? TokenKind::uinteger : TokenKind::integer, begin, isUnsigned ? end + 1 : end);
  token.number = value;
  return token;
}

Token Lexer::quotedText(size_t begin, size_t prefix, bool raw, bool bytes) {
  const size_t open = begin + prefix;
  const char quote = source_[open];
  const std::string_view triple = quote == '"' ? R"(""")" : "'''";
  const bool isTriple = source_.substr(open, 3) == triple;
  const size_t contentBegin = open + (isTriple ? 3 : 1);
  size_t end = contentBegin;
  for (;; ++end) {
    if (end >= source_.size()) return invalid(begin, "syntax error: the literal is not closed");
    const char c = source_[end];
    if (!raw && c == '\\') {
      ++end;
    } else if (isTriple ? source_.substr(end, 3) == triple : c == quote) {
      break;
    } else if (!isTriple && (c == '\n' || c == '\r')) {
      return invalid(begin, "syntax error: the literal is not closed on its line");
    }
  }
  const std::string_view content = source_.substr(contentBegin, end - contentBegin);
  Token token = make(bytes ? TokenKind::bytes : TokenKind::string, begin, end + (isTriple ? 3 : 1));
  if (raw) {
    token.text = content;
    return token;
  }
  size_t bad = 0;
  std::optional<std::string> decoded = decodeEscapes(content, bytes, bad);
  if (!decoded) return invalid(contentBegin + bad, "syntax error: not an escape sequence");
  token.text = texts_.emplace_back(std::move(*decoded));
  return token;
}

Token Lexer::backticked(size_t begin) {
  size_t end = begin + 1;
  while (isWord(at(end)) || at(end) == '.' || at(end) == '-' || at(end) == '/' || at(end) == ' ') ++end;
  if (at(end) != '`' || end == begin + 1) return invalid(begin, "syntax error: not a quoted field name");
  Token token = make(TokenKind::quoted, begin, end + 1);
  token.text = source_.substr(begin + 1, end - begin - 1);
  return token;
}

}  // namespace mb::cel
