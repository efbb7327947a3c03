#include <simdjson.h>

#include <algorithm>
#include <charconv>

#include "base/key_index.h"
#include "document/extended_json.h"
#include "document/json.h"

namespace mb::doc {

namespace {

namespace od = simdjson::ondemand;

// A thread reuses its parser and buffer for texts up to this size. Larger ones get their own, so that an import does
// not leave its memory allocated on every core.
constexpr size_t kReusedBytes = 256 * 1024;

// Duplicates are detected by pairwise comparison in objects of up to this many keys, by hash in larger ones.
constexpr size_t kPairwiseKeys = 16;

std::unexpected<Error> refuseJson(std::string_view why) {
  return fail(ErrorCode::invalidJson, fmt::format("the JSON text is invalid: {}", why));
}

// simdjson 3.0 joins surrogates without checking whether they form a pair.
class SurrogateCheck {
 public:
  // `raw` is a string's text between its quotes, with well-formed escapes.
  static bool passes(std::string_view raw) {
    bool awaitsLow = false;
    for (size_t i = 0; i < raw.size();) {
      const bool escapedUnit = raw[i] == '\\' && i + 5 < raw.size() && raw[i + 1] == 'u';
      const unsigned unit = escapedUnit ? codeUnit(raw.substr(i + 2, 4)) : 0;
      const bool isLow = unit >= 0xDC00 && unit <= 0xDFFF;
      if (awaitsLow != isLow) return false;
      awaitsLow = unit >= 0xD800 && unit <= 0xDBFF;
      i += escapedUnit ? 6 : raw[i] == '\\' ? 2 : 1;
    }
    return !awaitsLow;
  }

 private:
  static unsigned codeUnit(std::string_view hex) {
    unsigned unit = 0;
    std::from_chars(hex.data(), hex.data() + hex.size(), unit, 16);
    return unit;
  }
};

// Reads one text into a BsonWriter. Strings without escapes are taken from the padded text itself.
class Reader {
 public:
  // `keys` is scratch memory.
  Reader(BsonWriter& out, const JsonLimits& limits, std::vector<std::string_view>& keys)
      : out_(out), limits_(limits), keys_(keys) {
    keys_.clear();
  }

  Result<> fields(od::object object, size_t depth) {
    if (depth > limits_.maxDepth) return tooDeep();
    const size_t firstKey = keys_.size();
    for (auto field : object) {
      od::field entry;
      if (const auto error = std::move(field).get(entry)) return syntax(error);
      TRY(const std::string_view key, keyOf(entry));
      if (key.find('\0') != std::string_view::npos) return refuseJson("a key must not hold a NUL character");
      keys_.push_back(key);
      RETURN_IF_ERROR(value(key, entry.value(), depth));
    }
    RETURN_IF_ERROR(checkDuplicates(firstKey));
    keys_.resize(firstKey);
    return {};
  }

  Result<> elements(od::array array, size_t depth) {
    if (depth > limits_.maxDepth) return tooDeep();
    size_t index = 0;
    for (auto item : array) {
      od::value element;
      if (const auto error = std::move(item).get(element)) return syntax(error);
      // Nested calls may reuse the key's bytes, so it must not be stored.
      RETURN_IF_ERROR(value(arrayKey(index++), element, depth));
    }
    return {};
  }

  Result<> value(std::string_view key, od::value value, size_t depth) {
    od::json_type type;
    if (const auto error = value.type().get(type)) return syntax(error);
    switch (type) {
      case od::json_type::object:
        return object(key, value, depth + 1);
      case od::json_type::array: {
        od::array array;
        if (const auto error = value.get_array().get(array)) return syntax(error);
        out_.beginArray(key);
        RETURN_IF_ERROR(elements(array, depth + 1));
        out_.end();
        return {};
      }
      case od::json_type::string: {
        TRY(const std::string_view string, stringOf(value));
        out_.appendString(key, string);
        return {};
      }
      case od::json_type::number:
        return number(key, value);
      case od::json_type::boolean: {
        bool flag = false;
        if (const auto error = value.get_bool().get(flag)) return syntax(error);
        out_.appendBool(key, flag);
        return {};
      }
      case od::json_type::null: {
        bool isNull = false;
        if (value.is_null().get(isNull) || !isNull) return refuseJson("a literal must be true, false or null");
        out_.appendNull(key);
        return {};
      }
    }
    return refuseJson("a value is expected");
  }

