// The key encoding: memcmp of encoded values must equal compareValues, also descending and compound, and an index entry
// must decode to its document's id.
#include <fuzzer/FuzzedDataProvider.h>

#include <cstdlib>

#include "document/value_order.h"
#include "store/embedded/index_entries.h"
#include "store/embedded/keys.h"
#include "store/value_key.h"

namespace {

using namespace mb;
using namespace mb::store::embedded;

void appendValue(FuzzedDataProvider& data, doc::BsonWriter& writer, std::string_view key, int depth);

void appendContainer(FuzzedDataProvider& data, doc::BsonWriter& writer, std::string_view key, int depth) {
  const bool array = data.ConsumeBool();
  array ? writer.beginArray(key) : writer.beginDocument(key);
  const auto count = data.ConsumeIntegralInRange<size_t>(0, 3);
  for (size_t i = 0; i < count; ++i) {
    const std::string name =
        array ? std::string(doc::arrayKey(i)) : std::string(1 + i, "abc"[data.ConsumeIntegralInRange(0, 2)]);
    appendValue(data, writer, name, depth + 1);
  }
  writer.end();
}

void appendValue(FuzzedDataProvider& data, doc::BsonWriter& writer, std::string_view key, int depth) {
  switch (data.ConsumeIntegralInRange(0, depth < 3 ? 11 : 10)) {
    case 0:
      return writer.appendNull(key);
    case 1:
      return writer.appendBool(key, data.ConsumeBool());
    case 2:
      return writer.appendInt32(key, data.ConsumeIntegral<int32_t>());
    case 3:
      return writer.appendInt64(key, data.ConsumeIntegral<int64_t>());
    case 4:
      return writer.appendReal(key, data.ConsumeFloatingPoint<double>());
    case 5: {
      // A double that equals or is near an integer of the same input: the types compare by value.
      const auto whole = static_cast<double>(data.ConsumeIntegral<int64_t>());
      return writer.appendReal(key, whole);
    }
    case 6: {
      std::string bytes = data.ConsumeBytesAsString(16);
      bytes.resize(16, '\0');
      return writer.appendDecimal(key, bytes);
    }
    case 7:
      return writer.appendString(key, data.ConsumeRandomLengthString(700));
    case 8:
      return writer.appendDate(key, {data.ConsumeIntegral<int64_t>()});
    case 9: {
      std::string bytes = data.ConsumeBytesAsString(12);
      bytes.resize(12, '\0');
      return writer.appendObjectId(key, bytes);
    }
    case 10:
      return writer.appendBinary(key, data.ConsumeRandomLengthString(20), data.ConsumeIntegral<uint8_t>());
    default:
      return appendContainer(data, writer, key, depth);
  }
}

int sign(int n) {
  return n < 0 ? -1 : n > 0 ? 1 : 0;
}

struct Encoded {
  std::string bytes;
  bool cut = false;
};

Encoded encode(doc::DocumentView values, const std::vector<bool>& descending) {
  Encoded encoded;
  size_t i = 0;
  for (const doc::Element& element : values)
    encoded.cut |= mb::store::appendValueKey(encoded.bytes, element.value, descending[i++]);
  return encoded;
}

int compareAll(doc::DocumentView a, doc::DocumentView b, const std::vector<bool>& descending) {
  auto left = a.begin();
  auto right = b.begin();
  for (size_t i = 0; left != a.end(); ++left, ++right, ++i) {
    const int order = doc::compareValues(left->value, right->value);
    if (order != 0) return descending[i] ? -order : order;
  }
  return 0;
}

void checkEntries(doc::DocumentView document, const std::string& id) {
  store::IndexSpec spec;
  spec.keys = {{"a", 1}, {"b", -1}};
  const auto index = compileIndex(1000, spec, true).value();
  EntrySet entries;
  if (!collectEntries(*index, 1, document, id, entries)) return;
  if (entries.entries.empty()) std::abort();
  for (size_t i = 0; i < entries.entries.size(); ++i) {
    if (entries.key(i).substr(entries.entries[i].idAt) != id) std::abort();
    if (i > 0 && entries.key(i - 1) >= entries.key(i)) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  FuzzedDataProvider data(bytes, size);
  const auto fields = data.ConsumeIntegralInRange<size_t>(1, 3);
  std::vector<bool> descending;
  for (size_t i = 0; i < fields; ++i) descending.push_back(data.ConsumeBool());
  std::vector<doc::Document> documents;
  for (int d = 0; d < 2; ++d) {
    doc::BsonWriter writer;
    for (size_t i = 0; i < fields; ++i) appendValue(data, writer, std::string(1, "abc"[i]), 0);
    documents.push_back(writer.finish());
  }
  const Encoded a = encode(documents[0], descending);
  const Encoded b = encode(documents[1], descending);
  const int expected = compareAll(documents[0], documents[1], descending);
  const int got = sign(a.bytes.compare(b.bytes));
  // Truncated values keep their order up to the cap, and stay equal or unequal.
  if ((got == 0) != (expected == 0)) std::abort();
  if (!a.cut && !b.cut && got != expected) std::abort();
  if (expected != 0 && (a.bytes.starts_with(b.bytes) || b.bytes.starts_with(a.bytes))) std::abort();
  checkEntries(documents[0], data.ConsumeRandomLengthString(30));
  return 0;
}
