#include <charconv>
#include <cmath>

#include "base/crypto.h"
#include "document/decimal.h"
#include "document/field_tree.h"
#include "document/json.h"

namespace mb::doc {

namespace {

using Level = FieldTree::Level;

// The character after the backslash for a byte that needs an escape: a letter, 'u' for \u00XX; 0 for no escape.
constexpr std::array<char, 256> kEscapes = [] {
  std::array<char, 256> escapes{};
  for (size_t i = 0; i < 0x20; ++i) escapes[i] = 'u';
  escapes['\b'] = 'b';
  escapes['\f'] = 'f';
  escapes['\n'] = 'n';
  escapes['\r'] = 'r';
  escapes['\t'] = 't';
  escapes['"'] = '"';
  escapes['\\'] = '\\';
  return escapes;
}();

// Whether one of eight bytes needs an escape: below 0x20, a quote or a backslash.
bool needsEscape(uint64_t bytes) {
  constexpr uint64_t kOnes = 0x0101010101010101;
  constexpr uint64_t kHighs = 0x8080808080808080;
  const uint64_t quotes = bytes ^ (kOnes * '"');
  const uint64_t slashes = bytes ^ (kOnes * '\\');
  const uint64_t controls = (bytes - kOnes * 0x20) & ~bytes;
  return ((((quotes - kOnes) & ~quotes) | ((slashes - kOnes) & ~slashes) | controls) & kHighs) != 0;
}

size_t plainPrefix(std::string_view text) {
  size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    uint64_t bytes;
    std::memcpy(&bytes, text.data() + at, 8);
    if (needsEscape(bytes)) break;
  }
  while (at < text.size() && kEscapes[static_cast<uint8_t>(text[at])] == 0) ++at;
  return at;
}

void writeEscape(std::string& out, char c) {
  constexpr std::string_view kHex = "0123456789abcdef";
  const auto byte = static_cast<uint8_t>(c);
  out.push_back('\\');
  out.push_back(kEscapes[byte]);
  if (kEscapes[byte] != 'u') return;
  out.append("00");
  out.push_back(kHex[byte >> 4]);
  out.push_back(kHex[byte & 15]);
}

template <class T, class... Format>
void writeNumber(std::string& out, T value, Format... format) {
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format...);
  out.append(buffer.data(), end.ptr);
}

// As in JavaScript: digits from 1e-6 up to 1e21, an exponent beyond.
void writeReal(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out.append("null");
    return;
  }
  const double magnitude = std::fabs(value);
  const bool plain = magnitude == 0 || (magnitude >= 1e-6 && magnitude < 1e21);
  writeNumber(out, value, plain ? std::chars_format::fixed : std::chars_format::scientific);
}

void writeText(std::string& out, std::string_view text) {
  out.push_back('"');
  out.append(text);
  out.push_back('"');
}

void writeRegex(std::string& out, ValueView value) {
  const std::string_view pattern = value.raw().data();
  const std::string_view options = value.raw().substr(pattern.size() + 1, value.raw().size() - pattern.size() - 2);
  writeJsonString(out, fmt::format("/{}/{}", pattern, options));
}

void writeScalar(std::string& out, ValueView value) {
  switch (value.type()) {
    case BsonType::string:
      return writeJsonString(out, value.asString());
    case BsonType::int32:
      return writeNumber(out, value.asInt32());
    case BsonType::int64:
      return writeNumber(out, value.asInt64());
    case BsonType::real:
      return writeReal(out, value.asReal());
    case BsonType::boolean:
      out.append(value.asBool() ? "true" : "false");
      return;
    case BsonType::null:
      out.append("null");
      return;
    case BsonType::date:
      out.push_back('"');
      appendRfc3339(out, value.asDate());
      out.push_back('"');
      return;
    case BsonType::objectId: {
      const std::string_view id = value.asObjectId();
      return writeText(out, toHex({reinterpret_cast<const uint8_t*>(id.data()), id.size()}));
    }
    case BsonType::decimal:
      return writeText(out, Decimal::fromBytes(value.asDecimal()).toText());
    case BsonType::binary:
      return writeText(out, toBase64(value.asBinary()));
    case BsonType::regex:
      return writeRegex(out, value);
    case BsonType::timestamp: {
      uint64_t both;
      std::memcpy(&both, value.raw().data(), sizeof both);
      return writeText(out, fmt::format("Timestamp({}, {})", both >> 32, both & 0xFFFFFFFF));
    }
    case BsonType::minKey:
      return writeText(out, "MinKey");
    case BsonType::maxKey:
      return writeText(out, "MaxKey");
    default:
      out.append("null");
  }
}

void writeContainer(std::string& out, ValueView container);

void writeAny(std::string& out, ValueView value) {
  value.isContainer() ? writeContainer(out, value) : writeScalar(out, value);
}

void writeContainer(std::string& out, ValueView container) {
  const bool isArray = container.type() == BsonType::array;
  out.push_back(isArray ? '[' : '{');
  bool first = true;
  for (const Element& element : container.asDocument()) {
    if (!first) out.push_back(',');
    first = false;
    if (!isArray) {
      writeJsonString(out, element.key);
      out.push_back(':');
    }
    writeAny(out, element.value);
  }
  out.push_back(isArray ? ']' : '}');
}

// The same without the fields that `level` covers. Values that no path of the set can reach are written by the function
// above.
void writeVisible(std::string& out, ValueView container, const Level& level) {
  const bool isArray = container.type() == BsonType::array;
  Level below;
  out.push_back(isArray ? '[' : '{');
  bool first = true;
  for (const Element& element : container.asDocument()) {
    const bool covered =
        isArray ? FieldTree::enterElement(level, element.key, below) : FieldTree::enter(level, element.key, below);
    if (covered) continue;
    if (!first) out.push_back(',');
    first = false;
    if (!isArray) {
      writeJsonString(out, element.key);
      out.push_back(':');
    }
    if (below.empty() || !element.value.isContainer()) {
      writeAny(out, element.value);
    } else {
      writeVisible(out, element.value, below);
    }
  }
  out.push_back(isArray ? ']' : '}');
}

}  // namespace

void writeJsonString(std::string& out, std::string_view text) {
  out.push_back('"');
  while (true) {
    const size_t plain = plainPrefix(text);
    out.append(text.substr(0, plain));
    if (plain == text.size()) break;
    writeEscape(out, text[plain]);
    text.remove_prefix(plain + 1);
  }
  out.push_back('"');
}

void writeJsonValue(std::string& out, ValueView value) {
  writeAny(out, value);
}

void writeJson(std::string& out, DocumentView view, const FieldSet* hidden) {
  const ValueView root(BsonType::document, view.bytes().data(), view.bytes().size());
  if (hidden && !hidden->empty()) {
    writeVisible(out, root, hidden->tree()->top());
  } else {
    writeContainer(out, root);
  }
}

std::string toJson(DocumentView view) {
  std::string out;
  out.reserve(view.bytes().size() + view.bytes().size() / 4);
  writeJson(out, view);
  return out;
}

}  // namespace mb::doc
