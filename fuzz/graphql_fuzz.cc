// Input: any text. The parser accepts or refuses it, the validator checks it against a small schema, and a valid
// request is planned, without a crash and within the limits.
#include <cstdlib>

#include "document/json.h"
#include "graphql/language/parser.h"
#include "graphql/language/selections.h"
#include "graphql/language/validator.h"
#include "graphql/language/values.h"

namespace {

using namespace mb;
using namespace mb::graphql;

data::CollectionPtr collection(store::CollectionNo number, std::string name, std::string_view schema) {
  auto made = std::make_shared<data::Collection>();
  made->info.number = number;
  made->info.name = std::move(name);
  if (!schema.empty()) made->schemaSource = *doc::parseJson(schema);
  return made;
}

const Schema& schema() {
  static const std::shared_ptr<const Schema> built =
      Schema::build({collection(1000, "posts", R"({"type": "object", "properties": {
         "title": {"type": "string"}, "views": {"type": "integer"}, "author": {"type": "string", "x-ref": "people"},
         "place": {"type": "object", "properties": {"city": {"type": "string"}}},
         "tags": {"type": "array", "items": {"type": "string", "x-ref": "posts"}}, "any": {}}})"),
                     collection(1001, "people", R"({"type": "object", "properties": {"name": {"type": "string"}}})"),
                     collection(1002, "loose", "")},
                    {"posts"});
  return *built;
}

size_t countPlanned(const std::vector<Planned>& fields) {
  size_t count = fields.size();
  for (const Planned& field : fields) count += countPlanned(field.children);
  return count;
}

void readArguments(const Arguments& arguments, const std::vector<Planned>& fields) {
  std::string shown;
  for (const Planned& field : fields) {
    doc::writeJson(shown, arguments.of(field));
    readArguments(arguments, field.children);
  }
}

}  // namespace

// Input: "query\nvariables"; the last line holds the variables.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t line = input.rfind('\n');
  // Requests come as JSON strings, which are UTF-8.
  std::string quoted = "{\"q\":";
  doc::writeJsonString(quoted, input.substr(0, line));
  const auto body = doc::parseJson(quoted + "}");
  if (!body) return 0;

  const auto request = parse(std::string(body->view().stringOr("q")));
  if (!request) return 0;
  const Problems problems = validate(schema(), *request);
  std::string shown;
  writeProblems(shown, problems, *request->source);
  if (!doc::parseJson("{\"errors\":" + shown + "}")) std::abort();
  if (!problems.empty()) return 0;

  const auto given = line == std::string_view::npos ? doc::parseJson("{}") : doc::parseJson(input.substr(line + 1));
  for (const Operation& operation : request->operations) {
    const auto variables = coerceVariables(schema(), operation, given ? given->view() : doc::DocumentView());
    if (!variables) continue;
    const auto made = plan(schema(), *request, operation, *variables);
    if (!made) continue;
    if (countPlanned(made->fields) != made->all || made->all > kMaxCost) std::abort();
    const auto arguments = Arguments::coerced(*made, *variables);
    if (arguments) readArguments(*arguments, made->fields);
  }
  return 0;
}
