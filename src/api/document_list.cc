#include "api/document_list.h"

#include "base/cancellation.h"
#include "document/json.h"

namespace mb::api {

namespace {

// Bytes of JSON that are written without yielding: some milliseconds.
constexpr size_t kListBytesBetweenYields = 512 << 10;

}  // namespace

Task<> writeDocuments(std::string& out, const std::vector<doc::Document>& documents) {
  size_t bytes = 64;
  for (const doc::Document& document : documents) bytes += document.size() + document.size() / 4;
  out.reserve(bytes);
  out += "{\"documents\":[";
  bool first = true;
  size_t nextYieldAt = kListBytesBetweenYields;
  for (const doc::Document& document : documents) {
    if (!first) out += ',';
    first = false;
    doc::writeJson(out, document);
    if (out.size() < nextYieldAt) continue;
    nextYieldAt = out.size() + kListBytesBetweenYields;
    CO_RETURN_IF_ERROR(co_await yieldCore());
  }
  out += ']';
  co_return Result<>();
}

void writeExplain(std::string& out, const store::Explain& explain) {
  doc::BsonWriter fields;
  fields.appendString("index", explain.index);
  fields.appendInteger("keysExamined", static_cast<int64_t>(explain.keysExamined));
  fields.appendInteger("documentsExamined", static_cast<int64_t>(explain.documentsExamined));
  fields.appendReal("timeMs", static_cast<double>(explain.took.count()) / 1000);
  const doc::Document encoded = fields.finish();
  out += ",\"explain\":";
  doc::writeJson(out, encoded);
}

}  // namespace mb::api
