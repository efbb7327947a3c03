#include "graphql/language/lexer.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/text.h"

namespace mb::graphql {

namespace {

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

void appendUtf8(std::string& out, uint32_t point) {
  if (point < 0x80) {
    out.push_back(static_cast<char>(point));
  } else if (point < 0x800) {
    out.push_back(static_cast<char>(0xC0 | (point >> 6)));
    out.push_back(static_cast<char>(0x80 | (point & 0x3F)));
  } else if (point < 0x10000) {
    out.push_back(static_cast<char>(0xE0 | (point >> 12)));
    out.push_back(static_cast<char>(0x80 | ((point >> 6) & 0x3F)));
    out.push_back(static_cast<char>(0x80 | (point & 0x3F)));
  } else {
    out.push_back(static_cast<char>(0xF0 | (point >> 18)));
    out.push_back(static_cast<char>(0x80 | ((point >> 12) & 0x3F)));
    out.push_back(static_cast<char>(0x80 | ((point >> 6) & 0x3F)));
    out.push_back(static_cast<char>(0x80 | (point & 0x3F)));
  }
}

char simpleEscape(char letter) {
  switch (letter) {
    case '"':
    case '\\':
    case '/':
      return letter;
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return '\0';
  }
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

Parsed<uint32_t> Lexer::hexDigits(size_t escapeAt, size_t count) {
  uint32_t point = 0;
  for (size_t i = 0; i < count; ++i) {
    const int digit = hexDigit(peek());
    if (digit < 0) {
      return wrong(escapeAt,
                   fmt::format("Invalid Unicode escape sequence: \"{}\".", source_.substr(escapeAt, at_ - escapeAt)));
    }
    point = point * 16 + static_cast<uint32_t>(digit);
    ++at_;
  }
  return point;
}

// The code point after "\u".
Parsed<uint32_t> Lexer::codePoint(size_t escapeAt) {
  const auto invalid = [&] {
    return wrong(escapeAt,
                 fmt::format("Invalid Unicode escape sequence: \"{}\".", source_.substr(escapeAt, at_ - escapeAt)));
  };
  if (peek() == '{') {
    ++at_;
    uint32_t point = 0;
    size_t digits = 0;
    while (hexDigit(peek()) >= 0 && digits < 10) {
      point = point > 0x10FFFF ? point : point * 16 + static_cast<uint32_t>(hexDigit(peek()));
      ++at_;
      ++digits;
    }
    const bool closed = peek() == '}';
    if (closed) ++at_;
    if (!closed || digits == 0 || point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF)) return invalid();
    return point;
  }
  auto high = hexDigits(escapeAt, 4);
  if (!high || *high < 0xD800 || *high > 0xDFFF) return high;
  if (*high > 0xDBFF || peek() != '\\' || peek(1) != 'u') return invalid();
  at_ += 2;
  auto low = hexDigits(escapeAt, 4);
  if (!low) return low;
  if (*low < 0xDC00 || *low > 0xDFFF) return invalid();
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
    } else if (const char plain = simpleEscape(letter)) {
      token.text.push_back(plain);
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
