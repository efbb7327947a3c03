#include "graphql/language/lexer.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/escape.h"
#include "base/utf8.h"

namespace mb::graphql {

namespace {

constexpr EscapeLetters kEscapes{.literal = "\"\\/", .control = "bfnrt"};
constexpr size_t kMaxBracedDigits = 10;  // of \u{…}

bool isDigit(char c) {
  return c >= '0' && c <= '9';
}
bool isNameStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool isNamePart(char c) {
  return isNameStart(c) || isDigit(c);
}
bool isBlank(std::string_view line) {
  return line.find_first_not_of(" \t") == std::string_view::npos;
}

// The value of a block string: without the common indent of its lines, and without blank lines at both ends.
std::string dedented(std::string_view raw) {
  std::vector<std::string_view> lines;
  size_t start = 0;
  for (size_t i = 0; i <= raw.size(); ++i) {
    if (i < raw.size() && raw[i] != '\n' && raw[i] != '\r') continue;
    lines.push_back(raw.substr(start, i - start));
    if (i + 1 < raw.size() && raw[i] == '\r' && raw[i + 1] == '\n') ++i;
    start = i + 1;
  }
  std::optional<size_t> indent;
  for (size_t i = 1; i < lines.size(); ++i) {
    const size_t own = lines[i].find_first_not_of(" \t");
    if (own != std::string_view::npos) indent = std::min(indent.value_or(own), own);
  }
  for (size_t i = 1; i < lines.size() && indent; ++i) lines[i].remove_prefix(std::min(*indent, lines[i].size()));
  size_t first = 0;
  size_t last = lines.size();
  while (first < last && isBlank(lines[first])) ++first;
  while (last > first && isBlank(lines[last - 1])) --last;
  std::string text;
  for (size_t i = first; i < last; ++i) {
    if (i > first) text.push_back('\n');
    text.append(lines[i]);
  }
  return text;
}

}  // namespace

std::string Token::described() const {
  switch (kind) {
    case TokenKind::end:
      return "<EOF>";
    case TokenKind::punctuator:
      return fmt::format("\"{}\"", word);
    case TokenKind::name:
      return fmt::format("Name \"{}\"", word);
    case TokenKind::integer:
      return fmt::format("Int \"{}\"", word);
    case TokenKind::real:
      return fmt::format("Float \"{}\"", word);
    case TokenKind::string:
      return fmt::format("String \"{}\"", text);
    case TokenKind::blockString:
      break;
  }
  return fmt::format("BlockString \"{}\"", text);
}

std::unexpected<Problem> Lexer::wrong(size_t at, std::string message) const {
  return std::unexpected(Problem{"Syntax Error: " + std::move(message), {static_cast<uint32_t>(at)}});
}

// The character at `at`, for messages.
std::string Lexer::shown(size_t at) const {
  if (at >= source_.size()) return "<EOF>";
  const auto byte = static_cast<uint8_t>(source_[at]);
  if (byte == '"') return "'\"'";
  if (byte < 0x20 || byte == 0x7F) return fmt::format("U+{:04X}", byte);
  size_t length = 1;
  while (at + length < source_.size() && (static_cast<uint8_t>(source_[at + length]) & 0xC0) == 0x80) ++length;
  return fmt::format("\"{}\"", source_.substr(at, length));
}

void Lexer::skipIgnored() {
  while (at_ < source_.size()) {
    const char c = source_[at_];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ',') {
      ++at_;
    } else if (c == '#') {
      while (at_ < source_.size() && source_[at_] != '\n' && source_[at_] != '\r') ++at_;
    } else if (source_.substr(at_, 3) == "\xEF\xBB\xBF") {
      at_ += 3;
    } else {
      return;
    }
  }
}

Parsed<Token> Lexer::next() {
  skipIgnored();
  Token token;
  token.at = static_cast<uint32_t>(at_);
  if (at_ == source_.size()) return token;
  if (++tokens_ > kMaxTokens) {
    return wrong(at_, fmt::format("Document contains more than {} tokens. Parsing aborted.", kMaxTokens));
  }
  const char c = source_[at_];
  if (isNameStart(c)) {
    while (isNamePart(peek())) ++at_;
    token.kind = TokenKind::name;
    token.word = source_.substr(token.at, at_ - token.at);
    if (token.word.size() > kMaxNameBytes) {
      return wrong(token.at, fmt::format("Names have at most {} characters.", kMaxNameBytes));
    }
    return token;
  }
  if (isDigit(c) || c == '-') return number(std::move(token));
  if (c == '"') return peek(1) == '"' && peek(2) == '"' ? blockString(std::move(token)) : string(std::move(token));
  const size_t length = source_.substr(at_, 3) == "..." ? 3 : 1;
  if (length == 1 && (c == '\0' || std::string_view("!$&():=@[]{|}").find(c) == std::string_view::npos)) {
    if (c == '\'') {
      return wrong(at_, "Unexpected single quote character ('), did you mean to use a double quote (\")?");
    }
    return wrong(at_, "Unexpected character: " + shown(at_) + ".");
  }
  token.kind = TokenKind::punctuator;
  token.word = source_.substr(at_, length);
  at_ += length;
  return token;
}

