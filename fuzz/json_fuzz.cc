// Input: any bytes as JSON. A text that parses must give well-formed BSON, whose JSON parses to the same values.
#include <cstdlib>

#include "document/json.h"
#include "document/storable.h"
#include "document/value_order.h"

namespace {

using namespace mb::doc;

// Types that JSON lacks are written as strings, so only plain JSON is compared.
void checkRoundTrip(const Document& document) {
  const auto again = parseJson(toJson(document), {.extended = ExtendedJson::refuse});
  if (!again || compareDocuments(document, *again) != 0) std::abort();
}

void checkWellFormed(const Document& document) {
  if (!Document::fromUntrusted(document.bytes())) std::abort();
  const FieldSet hidden({"a", "b.c", "d.0.e"});
  const Document stripped = hidden.strip(document);
  if (!Document::fromUntrusted(stripped.bytes())) std::abort();
  std::string text;
  writeJson(text, document, &hidden);
  if (text != toJson(stripped)) std::abort();
  (void)checkStorable(document);
  if (!changedPaths(document, document).empty()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto plain = parseJson(text, {.extended = ExtendedJson::refuse})) {
    checkWellFormed(*plain);
    checkRoundTrip(*plain);
  }
  if (const auto extended = parseJson(text)) checkWellFormed(*extended);
  if (const auto value = parseJsonValue(text)) {
    if (!Document::fromUntrusted(value->bytes())) std::abort();
  }
  if (const auto bytes = Document::fromUntrusted(std::string(text))) (void)toJson(*bytes);
  return 0;
}
