#include "policy/cel/result.h"

#include <fmt/format.h>

#include <limits>

#include "policy/cel/times.h"

namespace mb::cel {
namespace {

std::string keyText(const Value& key) {
  switch (key.kind) {
    case Kind::string:
      return std::string(key.text());
    case Kind::boolean:
      return key.boolean ? "true" : "false";
    case Kind::uinteger:
      return fmt::format_int(key.uinteger).str();
    default:
      return fmt::format_int(key.integer).str();
  }
}

void writeContainer(Run& run, doc::BsonWriter& out, std::string_view key, const Value& value) {
  const bool isList = value.kind == Kind::list;
  if (!value.owned) {
    if (!run.charge(value.size / kCopyBytesPerStep)) return;
    const doc::DocumentView view(value.text());
    isList ? out.appendArray(key, view) : out.appendDocument(key, view);
    return;
  }
  isList ? out.beginArray(key) : out.beginDocument(key);
  for (uint32_t i = 0; i < value.size && !run.exhausted(); ++i) {
    if (isList) {
      writeResult(run, out, doc::arrayKey(i), value.items[i]);
    } else {
      const std::string name = keyText(value.entries[i].key);
      // BSON's keys end at a NUL.
      writeResult(run, out, std::string_view(name).substr(0, name.find('\0')), value.entries[i].value);
    }
  }
  out.end();
}

}  // namespace

void writeResult(Run& run, doc::BsonWriter& out, std::string_view key, const Value& value) {
  if (!run.charge(1)) return;
  switch (value.kind) {
    case Kind::error:
    case Kind::null:
      return out.appendNull(key);
    case Kind::boolean:
      return out.appendBool(key, value.boolean);
    case Kind::integer:
      return out.appendInteger(key, value.integer);
    case Kind::uinteger:
      if (value.uinteger > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
        return out.appendReal(key, static_cast<double>(value.uinteger));
      }
      return out.appendInteger(key, static_cast<int64_t>(value.uinteger));
    case Kind::real:
      return out.appendReal(key, value.real);
    case Kind::string:
      if (run.charge(value.size / kCopyBytesPerStep)) out.appendString(key, value.text());
      return;
    case Kind::bytes:
      if (run.charge(value.size / kCopyBytesPerStep)) out.appendBinary(key, value.text());
      return;
    case Kind::timestamp:
      return out.appendDate(key, {value.integer * 1000 + value.nanos / 1'000'000});
    case Kind::duration:
      return out.appendString(key, durationText(value));
    case Kind::type:
      return out.appendString(key, kindName(value.denoted));
    case Kind::list:
    case Kind::map:
      return writeContainer(run, out, key, value);
  }
}

}  // namespace mb::cel
