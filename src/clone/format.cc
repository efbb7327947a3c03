#include "clone/format.h"

#include <bit>
#include <cstring>

namespace mb::clone {

namespace {

static_assert(std::endian::native == std::endian::little, "numbers are copied in their memory representation");

bool continues(std::string_view text, size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
}

// Length of the well-formed sequence of several bytes at text[at] (RFC 3629), or 0.
size_t sequence(std::string_view text, size_t at) {
  const auto first = static_cast<unsigned char>(text[at]);
  const auto second = static_cast<unsigned char>(at + 1 < text.size() ? text[at + 1] : 0);
  if (!continues(text, at + 1)) return 0;
  if (first >= 0xC2 && first <= 0xDF) return 2;
  if (!continues(text, at + 2)) return 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool overlong = first == 0xE0 && second < 0xA0;
    const bool surrogate = first == 0xED && second > 0x9F;
    return overlong || surrogate ? 0 : 3;
  }
  if (!continues(text, at + 3)) return 0;
  if (first == 0xF0) return second < 0x90 ? 0 : 4;
  if (first == 0xF4) return second > 0x8F ? 0 : 4;
  return first > 0xF0 && first < 0xF4 ? 4 : 0;
}

bool isDecimal(std::string_view digits) {
  if (digits == "0") return true;
  if (digits.starts_with('-')) digits.remove_prefix(1);
  if (digits.empty() || digits.size() > kMaxBigIntDigits || digits.front() == '0') return false;
  return digits.find_first_not_of("0123456789") == std::string_view::npos;
}

void walk(Reader& in, int depth);

void walkEach(Reader& in, int depth, size_t valuesEach) {
  if (depth == 0) return in.fail();
  for (size_t left = size_t{in.count(valuesEach)} * valuesEach; left > 0 && !in.failed(); --left) walk(in, depth - 1);
}

void walkObject(Reader& in, int depth) {
  if (depth == 0) return in.fail();
  for (uint32_t left = in.count(2); left > 0 && !in.failed(); --left) {
    in.text();
    walk(in, depth - 1);
  }
}

// Skips one value; `depth`: how many more containers may be nested.
void walk(Reader& in, int depth) {
  switch (in.tag()) {
    case Tag::undefined:
    case Tag::null:
    case Tag::no:
    case Tag::yes:
      return;
    case Tag::integer:
      in.integer();
      return;
    case Tag::real:
    case Tag::date:
      in.real();
      return;
    case Tag::bigInt:
      in.bigInt();
      return;
    case Tag::string:
      in.text();
      return;
    case Tag::bytes:
      in.raw();
      return;
    case Tag::array:
    case Tag::set:
      return walkEach(in, depth, 1);
    case Tag::map:
      return walkEach(in, depth, 2);
    case Tag::object:
      return walkObject(in, depth);
    case Tag::regexp:
    case Tag::error:
      in.text();
      in.text();
      return;
  }
}

}  // namespace

bool wellFormed(std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    uint64_t eight = 0;
    if (text.size() - at >= sizeof eight) {
      std::memcpy(&eight, text.data() + at, sizeof eight);
      if ((eight & 0x8080808080808080) == 0) {
        at += sizeof eight;
        continue;
      }
    }
    const bool ascii = static_cast<unsigned char>(text[at]) < 0x80;
    const size_t length = ascii ? 1 : sequence(text, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

void Writer::count(uint32_t count) {
  for (; count >= 0x80; count >>= 7) out_.push_back(static_cast<char>(count | 0x80));
  out_.push_back(static_cast<char>(count));
}

void Writer::u32(uint32_t value) {
  out_.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void Writer::u64(uint64_t value) {
  out_.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void Writer::text(std::string_view text) {
  count(static_cast<uint32_t>(text.size()));
  out_.append(text);
}

void Writer::integer(int32_t value) {
  tag(Tag::integer);
  count((static_cast<uint32_t>(value) << 1) ^ static_cast<uint32_t>(value >> 31));
}

void Writer::real(double value) {
  tag(Tag::real);
  u64(std::bit_cast<uint64_t>(value));
}

void Writer::date(double ms) {
  tag(Tag::date);
  u64(std::bit_cast<uint64_t>(ms));
}

void Writer::string(std::string_view text) {
  tag(Tag::string);
  this->text(text);
}

void Writer::bytes(std::string_view bytes) {
  tag(Tag::bytes);
  text(bytes);
}

Tag Reader::tag() {
  const uint8_t value = byte();
  if (value <= static_cast<uint8_t>(Tag::error)) return static_cast<Tag>(value);
  fail();
  return Tag::undefined;
}

uint32_t Reader::varint() {
  uint32_t value = 0;
  for (int shift = 0; shift < 35; shift += 7) {
    const uint8_t next = byte();
    const bool tooLarge = shift == 28 && next > 0x0F;
    const bool overlong = shift > 0 && next == 0;
    if (failed_ || tooLarge || overlong) break;
    value |= static_cast<uint32_t>(next & 0x7F) << shift;
    if (next < 0x80) return value;
  }
  fail();
  return 0;
}

uint32_t Reader::count(size_t bytesEach) {
  const uint32_t value = varint();
  if (value <= in_.size() / bytesEach) return value;
  fail();
  return 0;
}

std::string_view Reader::take(size_t size) {
  if (size > in_.size()) {
    fail();
    return {};
  }
  const std::string_view taken = in_.substr(0, size);
  in_.remove_prefix(size);
  return taken;
}

uint8_t Reader::byte() {
  const std::string_view taken = take(1);
  return taken.empty() ? 0 : static_cast<uint8_t>(taken.front());
}

uint32_t Reader::u32() {
  uint32_t value = 0;
  const std::string_view taken = take(sizeof value);
  if (!taken.empty()) std::memcpy(&value, taken.data(), sizeof value);
  return value;
}

uint64_t Reader::u64() {
  uint64_t value = 0;
  const std::string_view taken = take(sizeof value);
  if (!taken.empty()) std::memcpy(&value, taken.data(), sizeof value);
  return value;
}

std::string_view Reader::raw() {
  return take(count());
}

std::string_view Reader::text() {
  const std::string_view taken = raw();
  if (wellFormed(taken)) return taken;
  fail();
  return {};
}

std::string_view Reader::bigInt() {
  const std::string_view taken = raw();
  if (isDecimal(taken)) return taken;
  fail();
  return {};
}

int32_t Reader::integer() {
  const uint32_t value = varint();
  return static_cast<int32_t>((value >> 1) ^ (~(value & 1) + 1));
}

double Reader::real() {
  return std::bit_cast<double>(u64());
}

std::optional<std::string_view> wholeValue(std::string_view in) {
  Reader reader(in);
  walk(reader, kMaxDepth);
  if (reader.failed()) return std::nullopt;
  return in.substr(0, in.size() - reader.left());
}

}  // namespace mb::clone
