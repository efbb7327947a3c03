// Input: "schema\ndocument". A schema that compiles must validate and prepare the document without a crash and with the
// same result each time, and give the same result inside of allOf, anyOf, oneOf and not.
#include <cstdlib>

#include "document/json.h"
#include "document/schema.h"
#include "document/storable.h"

namespace {

using namespace mb::doc;

// Returns {"properties": {"v": <schema in a list of one under `keyword`>}}: the documents are plain objects at "v".
Document wrapped(std::string_view keyword, const Document& schema) {
  BsonWriter out;
  out.beginDocument("properties");
  out.beginDocument("v");
  if (keyword.empty()) {
    out.appendAll(schema);
  } else if (keyword == "not") {
    out.appendDocument("not", schema);
  } else {
    out.beginArray(keyword);
    out.appendDocument("0", schema);
    out.end();
  }
  out.end();
  out.end();
  return out.finish();
}

void agree(const Document& source, const Document& document) {
  const auto plain = Schema::compile(wrapped("", source));
  if (!plain) return;
  BsonWriter out;
  out.appendDocument("v", document);
  const Document at = out.finish();
  const bool holds = (*plain)->validate(at).empty();
  for (const char* keyword : {"allOf", "anyOf", "oneOf", "not"}) {
    // Annotations (default, x-bson, x-ref) are refused there, and so are schemas that are nested too deeply.
    const auto inside = Schema::compile(wrapped(keyword, source));
    if (inside && (*inside)->validate(at).empty() != (holds != (std::string_view(keyword) == "not"))) std::abort();
  }
}

void check(const Schema& schema, const Document& document) {
  const auto breaches = schema.validate(document);
  if (breaches.size() > 100 || schema.validate(document).size() != breaches.size()) std::abort();
  for (const bool applyDefaults : {false, true}) {
    const auto prepared = schema.prepare(document, applyDefaults);
    if (!prepared) continue;
    if (!Document::fromUntrusted(prepared->bytes())) std::abort();
    if (checkStorable(document) && !checkStorable(*prepared)) std::abort();
    // Preparing a prepared document must change nothing.
    const auto again = schema.prepare(*prepared, applyDefaults);
    if (!again || !(*again == *prepared)) std::abort();
    (void)schema.validate(*prepared);
  }
  for (const Element& element : document.view()) {
    (void)schema.declares(element.key);
    (void)schema.celType(element.key);
    (void)schema.coercion().coerce(element.key, element.value);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t line = input.find('\n');
  const auto source = parseJson(input.substr(0, line));
  if (!source) return 0;
  const auto parsed = line == std::string_view::npos ? parseJson("{}") : parseJson(input.substr(line + 1));
  const Document document = parsed ? *parsed : Document();
  if (const auto schema = Schema::compile(*source)) check(**schema, document);
  agree(*source, document);
  return 0;
}
