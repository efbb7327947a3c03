// Input: "update\ndocument". An update that parses must leave the document well-formed, or fail with an error.
#include <cstdlib>

#include "document/json.h"
#include "document/storable.h"
#include "document/update.h"

namespace {

using namespace mb::doc;

void apply(const Update& update, const Document& before) {
  for (const bool inserting : {false, true}) {
    const auto after = update.apply(before, mb::Timestamp{1}, inserting);
    if (!after) continue;
    if (!Document::fromUntrusted(after->bytes())) std::abort();
    // An update writes only keys that can be stored.
    if (checkStorable(before) && !checkStorable(*after)) std::abort();
    (void)changedPaths(before, *after);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t line = input.find('\n');
  const auto source = parseJson(input.substr(0, line));
  if (!source) return 0;
  const auto document = line == std::string_view::npos ? parseJson("{}") : parseJson(input.substr(line + 1));
  const Document before = document ? *document : Document();

  const Filter query = Filter::equals("a", mb::doc::Value().view());
  UpdateOptions positional;
  positional.positional = true;
  positional.query = &query;
  for (const UpdateOptions& options : {UpdateOptions(), positional}) {
    if (const auto update = Update::parse(*source, options)) apply(*update, before);
  }
  if (const auto set = Update::set(*source)) apply(*set, before);
  return 0;
}
