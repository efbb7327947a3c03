#include "openapi/docs.h"

namespace mb::openapi {

namespace {

constexpr FieldDoc kIntrospectionFieldDocs[] = {
    {"Backfill.matched", "How many documents were looked at.", "1000"},
    {"Backfill.modified", "How many documents got an id.", "1000"},
    {"Backfill.remaining", "How many documents have no id still.", "234"},
    {"BackfillBody.limit", "At most this many documents.", "1000",
     R"({"minimum": 1, "maximum": 10000, "default": 1000})"},
    {"ImportWarning.code", "The problem's code.", R"("no-pre-images")"},
    {"ImportWarning.message", "The problem in words.",
     R"("the collection keeps no pre-images: changes by others have no earlier state")"},
    {"ImportedCollection.collection", "The collection's name in the project.", R"("orders")"},
    {"ImportedCollection.verdict", "Whether documents need ids.", R"("needs-backfill")",
     R"({"enum": ["ready", "needs-backfill"]})"},
    {"ImportedCollection.warnings", "What to know about the collection.", "[]"},
    {"IntrospectedCollection.documents", "The database's estimate; null where it was not read.", "81234"},
    {"IntrospectedCollection.importable", "Whether it can be imported.", "true"},
    {"IntrospectedCollection.imported", "Its name in the project; null if it is not imported.", R"("orders")"},
    {"IntrospectedCollection.name", "Its name in the database.", R"("orders")"},
    {"IntrospectedCollection.reason", "Why it cannot be imported.", R"("view")",
     R"({"enum": ["view", "time-series", "capped", "encrypted", "clustered", "name", "reserved"]})"},
    {"IntrospectedCollection.sizeBytes", "The size of its documents; null where it was not read.", "40112233"},
    {"IntrospectedField.examples", "Always 0: no value leaves the database.", "0", R"({"const": 0})"},
    {"IntrospectedField.path", "Names with dots, `[]` for items of an array, `*` for names that are data.",
     R"("lines[].sku")"},
    {"IntrospectedField.present", "The share of the sampled documents that have the path.", "1",
     R"({"minimum": 0, "maximum": 1})"},
    {"IntrospectedField.types", "The shares of its types, among the documents that have the path.",
     R"({"int": 0.6, "double": 0.4})", R"({"additionalProperties": {"type": "number"}})"},
    {"IntrospectedIds.estimated", "True if the numbers are those of the sample, scaled.", "true"},
    {"IntrospectedIds.withId", "How many documents have a string as `id`.", "80000"},
    {"IntrospectedIds.withoutId", "How many documents have no `id`.", "1234"},
    {"IntrospectedIndex.keys", "Fields and directions, as the database has them.", R"({"ownerId": 1})"},
    {"IntrospectedIndex.name", "Its name in the database.", R"("_id_")"},
    {"IntrospectedStats.averageSizeBytes", "The mean size of a document.", "493"},
    {"IntrospectedStats.count", "The number of documents.", "81234"},
    {"IntrospectedStats.indexes", "The database's indexes of it.", "[]"},
    {"IntrospectedStats.sizeBytes", "The size of its documents.", "40112233"},
    {"IntrospectionImport.name", "Its name in the project; by default the one in the database.", R"("orders")",
     R"({"pattern": "^[A-Za-z][A-Za-z0-9_-]{0,63}$"})"},
    {"IntrospectionImport.preImages", "Whether the database is made to keep pre-images of its documents.", "false"},
    {"IntrospectionImport.schema", "Its schema; false for none, absent for that of a fresh sample.", "false",
     R"({"type": ["object", "boolean"]})"},
    {"IntrospectionProblem.code", "What it is.", R"("some-without-id")"},
    {"IntrospectionProblem.message", "The problem in words.", R"("1234 documents have no id")"},
    {"IntrospectionProblem.path", "The field, as a JSON pointer.", R"("/id")"},
    {"IntrospectionProblem.severity", "An error prevents an import.", R"("info")",
     R"({"enum": ["error", "warning", "info"]})"},
    {"IntrospectionReport.collection", "The collection's name in the database.", R"("orders")"},
    {"IntrospectionReport.fields", "The paths of the sampled documents.", "[]"},
    {"IntrospectionReport.ids", "How many documents have an id.", "{}"},
    {"IntrospectionReport.problems", "Errors, then warnings, then infos.", "[]"},
    {"IntrospectionReport.sampled", "How many documents were read.", "200"},
    {"IntrospectionReport.schema", "A JSON Schema that all sampled documents fulfil.", R"({"type": "object"})"},
    {"IntrospectionReport.stats", "Sizes and indexes.", "{}"},
    {"IntrospectionReport.verdict", "Whether it can be used.", R"("needs-backfill")",
     R"({"enum": ["ready", "needs-backfill", "incompatible"]})"},
};

}  // namespace

std::span<const FieldDoc> introspectionFieldDocs() {
  return kIntrospectionFieldDocs;
}

}  // namespace mb::openapi
