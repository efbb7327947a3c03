// Input: "filter\ndocument". Matching a filter that parses must not crash, and must be the opposite of its negation.
#include <cstdlib>

#include "document/filter.h"
#include "document/json.h"
#include "document/schema.h"

namespace {

using namespace mb::doc;

Document negation(const Document& filter) {
  BsonWriter out;
  out.beginArray("$nor");
  out.appendDocument("0", filter);
  out.end();
  return out.finish();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t line = input.find('\n');
  const auto source = parseJson(input.substr(0, line));
  if (!source) return 0;
  const auto filter = Filter::parse(*source, &defaultCoercion());
  if (!filter) return 0;
  (void)filter->paths();
  const auto parsed = line == std::string_view::npos ? parseJson("{}") : parseJson(input.substr(line + 1));
  // A document with the structure of the filter reaches more of it than a random one.
  for (const Document& document : {parsed ? *parsed : Document(), *source}) {
    const bool matches = filter->matches(document);
    if (Filter::both(*filter, *filter).matches(document) != matches) std::abort();
    const auto opposite = Filter::parse(negation(*source), &defaultCoercion(), {.maxConditions = 200, .maxDepth = 30});
    if (!opposite || opposite->matches(document) == matches) std::abort();
  }
  return 0;
}
