#include "plain_json.h"

#include <charconv>
#include <cmath>

namespace mb::worker {

namespace {

using clone::Reader;
using clone::Tag;

constexpr size_t kMaxBytes = size_t{64} << 10;

class PlainReader {
 public:
  explicit PlainReader(Reader& in) : in_(in) { out_.reserve(in.left() + in.left() / 2); }

  bool any(int depth);
  std::string take() { return std::move(out_); }

 private:
  void string(std::string_view text);
  bool array(int depth);
  bool object(int depth);
  template <class N>
  bool number(N value);

  Reader& in_;
  std::string out_;
};

bool PlainReader::any(int depth) {
  switch (in_.tag()) {
    case Tag::null:
      out_ += "null";
      return true;
    case Tag::no:
      out_ += "false";
      return true;
    case Tag::yes:
      out_ += "true";
      return true;
    case Tag::integer:
      return number(in_.integer());
    case Tag::real: {
      const double value = in_.real();
      return std::isfinite(value) && number(value);
    }
    case Tag::string:
      string(in_.text());
      return true;
    case Tag::array:
      return array(depth);
    case Tag::object:
      return object(depth);
    default:
      return false;
  }
}

template <class N>
bool PlainReader::number(N value) {
  char digits[32];
  out_.append(digits, std::to_chars(digits, digits + sizeof(digits), value).ptr);
  return true;
}

void PlainReader::string(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out_ += '"';
  size_t copied = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0x20 && c != '"' && c != '\\') continue;
    out_.append(text, copied, i - copied);
    copied = i + 1;
    if (c < 0x20) {
      out_ += "\\u00";
      out_ += kHex[c >> 4];
      out_ += kHex[c & 15];
    } else {
      out_ += '\\';
      out_ += text[i];
    }
  }
  out_.append(text, copied);
  out_ += '"';
}

bool PlainReader::array(int depth) {
  if (depth == 0) return false;
  out_ += '[';
  for (uint32_t left = in_.count(); left > 0; --left) {
    if (!any(depth - 1) || in_.failed()) return false;
    if (left > 1) out_ += ',';
  }
  out_ += ']';
  return true;
}

bool PlainReader::object(int depth) {
  if (depth == 0) return false;
  out_ += '{';
  for (uint32_t left = in_.count(2); left > 0; --left) {
    string(in_.text());
    out_ += ':';
    if (!any(depth - 1) || in_.failed()) return false;
    if (left > 1) out_ += ',';
  }
  out_ += '}';
  return true;
}

}  // namespace

std::optional<std::string> plainJson(Reader& in) {
  if (in.left() > kMaxBytes) return std::nullopt;
  Reader ahead = in;
  PlainReader reader(ahead);
  if (!reader.any(clone::kMaxDepth) || ahead.failed()) return std::nullopt;
  in = ahead;
  return reader.take();
}

}  // namespace mb::worker
