#include "cli/typescript.h"

#include <gtest/gtest.h>

#include <set>

#include "document/json.h"

namespace mb::cli {
namespace {

// The fields of the one collection that there is, as they are read.
std::string fieldsOf(const std::string& schema) {
  const auto text = typescriptOf(*doc::parseJson(R"({"collections": [{"name": "things", "schema": )" + schema + "}]}"));
  if (!text) return "refused: " + text.error().message();
  const std::string begin = "  readonly ownerId?: string;\n";
  const size_t from = text->find(begin) + begin.size();
  return text->substr(from, text->find("\n}\n", from) + 1 - from);
}

std::string typeOf(const std::string& schema) {
  std::string fields = fieldsOf(R"({"type": "object", "properties": {"x": )" + schema + "}}");
  const size_t from = fields.find("x?: ");
  if (from == std::string::npos) return fields;
  fields = fields.substr(from + 4);
  return fields.substr(0, fields.rfind(";\n"));
}

TEST(TypeScript, EachSchemaHasItsType) {
  const struct {
    std::string schema, type;
  } cases[] = {
      {R"({})", "unknown"},
      {R"(true)", "unknown"},
      {R"(false)", "never"},
      {R"({"type": "string"})", "string"},
      {R"({"type": "integer"})", "number"},
      {R"({"type": "number"})", "number"},
      {R"({"type": "boolean"})", "boolean"},
      {R"({"type": "null"})", "null"},
      {R"({"type": ["string", "null"]})", "string | null"},
      {R"({"type": ["integer", "number"]})", "number"},
      {R"({"type": "string", "x-bson": "date"})", "string"},
      {R"({"type": ["string", "null"], "x-bson": "decimal"})", "string | null"},
      {R"({"x-bson": "objectId"})", "string"},
      {R"({"type": "array"})", "unknown[]"},
      {R"({"type": "array", "items": {"type": "string"}})", "string[]"},
      {R"({"type": "array", "items": {"type": ["string", "null"]}})", "(string | null)[]"},
      {R"({"type": "array", "items": {"type": "array", "items": {"type": "number"}}})", "number[][]"},
      {R"({"enum": ["a", 1, null, true, "a\"b"]})", R"("a" | 1 | null | true | "a\"b")"},
      {R"({"const": {"a": [1, "b"], "c-d": 1.5}})", R"({ a: [1, "b"]; "c-d": 1.5 })"},
      {R"({"const": 9007199254740993})", "number"},
      {R"({"type": "object"})", "{ [field: string]: unknown }"},
      {R"({"type": "object", "additionalProperties": false})", "{ [field: string]: never }"},
      {R"({"type": "object", "additionalProperties": {"type": "number"}})", "{\n    [field: string]: number;\n  }"},
      {R"({"type": "object", "patternProperties": {"^a": {"type": "number"}}, "additionalProperties": false})",
       "{\n    [field: string]: number;\n  }"},
      {R"({"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}, "b c": {"type": "number"}}})",
       "{\n    a: string;\n    \"b c\"?: number;\n  }"},
      {R"({"anyOf": [{"type": "string"}, {"type": "number"}]})", "string | number"},
      {R"({"oneOf": [{"type": "string"}, {}]})", "unknown"},
      {R"({"type": ["string", "number"], "allOf": [{"enum": ["a", 1]}, {"minLength": 1}]})",
       R"((string | number) & ("a" | 1))"},
      {R"({"not": {"type": "string"}})", "unknown"},
  };
  for (const auto& each : cases) EXPECT_EQ(typeOf(each.schema), each.type) << each.schema;
}

