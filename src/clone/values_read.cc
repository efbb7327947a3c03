// Clone values as documents.
#include <charconv>
#include <cmath>

#include "clone/values.h"

namespace mb::clone {

using doc::BsonType;
using doc::BsonWriter;
using doc::ValueView;

namespace {

constexpr double kFarthestDate = 8.64e15;  // ECMAScript, 21.4.1.1
// Objects up to this many keys are searched for duplicates pair by pair, larger ones by sorting.
constexpr size_t kPairwiseKeys = 16;

// If a function returns false, either the reader failed or `problem` says what BSON cannot hold.
class Decoder {
 public:
  Decoder(Reader& in, BsonWriter& out, Purpose purpose) : in_(in), out_(out), purpose_(purpose) {}

  bool value(std::string_view key, Tag tag, int depth);
  bool elements(int depth);
  std::string_view problem() const { return problem_; }

 private:
  bool refuse(std::string_view problem) {
    problem_ = problem;
    return false;
  }
  // A value that JSON cannot represent.
  bool none(std::string_view key, std::string_view problem) {
    if (purpose_ == Purpose::argument) return refuse(problem);
    out_.appendNull(key);
    return true;
  }
  bool real(std::string_view key);
  bool date(std::string_view key);
  bool bigInt(std::string_view key);
  bool regexp(std::string_view key);
  bool error(std::string_view key);
  bool array(std::string_view key, int depth);
  bool object(std::string_view key, int depth, bool isMap);
  bool entry(int depth, bool isMap);
  bool distinct(size_t firstKey);

