#include <cassert>

#include "document/bson.h"

namespace mb::doc {

namespace {
constexpr size_t kUsualBytes = 256;
}

BsonWriter::BsonWriter() : BsonWriter(kUsualBytes) {}

BsonWriter::BsonWriter(size_t expectedBytes) {
  out_.reserve(expectedBytes);
  open_.reserve(8);
  open_.push_back(0);
  raw(int32_t{0});
}

void BsonWriter::header(BsonType type, std::string_view key) {
  assert(key.find('\0') == std::string_view::npos);
  out_.push_back(static_cast<char>(type));
  out_.append(key);
  out_.push_back('\0');
}

void BsonWriter::append(std::string_view key, ValueView value) {
  header(value.type(), key);
  out_.append(value.raw());
}

void BsonWriter::appendString(std::string_view key, std::string_view value) {
  header(BsonType::string, key);
  raw(static_cast<int32_t>(value.size() + 1));
  out_.append(value);
  out_.push_back('\0');
}

void BsonWriter::appendInt32(std::string_view key, int32_t value) {
  header(BsonType::int32, key);
  raw(value);
}

void BsonWriter::appendInt64(std::string_view key, int64_t value) {
  header(BsonType::int64, key);
  raw(value);
}

void BsonWriter::appendInteger(std::string_view key, int64_t value) {
  if (value >= INT32_MIN && value <= INT32_MAX) return appendInt32(key, static_cast<int32_t>(value));
  appendInt64(key, value);
}

void BsonWriter::appendReal(std::string_view key, double value) {
  header(BsonType::real, key);
  raw(value);
}

void BsonWriter::appendBool(std::string_view key, bool value) {
  header(BsonType::boolean, key);
  out_.push_back(value ? 1 : 0);
}

void BsonWriter::appendNull(std::string_view key) {
  header(BsonType::null, key);
}

void BsonWriter::appendDate(std::string_view key, Timestamp value) {
  header(BsonType::date, key);
  raw(value.ms);
}

void BsonWriter::appendObjectId(std::string_view key, std::string_view twelveBytes) {
  assert(twelveBytes.size() == 12);
  header(BsonType::objectId, key);
  out_.append(twelveBytes);
}

void BsonWriter::appendBinary(std::string_view key, std::string_view bytes, uint8_t subtype) {
  header(BsonType::binary, key);
  raw(static_cast<int32_t>(bytes.size()));
  out_.push_back(static_cast<char>(subtype));
  out_.append(bytes);
}

void BsonWriter::appendDecimal(std::string_view key, std::string_view sixteenBytes) {
  assert(sixteenBytes.size() == 16);
  header(BsonType::decimal, key);
  out_.append(sixteenBytes);
}

void BsonWriter::appendDocument(std::string_view key, DocumentView value) {
  header(BsonType::document, key);
  out_.append(value.bytes());
}

void BsonWriter::appendArray(std::string_view key, DocumentView value) {
  header(BsonType::array, key);
  out_.append(value.bytes());
}

void BsonWriter::beginDocument(std::string_view key) {
  header(BsonType::document, key);
  open_.push_back(static_cast<uint32_t>(out_.size()));
  raw(int32_t{0});
}

void BsonWriter::beginArray(std::string_view key) {
  header(BsonType::array, key);
  open_.push_back(static_cast<uint32_t>(out_.size()));
  raw(int32_t{0});
}

void BsonWriter::end() {
  assert(!open_.empty());
  out_.push_back('\0');
  const uint32_t start = open_.back();
  open_.pop_back();
  const auto length = static_cast<int32_t>(out_.size() - start);
  std::memcpy(out_.data() + start, &length, sizeof length);
}

void BsonWriter::appendAll(DocumentView view) {
  out_.append(view.bytes().substr(4, view.bytes().size() - 5));
}

Document BsonWriter::finish() {
  assert(open_.size() == 1);
  end();
  return Document::fromTrusted(std::move(out_));
}

}  // namespace mb::doc