TEST(TypeScript, SaysWhatTypesDoNot) {
  EXPECT_EQ(fieldsOf(R"({"properties": {
      "author": {"type": "string", "x-ref": "people"},
      "tags": {"type": "array", "items": {"type": "string", "x-ref": "tags"}},
      "due": {"type": "string", "x-bson": "date", "description": "When */ it\nhas to be done."},
      "views": {"type": "integer", "maximum": 9223372036854775807}}})"),
            "  /** Id of a document of `people`. */\n"
            "  author?: string;\n"
            "  /** Id of a document of `tags`. */\n"
            "  tags?: string[];\n"
            "  /**\n"
            "   * When *\\/ it\n"
            "   * has to be done.\n"
            "   * RFC 3339.\n"
            "   */\n"
            "  due?: string;\n"
            "  /** May be beyond Number.MAX_SAFE_INTEGER: JSON.parse rounds it. */\n"
            "  views?: number;\n");
}

TEST(TypeScript, TheWholeModule) {
  const auto text = typescriptOf(*doc::parseJson(R"({"collections": [
      {"name": "order-lines", "schema": {"type": "object", "required": ["price", "count"], "properties": {
          "price": {"type": "string", "x-bson": "decimal"}, "count": {"type": "integer", "default": 1},
          "id": {"type": "string"}}}},
      {"name": "*", "policy": {}},
      {"name": "log"}]})"));
  ASSERT_TRUE(text);
  EXPECT_EQ(*text,
            R"(// Made by `manybase types` from the schemas of the collections. Make it again rather than edit it.

/** A document of `log`. */
export interface Log {
  readonly id: string;
  /** RFC 3339. */
  readonly createdAt: string;
  /** RFC 3339. */
  readonly updatedAt: string;
  readonly ownerId?: string;
  [field: string]: unknown;
}

/** What makes a new document of `log`. */
export interface NewLog {
  /** To be able to try again; else the server makes one. */
  id?: string;
  [field: string]: unknown;
}

/** A document of `order-lines`. */
export interface OrderLines {
  readonly id: string;
  /** RFC 3339. */
  readonly createdAt: string;
  /** RFC 3339. */
  readonly updatedAt: string;
  readonly ownerId?: string;
  /** A decimal number, as text. */
  price: string;
  count: number;
}

/** What makes a new document of `order-lines`. */
export interface NewOrderLines {
  /** To be able to try again; else the server makes one. */
  id?: string;
  /** A decimal number, as text. */
  price: string | number;
  count?: number;
}

/** The documents of each collection. */
export interface Collections {
  log: Log;
  "order-lines": OrderLines;
}

/** What makes a new document of each collection. */
export interface NewDocuments {
  log: NewLog;
  "order-lines": NewOrderLines;
}
)");
}

TEST(TypeScript, NamesNeverClashAndDoNotDependOnOrder) {
  const auto one = typescriptOf(*doc::parseJson(
      R"({"collections": [{"name": "a-b"}, {"name": "aB"}, {"name": "newLog"}, {"name": "log"}, {"name": "collections"}]})"));
  const auto two = typescriptOf(*doc::parseJson(
      R"({"collections": [{"name": "collections"}, {"name": "log"}, {"name": "newLog"}, {"name": "aB"}, {"name": "a-b"}]})"));
  EXPECT_EQ(*one, *two);
  std::set<std::string> names;
  constexpr std::string_view kInterface = "export interface ";
  for (size_t at = one->find(kInterface); at != std::string::npos; at = one->find(kInterface, at + 1)) {
    const size_t from = at + kInterface.size();
    EXPECT_TRUE(names.insert(one->substr(from, one->find(' ', from) - from)).second);
  }
  EXPECT_EQ(names.size(), 12u);
}

TEST(TypeScript, SchemasThatCannotBeUsedAreAllNamed) {
  const auto refused = typescriptOf(*doc::parseJson(
      R"({"collections": [{"name": "a", "schema": {"type": "strnig"}}, {"name": "b", "schema": {"x": 1}}, {"name": "c"}]})"));
  ASSERT_FALSE(refused);
  ASSERT_EQ(refused.error().details().size(), 2u);
  EXPECT_EQ(refused.error().details()[0].path, "collections/a.json");
}

}  // namespace
}  // namespace mb::cli