Parsed<Token> Lexer::number(Token token) {
  const auto digits = [this]() -> Parsed<bool> {
    if (!isDigit(peek())) return wrong(at_, "Invalid number, expected digit but got: " + shown(at_) + ".");
    while (isDigit(peek())) ++at_;
    return true;
  };
  token.kind = TokenKind::integer;
  if (peek() == '-') ++at_;
  if (peek() == '0') {
    ++at_;
    if (isDigit(peek())) return wrong(at_, "Invalid number, unexpected digit after 0: " + shown(at_) + ".");
  } else if (auto read = digits(); !read) {
    return std::unexpected(std::move(read).error());
  }
  if (peek() == '.') {
    token.kind = TokenKind::real;
    ++at_;
    if (auto read = digits(); !read) return std::unexpected(std::move(read).error());
  }
  if (peek() == 'e' || peek() == 'E') {
    token.kind = TokenKind::real;
    ++at_;
    if (peek() == '+' || peek() == '-') ++at_;
    if (auto read = digits(); !read) return std::unexpected(std::move(read).error());
  }
  if (peek() == '.' || isNameStart(peek())) {
    return wrong(at_, "Invalid number, expected digit but got: " + shown(at_) + ".");
  }
  token.word = source_.substr(token.at, at_ - token.at);
  return token;
}

std::unexpected<Problem> Lexer::invalidUnicode(size_t escapeAt) const {
  return wrong(escapeAt,
               fmt::format("Invalid Unicode escape sequence: \"{}\".", source_.substr(escapeAt, at_ - escapeAt)));
}

Parsed<uint32_t> Lexer::hexDigits(size_t escapeAt, size_t count) {
  const EscapeNumber number = leadingNumber(source_.substr(at_), count, 16);
  at_ += number.digits;
  if (number.digits < count) return invalidUnicode(escapeAt);
  return static_cast<uint32_t>(number.value);
}

// The code point after "\u".
Parsed<uint32_t> Lexer::codePoint(size_t escapeAt) {
  if (peek() == '{') {
    ++at_;
    const EscapeNumber number = leadingNumber(source_.substr(at_), kMaxBracedDigits, 16);
    at_ += number.digits;
    const bool closed = peek() == '}';
    if (closed) ++at_;
    if (!closed || number.digits == 0 || !isScalarValue(number.value)) return invalidUnicode(escapeAt);
    return static_cast<uint32_t>(number.value);
  }
  auto high = hexDigits(escapeAt, 4);
  if (!high || isScalarValue(*high)) return high;
  if (*high > 0xDBFF || peek() != '\\' || peek(1) != 'u') return invalidUnicode(escapeAt);
  at_ += 2;
  auto low = hexDigits(escapeAt, 4);
  if (!low) return low;
  if (*low < 0xDC00 || *low > 0xDFFF) return invalidUnicode(escapeAt);
  return 0x10000 + ((*high - 0xD800) << 10) + (*low - 0xDC00);
}

Parsed<Token> Lexer::string(Token token) {
  token.kind = TokenKind::string;
  ++at_;
  while (true) {
    const char c = peek();
    if (at_ >= source_.size() || c == '\n' || c == '\r') return wrong(at_, "Unterminated string.");
    if (c == '"') break;
    if (c != '\\') {
      if (static_cast<uint8_t>(c) < 0x20 && c != '\t') {
        return wrong(at_, "Invalid character within String: " + shown(at_) + ".");
      }
      token.text.push_back(c);
      ++at_;
      continue;
    }
    const size_t escapeAt = at_;
    const char letter = peek(1);
    at_ += 2;
    if (letter == 'u') {
      auto point = codePoint(escapeAt);
      if (!point) return std::unexpected(std::move(point).error());
      appendUtf8(token.text, *point);
    } else if (const auto character = escapedCharacter(letter, kEscapes)) {
      token.text.push_back(*character);
    } else {
      return wrong(escapeAt, fmt::format("Invalid character escape sequence: \"{}\".", source_.substr(escapeAt, 2)));
    }
  }
  ++at_;
  token.word = source_.substr(token.at, at_ - token.at);
  return token;
}

Parsed<Token> Lexer::blockString(Token token) {
  token.kind = TokenKind::blockString;
  at_ += 3;
  std::string raw;
  while (source_.substr(at_, 3) != "\"\"\"") {
    if (at_ >= source_.size()) return wrong(at_, "Unterminated string.");
    if (source_.substr(at_, 4) == "\\\"\"\"") {
      raw += "\"\"\"";
      at_ += 4;
      continue;
    }
    const char c = source_[at_];
    if (static_cast<uint8_t>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r') {
      return wrong(at_, "Invalid character within String: " + shown(at_) + ".");
    }
    raw.push_back(c);
    ++at_;
  }
  at_ += 3;
  token.text = dedented(raw);
  token.word = source_.substr(token.at, at_ - token.at);
  return token;
}

}  // namespace mb::graphql
