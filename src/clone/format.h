// The encoding of values between the server and a worker: a format of this code for what the structured clone algorithm
// can carry (HTML standard, 2.7 "Safe passing of structured data"). Uses the standard library only, since the worker
// compiles it too. Treats all input as hostile.
//
// A value is a tag and its payload; lengths and counts are LEB128 of at most five bytes, numbers little-endian.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mb::clone {

enum class Tag : uint8_t {
  undefined = 0,
  null = 1,
  no = 2,
  yes = 3,
  integer = 4,  // zigzag LEB128, -2^31 to 2^31-1
  real = 5,     // 8 bytes
  bigInt = 6,   // a string of decimal digits, with "-" in front if negative; at most 400 of them
  string = 7,   // length, UTF-8 (a lone surrogate is U+FFFD)
  date = 8,     // 8 bytes: milliseconds since 1970 as a double; NaN: an invalid date
  bytes = 9,    // length, bytes: an ArrayBuffer or a view of one; read back as a Uint8Array
  array = 10,   // count, values; a hole is undefined
  object = 11,  // count, then key (length, UTF-8) and value each
  map = 12,     // count, then key (a value) and value each
  set = 13,     // count, values
  regexp = 14,  // two strings without tags: source, flags
  error = 15,   // two strings without tags: name, message
};

// Maximum nesting of containers; both sides refuse more. A document has at most 100 and is nested in others.
inline constexpr int kMaxDepth = 128;
inline constexpr size_t kMaxBigIntDigits = 400;

// Appends to a string that the caller owns.
class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) {}

  void tag(Tag tag) { out_.push_back(static_cast<char>(tag)); }
  void count(uint32_t count);  // of a container's entries, or the length of the text that follows
  void byte(uint8_t value) { out_.push_back(static_cast<char>(value)); }
  void u32(uint32_t value);
  void u64(uint64_t value);
  void text(std::string_view text);  // length and bytes, no tag

  void integer(int32_t value);  // with its tag, as the following
  void real(double value);
  void date(double ms);
  void string(std::string_view text);
  void bytes(std::string_view bytes);

  size_t size() const { return out_.size(); }

 private:
  std::string& out_;
};

// Reads untrusted input. After a failure every read returns zero and failed() is true; no length in the input decides
// an allocation.
class Reader {
 public:
  explicit Reader(std::string_view in) : in_(in) {}

  bool failed() const { return failed_; }
  bool atEnd() const { return in_.empty(); }
  size_t left() const { return in_.size(); }
  void fail() {
    failed_ = true;
    in_ = {};
  }

  Tag tag();  // fails for an unknown one
  // Fails if fewer bytes are left than that many entries of at least `bytesEach` take.
  uint32_t count(size_t bytesEach = 1);
  uint8_t byte();
  uint32_t u32();
  uint64_t u64();
  std::string_view text();  // fails unless it is valid UTF-8
  std::string_view raw();   // length and bytes

  // The payload after the tag.
  int32_t integer();
  double real();
  std::string_view bigInt();  // "0", or digits without leading zeros and optionally "-" in front

 private:
  uint32_t varint();
  std::string_view take(size_t size);
  std::string_view in_;
  bool failed_ = false;
};

// Whether `text` is UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF).
bool wellFormed(std::string_view text);

// The bytes of the one complete value at the front, within kMaxDepth; nullopt otherwise.
std::optional<std::string_view> wholeValue(std::string_view in);

}  // namespace mb::clone