  static std::unexpected<Error> syntax(simdjson::error_code error) {
    switch (error) {
      case simdjson::UTF8_ERROR:
        return refuseJson("it is not UTF-8");
      case simdjson::EMPTY:
        return refuseJson("it is empty");
      case simdjson::UNCLOSED_STRING:
        return refuseJson("a string is not closed");
      case simdjson::UNESCAPED_CHARS:
        return refuseJson("a string holds a control character");
      case simdjson::STRING_ERROR:
        return refuseJson("a string holds a malformed escape");
      case simdjson::NUMBER_ERROR:
        return refuseJson("a number is malformed or too large");
      case simdjson::DEPTH_ERROR:
        return refuseJson("it is nested too deeply");
      default:
        return refuseJson("syntax error");
    }
  }

 private:
  std::unexpected<Error> tooDeep() const {
    return refuseJson(fmt::format("it is nested more than {} levels deep", limits_.maxDepth));
  }

  // The text between the quotes from `start` on; nullopt if it holds an escape.
  static std::optional<std::string_view> plainText(const char* start) {
    const char* at = start;
    while (*at != '"' && *at != '\\') ++at;
    if (*at == '\\') return std::nullopt;
    return std::string_view(start, static_cast<size_t>(at - start));
  }

  static std::string_view escapedText(const char* start) {
    const char* at = start;
    while (*at != '"') at += *at == '\\' ? 2 : 1;
    return {start, static_cast<size_t>(at - start)};
  }

  // Both live as long as the text and the parser.
  static Result<std::string_view> keyOf(od::field& field) {
    const char* start = field.key().raw();
    if (const auto plain = plainText(start)) return *plain;
    std::string_view unescaped;
    if (const auto error = field.unescaped_key().get(unescaped)) return syntax(error);
    if (!SurrogateCheck::passes(escapedText(start))) return refuseJson("a key holds half of a surrogate pair");
    return unescaped;
  }

  static Result<std::string_view> stringOf(od::value& value) {
    const char* start = value.raw_json_token().data() + 1;
    if (const auto plain = plainText(start)) {
      if (const auto error = value.get_raw_json_string().error()) return syntax(error);
      return *plain;
    }
    std::string_view unescaped;
    if (const auto error = value.get_string().get(unescaped)) return syntax(error);
    if (!SurrogateCheck::passes(escapedText(start))) return refuseJson("a string holds half of a surrogate pair");
    return unescaped;
  }

  Result<> number(std::string_view key, od::value value) {
    const std::string_view token = value.raw_json_token();
    const bool isInteger = token.find_first_of(".eE") == std::string_view::npos && !token.starts_with("-0");
    int64_t integer = 0;
    if (isInteger && value.get_int64().get(integer) == simdjson::SUCCESS) {
      out_.appendInteger(key, integer);
      return {};
    }
    double real = 0;
    if (const auto error = value.get_double().get(real)) return syntax(error);
    out_.appendReal(key, real);
    return {};
  }

  Result<> object(std::string_view key, od::value value, size_t depth) {
    od::object object;
    if (const auto error = value.get_object().get(object)) return syntax(error);
    const size_t start = out_.size();
    out_.beginDocument(key);
    const size_t body = out_.size();
    RETURN_IF_ERROR(fields(object, depth));
    out_.end();
    if (limits_.extended == ExtendedJson::refuse) return {};
    return resolveExtended(start, body);
  }

  // Replaces the object written since `start` by its value if it is extended JSON.
  Result<> resolveExtended(size_t start, size_t body) {
    const DocumentView written(out_.written(body - 4));
    auto it = written.begin();
    if (it == written.end() || !it->key.starts_with('$')) return {};
    const std::string_view first = it->key;
    ++it;
    const bool isSole = it == written.end();
    if (isSole ? !isExtendedKey(first) : !isExtendedPair(first, it->key)) return {};
    if (!isSole && ++it != written.end()) return {};
    const Document wrapper(written);
    // The key of a position may have been overwritten since; the written bytes of it remain.
    const std::string key(out_.written(start).data() + 1);
    out_.rewind(start);
    return appendExtended(out_, key, wrapper);
  }

