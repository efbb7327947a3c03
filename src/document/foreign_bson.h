// BSON (bsonspec.org 1.1) that another program stored: bytes of any origin, which may hold types that our documents
// never have, and keys and strings that are not UTF-8.
#pragma once

#include <cstdint>
#include <string_view>

#include "document/bson.h"

namespace mb::doc {

// The types that BsonType does not have.
inline constexpr uint8_t kUndefined = 0x06;
inline constexpr uint8_t kDbPointer = 0x0C;
inline constexpr uint8_t kCode = 0x0D;
inline constexpr uint8_t kSymbol = 0x0E;
inline constexpr uint8_t kCodeWithScope = 0x0F;

// Levels below a document; the server allows 200 at most.
inline constexpr int kMaxForeignDepth = 200;

struct ForeignElement {
  uint8_t type = 0;
  std::string_view key;
  std::string_view value;  // the bytes after the key

  bool is(BsonType other) const { return type == static_cast<uint8_t>(other); }
  bool isContainer() const { return is(BsonType::document) || is(BsonType::array); }
  // REQUIRES: a string, a symbol or code.
  std::string_view text() const { return value.substr(4, value.size() - 5); }
};

// Visits the elements of a document or array in their order, checking every length. Does not enter containers.
class ForeignReader {
 public:
  explicit ForeignReader(std::string_view document);
  // False at the end, and where the bytes are malformed.
  bool next();
  const ForeignElement& element() const { return element_; }
  bool malformed() const { return malformed_; }

 private:
  bool refuse();

  std::string_view rest_;
  ForeignElement element_;
  bool malformed_ = false;
};

// Whether the bytes are a document, with all that it contains, of at most kMaxForeignDepth levels.
bool isWellFormed(std::string_view document);

// Whether JSON has no form for the value, so that what is shown of it does not lead back to it.
bool isShownAsOther(const ForeignElement& element);
// Whether the element or an element in it is.
bool holdsShownAsOther(const ForeignElement& element);

// Appends the value as our documents show it: types without a form in JSON as MongoDB's relaxed extended JSON (v2),
// NaN, infinity and undefined as null, a symbol as a string; bytes that are not UTF-8 as U+FFFD. REQUIRES:
// isWellFormed() of the document that holds it.
void appendShown(BsonWriter& out, std::string_view key, const ForeignElement& element);
// `text` with bytes that are not UTF-8 replaced by U+FFFD.
std::string asUtf8(std::string_view text);

}  // namespace mb::doc