  Reader& in_;
  BsonWriter& out_;
  const Purpose purpose_;
  std::vector<std::string_view> keys_;  // of the open objects, outermost first
  std::string_view problem_;
};

bool Decoder::value(std::string_view key, Tag tag, int depth) {
  if (out_.size() > kMaxBsonBytes) return refuse("is too large");
  switch (tag) {
    case Tag::undefined:
    case Tag::null:
      out_.appendNull(key);
      break;
    case Tag::no:
    case Tag::yes:
      out_.appendBool(key, tag == Tag::yes);
      break;
    case Tag::integer:
      out_.appendInt32(key, in_.integer());
      break;
    case Tag::real:
      return real(key);
    case Tag::bigInt:
      return bigInt(key);
    case Tag::string:
      out_.appendString(key, in_.text());
      break;
    case Tag::date:
      return date(key);
    case Tag::bytes:
      out_.appendBinary(key, in_.raw());
      break;
    case Tag::array:
    case Tag::set:
      return array(key, depth);
    case Tag::object:
      return object(key, depth, false);
    case Tag::map:
      return object(key, depth, true);
    case Tag::regexp:
      return regexp(key);
    case Tag::error:
      return error(key);
  }
  return !in_.failed();
}

bool Decoder::real(std::string_view key) {
  const double value = in_.real();
  if (in_.failed()) return false;
  if (!std::isfinite(value)) return none(key, "holds a number that is not finite");
  const bool integral = value == std::trunc(value) && std::abs(value) <= static_cast<double>(kMaxExactInteger);
  integral ? out_.appendInteger(key, static_cast<int64_t>(value)) : out_.appendReal(key, value);
  return true;
}

bool Decoder::date(std::string_view key) {
  const double ms = in_.real();
  if (in_.failed()) return false;
  if (!(std::abs(ms) <= kFarthestDate)) return none(key, "holds an invalid date");
  out_.appendDate(key, {static_cast<int64_t>(ms)});
  return true;
}

bool Decoder::bigInt(std::string_view key) {
  const std::string_view digits = in_.bigInt();
  if (in_.failed()) return false;
  int64_t value = 0;
  const auto end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, value);
  if (read.ec != std::errc() || read.ptr != end) return refuse("holds a BigInt beyond 64 bits");
  out_.appendInt64(key, value);
  return true;
}

bool Decoder::regexp(std::string_view key) {
  const std::string_view source = in_.text();
  const std::string_view flags = in_.text();
  if (in_.failed()) return false;
  if (source.contains('\0')) return refuse("holds a regular expression with a NUL");
  std::string options;
  for (const char known : std::string_view("ims")) {
    if (flags.contains(known)) options += known;
  }
  if (purpose_ == Purpose::argument) {
    out_.beginDocument(key);
    out_.appendString("$regex", source);
    if (!options.empty()) out_.appendString("$options", options);
    out_.end();
    return true;
  }
  const std::string raw = std::string(source) + '\0' + options + '\0';
  out_.append(key, ValueView(BsonType::regex, raw.data(), raw.size()));
  return true;
}

bool Decoder::error(std::string_view key) {
  const std::string_view name = in_.text();
  const std::string_view message = in_.text();
  out_.beginDocument(key);
  out_.appendString("name", name);
  out_.appendString("message", message);
  out_.end();
  return !in_.failed();
}

bool Decoder::array(std::string_view key, int depth) {
  if (depth == 0) return refuse("is nested too deeply");
  out_.beginArray(key);
  if (!elements(depth - 1)) return false;
  out_.end();
  return true;
}

bool Decoder::elements(int depth) {
  const uint32_t count = in_.count();
  for (uint32_t i = 0; i < count; ++i) {
    const Tag tag = in_.tag();
    if (in_.failed() || !value(doc::arrayKey(i), tag, depth)) return false;
  }
  return !in_.failed();
}

bool Decoder::object(std::string_view key, int depth, bool isMap) {
  if (depth == 0) return refuse("is nested too deeply");
  out_.beginDocument(key);
  const size_t firstKey = keys_.size();
  for (uint32_t left = in_.count(2); left > 0; --left) {
    if (!entry(depth - 1, isMap)) return false;
  }
  if (in_.failed() || !distinct(firstKey)) return false;
  keys_.resize(firstKey);
  out_.end();
  return true;
}

bool Decoder::entry(int depth, bool isMap) {
  if (isMap && in_.tag() != Tag::string) return refuse("holds a Map with keys that are not strings");
  const std::string_view key = in_.text();
  const Tag tag = in_.tag();
  if (in_.failed()) return false;
  if (key.contains('\0')) return refuse("holds a key with a NUL");
  if (tag == Tag::undefined) return true;
  keys_.push_back(key);
  return value(key, tag, depth);
}

// A key that occurs twice could have different values for different readers. A malicious worker can send one, and an
// honest one too, since different lone surrogates become the same character.
bool Decoder::distinct(size_t firstKey) {
  const auto keys = std::span(keys_).subspan(firstKey);
  bool twice = false;
  if (keys.size() <= kPairwiseKeys) {
    for (size_t i = 1; i < keys.size() && !twice; ++i) {
      twice = std::ranges::find(keys.first(i), keys[i]) != keys.first(i).end();
    }
  } else {
    std::ranges::sort(keys);
    twice = std::ranges::adjacent_find(keys) != keys.end();
  }
  return !twice || refuse("holds an object with one key twice");
}

std::unexpected<Error> refused(std::string_view what, std::string_view problem) {
  return fail(ErrorCode::validation, fmt::format("{} {}", what, problem));
}

}  // namespace

Result<doc::Value> readValue(Reader& in, Purpose purpose) {
  BsonWriter out;
  Decoder decoder(in, out, purpose);
  const Tag tag = in.tag();
  if (in.failed() || !decoder.value("", tag, kMaxDepthRead)) {
    return refused(purpose == Purpose::result ? "the result" : "an argument", decoder.problem());
  }
  const doc::Document holder = out.finish();
  return doc::Value(holder.view().begin()->value);
}

Result<doc::Document> readArguments(Reader& in) {
  BsonWriter out;
  Decoder decoder(in, out, Purpose::argument);
  if (in.tag() != Tag::array) in.fail();
  if (in.failed() || !decoder.elements(kMaxDepthRead)) return refused("an argument", decoder.problem());
  return out.finish();
}

}  // namespace mb::clone
