// Input: arbitrary bytes as a value of the clone format. The reader must not crash or read past the end, and each value
// has one encoding: a value that is read and written again must give the same bytes.
#include <cstdlib>

#include "base/utf8.h"
#include "clone/format.h"

namespace {

using mb::clone::Reader;
using mb::clone::Tag;
using mb::clone::Writer;

void require(bool condition) {
  if (!condition) std::abort();
}

void copyValue(Reader& in, Writer& out, int depth);

void copyEach(Reader& in, Writer& out, int depth, size_t valuesEach) {
  const uint32_t count = in.count(valuesEach);
  out.count(count);
  for (size_t i = 0; i < count * valuesEach; ++i) copyValue(in, out, depth - 1);
}

void copyText(Reader& in, Writer& out) {
  const std::string_view text = in.text();
  require(mb::isUtf8(text));
  out.text(text);
}

void copyValue(Reader& in, Writer& out, int depth) {
  require(depth >= 0 && !in.failed());
  const Tag tag = in.tag();
  if (tag == Tag::integer) return out.integer(in.integer());
  if (tag == Tag::real) return out.real(in.real());
  out.tag(tag);
  switch (tag) {
    case Tag::bigInt:
      return out.text(in.bigInt());
    case Tag::string:
      return copyText(in, out);
    case Tag::date:
      return out.u64(in.u64());
    case Tag::bytes:
      return out.text(in.raw());
    case Tag::array:
    case Tag::set:
      return copyEach(in, out, depth, 1);
    case Tag::map:
      return copyEach(in, out, depth, 2);
    case Tag::object: {
      const uint32_t count = in.count(2);
      out.count(count);
      for (uint32_t i = 0; i < count; ++i) {
        copyText(in, out);
        copyValue(in, out, depth - 1);
      }
      return;
    }
    case Tag::regexp:
    case Tag::error:
      copyText(in, out);
      return copyText(in, out);
    default:
      return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  require(mb::clone::wellFormed(bytes) == mb::isUtf8(bytes));
  const std::optional<std::string_view> whole = mb::clone::wholeValue(bytes);
  if (!whole) return 0;
  require(whole->data() == bytes.data() && !whole->empty());
  std::string again;
  Writer out(again);
  Reader in(*whole);
  copyValue(in, out, mb::clone::kMaxDepth);
  require(!in.failed() && in.atEnd());
  require(again == *whole);
  return 0;
}
