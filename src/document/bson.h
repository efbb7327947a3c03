// A document is BSON bytes (bsonspec.org 1.1). Views borrow, Document owns, BsonWriter builds. Functions that take a
// view require well-formed bytes; bytes from outside become documents only through parseJson (json.h) or
// Document::fromUntrusted.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/error.h"

namespace mb::doc {

enum class BsonType : uint8_t {
  real = 0x01,  // double
  string = 0x02,
  document = 0x03,
  array = 0x04,
  binary = 0x05,
  objectId = 0x07,
  boolean = 0x08,
  date = 0x09,
  null = 0x0A,
  regex = 0x0B,
  int32 = 0x10,
  timestamp = 0x11,
  int64 = 0x12,
  decimal = 0x13,
  minKey = 0xFF,
  maxKey = 0x7F,
};
// "string", "int", "long", "double", "object", "array", "date", ...: the names in $type.
std::string_view typeName(BsonType type);

class DocumentView;

// A value in bytes owned by another object.
class ValueView {
 public:
  ValueView() = default;  // null
  ValueView(BsonType type, const char* data, size_t size)
      : data_(data), size_(static_cast<uint32_t>(size)), type_(type) {}

  BsonType type() const { return type_; }
  bool isNumber() const {
    return type_ == BsonType::int32 || type_ == BsonType::int64 || type_ == BsonType::real ||
           type_ == BsonType::decimal;
  }
  bool isContainer() const { return type_ == BsonType::document || type_ == BsonType::array; }
  // The raw bytes of the value, which follow the key in BSON.
  std::string_view raw() const { return {data_, size_}; }

  // REQUIRES: the value has the named type.
  double asReal() const { return load<double>(); }
  int32_t asInt32() const { return load<int32_t>(); }
  int64_t asInt64() const { return load<int64_t>(); }
  int64_t asInteger() const { return type_ == BsonType::int32 ? asInt32() : asInt64(); }  // an int32 or int64
  bool asBool() const { return data_[0] != 0; }
  Timestamp asDate() const { return {load<int64_t>()}; }
  std::string_view asString() const { return {data_ + 4, size_ - 5}; }
  std::string_view asObjectId() const { return {data_, 12}; }
  std::string_view asBinary() const { return {data_ + 5, size_ - 5}; }
  uint8_t binarySubtype() const { return static_cast<uint8_t>(data_[4]); }
  std::string_view asDecimal() const { return {data_, 16}; }
  DocumentView asDocument() const;  // also for arrays: keys "0", "1", ...

  // Any number as a double (decimals included). REQUIRES: isNumber().
  double toReal() const;
  // The exact integer of an int32, int64 or integral double; nullopt otherwise.
  std::optional<int64_t> toInteger() const;

 private:
  template <class T>
  T load() const {
    T value;
    std::memcpy(&value, data_, sizeof value);
    return value;
  }
  const char* data_ = nullptr;
  uint32_t size_ = 0;
  BsonType type_ = BsonType::null;
};

struct Element {
  std::string_view key;
  ValueView value;
};

// A whole document (or array) in bytes owned by another object. A range-based for visits its elements in order.
class DocumentView {
 public:
  DocumentView();  // the empty document
  explicit DocumentView(std::string_view bytes) : bytes_(bytes) {}

  std::string_view bytes() const { return bytes_; }
  bool empty() const { return bytes_.size() <= 5; }
  size_t count() const;
  // The value of a top-level field. Linear.
  std::optional<ValueView> find(std::string_view key) const;
  // The value at a dotted path, through documents only (never through arrays); for the server's own records.
  std::optional<ValueView> findPath(std::string_view dotted) const;
  // A top-level string, or `fallback` if it is absent or of another type.
  std::string_view stringOr(std::string_view key, std::string_view fallback = "") const;

  class Iterator {
   public:
    explicit Iterator(const char* at) : at_(at) { read(); }
    const Element& operator*() const { return element_; }
    const Element* operator->() const { return &element_; }
    Iterator& operator++() {
      at_ = next_;
      read();
      return *this;
    }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }

   private:
    void read();
    const char* at_;
    const char* next_ = nullptr;
    Element element_;
  };
  Iterator begin() const { return Iterator(bytes_.data() + 4); }
  Iterator end() const { return Iterator(bytes_.data() + bytes_.size() - 1); }

 private:
  std::string_view bytes_;
};

inline DocumentView ValueView::asDocument() const {
  return DocumentView(raw());
}

