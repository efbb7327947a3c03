// Validates bytes from outside with libbson's iterator.
#include <bson/bson.h>

#include "document/bson.h"

namespace mb::doc {

namespace {

constexpr int kMaxDepth = 200;

bool isKnown(bson_type_t type) {
  switch (static_cast<BsonType>(static_cast<uint8_t>(type))) {
    case BsonType::real:
    case BsonType::string:
    case BsonType::document:
    case BsonType::array:
    case BsonType::binary:
    case BsonType::objectId:
    case BsonType::boolean:
    case BsonType::date:
    case BsonType::null:
    case BsonType::regex:
    case BsonType::int32:
    case BsonType::timestamp:
    case BsonType::int64:
    case BsonType::decimal:
    case BsonType::minKey:
    case BsonType::maxKey:
      return true;
  }
  return false;
}

bool isUtf8(const char* text, size_t length) {
  return bson_utf8_validate(text, length, true);
}

bool isWellFormed(const uint8_t* data, size_t size, bool isArray, int depth);

bool isWellFormedValue(const bson_iter_t& it, int depth) {
  const uint8_t* data = nullptr;
  uint32_t length = 0;
  switch (bson_iter_type(&it)) {
    case BSON_TYPE_DOCUMENT:
      bson_iter_document(&it, &length, &data);
      return data && isWellFormed(data, length, false, depth + 1);
    case BSON_TYPE_ARRAY:
      bson_iter_array(&it, &length, &data);
      return data && isWellFormed(data, length, true, depth + 1);
    case BSON_TYPE_UTF8: {
      const char* text = bson_iter_utf8(&it, &length);
      return isUtf8(text, length);
    }
    case BSON_TYPE_REGEX: {
      const char* options = nullptr;
      const char* pattern = bson_iter_regex(&it, &options);
      return isUtf8(pattern, std::strlen(pattern)) && isUtf8(options, std::strlen(options));
    }
    default:
      return true;
  }
}

bool isWellFormed(const uint8_t* data, size_t size, bool isArray, int depth) {
  bson_t document;
  bson_iter_t it;
  if (depth > kMaxDepth || !bson_init_static(&document, data, size) || !bson_iter_init(&it, &document)) return false;
  size_t index = 0;
  uint32_t lastEnd = 4;
  while (bson_iter_next(&it)) {
    const std::string_view key = bson_iter_key(&it);
    if (!isKnown(bson_iter_type(&it)) || !isUtf8(key.data(), key.size())) return false;
    if (isArray && key != arrayKey(index++)) return false;
    if (!isWellFormedValue(it, depth)) return false;
    lastEnd = it.next_off;
  }
  // The iterator also stops at a zero byte in the middle.
  return it.err_off == 0 && lastEnd + 1 == size;
}

}  // namespace

Result<Document> Document::fromUntrusted(std::string bytes) {
  if (!isWellFormed(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(), false, 1)) {
    return fail(ErrorCode::validation, "the document must be well-formed BSON");
  }
  return fromTrusted(std::move(bytes));
}

}  // namespace mb::doc