  Result<> checkDuplicates(size_t firstKey) {
    const auto keys = std::span(keys_).subspan(firstKey);
    std::optional<std::string_view> duplicate;
    if (keys.size() <= kPairwiseKeys) {
      for (size_t i = 1; i < keys.size() && !duplicate; ++i) {
        if (std::ranges::find(keys.first(i), keys[i]) != keys.first(i).end()) duplicate = keys[i];
      }
    } else {
      KeyIndex index(keys.size());
      const auto keyAt = [&](uint32_t at) { return keys[at]; };
      for (uint32_t i = 0; i < keys.size() && !duplicate; ++i) {
        if (index.add(keys[i], i, keyAt)) duplicate = keys[i];
      }
    }
    if (!duplicate) return {};
    return refuseJson(fmt::format("the key \"{}\" occurs twice in one object", duplicate->substr(0, 100)));
  }

  BsonWriter& out_;
  const JsonLimits& limits_;
  std::vector<std::string_view>& keys_;  // of the open objects, outermost first
};

// A parser with its buffer.
struct Workspace {
  od::parser parser;
  std::string padded;
  std::vector<std::string_view> keys;

  // Starts to parse `text` enclosed in `before` and `after`.
  simdjson::error_code start(std::string_view before, std::string_view text, std::string_view after,
                             od::document& document) {
    padded.clear();
    padded.reserve(before.size() + text.size() + after.size() + simdjson::SIMDJSON_PADDING);
    padded.append(before).append(text).append(after);
    if (parser.capacity() < padded.size()) {
      const size_t capacity = std::max(padded.size(), 2 * parser.capacity());
      if (const auto error = parser.allocate(capacity, parser.max_depth())) return error;
    }
    return parser.iterate(padded).get(document);
  }
};

template <class Read>
Result<Document> withWorkspace(std::string_view text, Read read) {
  if (text.size() <= kReusedBytes) {
    thread_local Workspace kept;
    return read(kept);
  }
  Workspace own;
  return read(own);
}

bool isAtEnd(od::document& document) {
  return document.current_location().error() == simdjson::OUT_OF_BOUNDS;
}

size_t expectedBytes(std::string_view text) {
  return text.size() + text.size() / 4 + 64;
}

Result<Document> parseObject(Workspace& space, std::string_view text, const JsonLimits& limits) {
  od::document document;
  if (const auto error = space.start("", text, "", document)) return Reader::syntax(error);
  od::json_type type;
  if (const auto error = document.type().get(type)) return Reader::syntax(error);
  if (type != od::json_type::object) return refuseJson("an object is expected");
  od::object object;
  if (const auto error = document.get_object().get(object)) return Reader::syntax(error);
  BsonWriter out(expectedBytes(text));
  Reader reader(out, limits, space.keys);
  RETURN_IF_ERROR(reader.fields(object, 1));
  if (!isAtEnd(document)) return refuseJson("there must be nothing after the object");
  return out.finish();
}

// In brackets, the text is an array of one element if and only if it is one value.
Result<Document> parseEnclosed(Workspace& space, std::string_view text, const JsonLimits& limits) {
  od::document document;
  if (const auto error = space.start("[", text, "]", document)) return Reader::syntax(error);
  od::array array;
  if (const auto error = document.get_array().get(array)) return Reader::syntax(error);
  BsonWriter out(expectedBytes(text));
  Reader reader(out, limits, space.keys);
  size_t count = 0;
  for (auto item : array) {
    od::value element;
    if (const auto error = std::move(item).get(element)) return Reader::syntax(error);
    if (++count > 1) break;
    RETURN_IF_ERROR(reader.value("", element, 0));
  }
  if (count != 1 || !isAtEnd(document)) return refuseJson("one value is expected");
  return out.finish();
}

}  // namespace

Result<Document> parseJson(std::string_view text, const JsonLimits& limits) {
  return withWorkspace(text, [&](Workspace& space) { return parseObject(space, text, limits); });
}

Result<Document> parseJsonValue(std::string_view text, const JsonLimits& limits) {
  return withWorkspace(text, [&](Workspace& space) { return parseEnclosed(space, text, limits); });
}

}  // namespace mb::doc