namespace detail {
// The size of a value, by the low five bits of its type: `fixed` bytes, and after a length prefix as many as it says.
struct ValueSize {
  uint8_t fixed = 0;
  bool hasLength = false;
};
inline constexpr auto kValueSizes = [] {
  std::array<ValueSize, 32> sizes{};
  const auto at = [&](BsonType type) -> ValueSize& { return sizes[static_cast<uint8_t>(type) & 0x1F]; };
  at(BsonType::real) = at(BsonType::date) = at(BsonType::timestamp) = at(BsonType::int64) = {8, false};
  at(BsonType::int32) = {4, false};
  at(BsonType::boolean) = {1, false};
  at(BsonType::objectId) = {12, false};
  at(BsonType::decimal) = {16, false};
  at(BsonType::string) = {4, true};
  at(BsonType::binary) = {5, true};
  at(BsonType::document) = at(BsonType::array) = {0, true};
  // Deprecated types, which only foreign documents have (foreign_bson.h): dbPointer, code, symbol, code with scope.
  sizes[0x0C] = {16, true};
  sizes[0x0D] = sizes[0x0E] = {4, true};
  sizes[0x0F] = {0, true};
  return sizes;
}();
size_t regexSize(const char* data);
}  // namespace detail

// The size in bytes of a value of `type` at `data`, the end of its key. REQUIRES: the bytes are well-formed.
inline size_t valueSize(BsonType type, const char* data) {
  const detail::ValueSize size = detail::kValueSizes[static_cast<uint8_t>(type) & 0x1F];
  if (size.hasLength) {
    int32_t length;
    std::memcpy(&length, data, sizeof length);
    return size.fixed + static_cast<size_t>(length);
  }
  return type == BsonType::regex ? detail::regexSize(data) : size.fixed;
}

inline void DocumentView::Iterator::read() {
  if (*at_ == 0) return;  // the end of the document
  const char* key = at_ + 1;
  const size_t length = std::strlen(key);
  const auto type = static_cast<BsonType>(static_cast<uint8_t>(*at_));
  const char* data = key + length + 1;
  const size_t size = valueSize(type, data);
  element_ = {{key, length}, ValueView(type, data, size)};
  next_ = data + size;
}

class Document {
 public:
  Document();  // the empty document
  explicit Document(DocumentView view) : bytes_(view.bytes()) {}
  // REQUIRES: `bytes` are well-formed, as those of the store and of BsonWriter are.
  static Document fromTrusted(std::string bytes);
  // Validates every length, type, string and key with libbson. Fails with validation.
  static Result<Document> fromUntrusted(std::string bytes);

  DocumentView view() const { return DocumentView(bytes_); }
  operator DocumentView() const { return view(); }
  const std::string& bytes() const { return bytes_; }
  std::string takeBytes() && { return std::move(bytes_); }
  size_t size() const { return bytes_.size(); }
  bool empty() const { return view().empty(); }
  bool operator==(const Document&) const = default;  // the same bytes

 private:
  std::string bytes_;
};

// An owned value of any type. Filters, updates and schemas copy values of their input into it.
class Value {
 public:
  Value();  // null
  explicit Value(ValueView view);
  ValueView view() const { return {type_, raw_.data(), raw_.size()}; }
  operator ValueView() const { return view(); }
  BsonType type() const { return type_; }

 private:
  BsonType type_;
  std::string raw_;
};

// Appends elements in order; every begin requires an end. Keys must not hold NUL (checked by the parser, asserted
// here). finish() closes the outermost document and returns it.
class BsonWriter {
 public:
  BsonWriter();
  // Reserves memory for a document of about `expectedBytes`.
  explicit BsonWriter(size_t expectedBytes);

  void append(std::string_view key, ValueView value);
  void appendString(std::string_view key, std::string_view value);
  void appendInt32(std::string_view key, int32_t value);
  void appendInt64(std::string_view key, int64_t value);
  // As int32 if it fits, else int64, as for JSON integers.
  void appendInteger(std::string_view key, int64_t value);
  void appendReal(std::string_view key, double value);
  void appendBool(std::string_view key, bool value);
  void appendNull(std::string_view key);
  void appendDate(std::string_view key, Timestamp value);
  void appendObjectId(std::string_view key, std::string_view twelveBytes);
  void appendBinary(std::string_view key, std::string_view bytes, uint8_t subtype = 0);
  void appendDecimal(std::string_view key, std::string_view sixteenBytes);
  void appendDocument(std::string_view key, DocumentView value);
  void appendArray(std::string_view key, DocumentView value);
  void beginDocument(std::string_view key);
  void beginArray(std::string_view key);
  // Ends the innermost document or array.
  void end();
  // Appends every element of `view` unchanged.
  void appendAll(DocumentView view);
  size_t size() const { return out_.size(); }
  // Appends adjacent elements of another document: the bytes from the type of the first to the end of the last.
  void appendElements(std::string_view elements) { out_.append(elements); }
  // The bytes written since size() was `from`; valid until the next call.
  std::string_view written(size_t from) const { return std::string_view(out_).substr(from); }
  // Drops the bytes written since size() was `to`. REQUIRES: the same container is open.
  void rewind(size_t to) { out_.resize(to); }

  Document finish();

 private:
  void header(BsonType type, std::string_view key);
  template <class T>
  void raw(T value) {
    out_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  std::string out_;
  std::vector<uint32_t> open_;  // the offset of each open container's length
};

// "0", "1", ... as the keys of arrays; valid for the life of the program for n < 1000, else until the next call on the
// same thread.
std::string_view arrayKey(size_t n);

}  // namespace mb::doc
