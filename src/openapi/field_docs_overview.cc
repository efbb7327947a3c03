#include "openapi/docs.h"

namespace mb::openapi {

namespace {

constexpr FieldDoc kOverviewFieldDocs[] = {
    {"CollectionStats.bytes", "The size of its documents; absent without the permission to list them.", "26214400"},
    {"CollectionStats.documents", "The exact number of documents; absent without the permission to list them.",
     "51200"},
    {"CollectionStats.indexes", "Its indexes.", "[]"},
    {"CollectionStats.lastWriteAt",
     "The last change of its documents, up to a second early; null where the server knows of no change, or without the "
     "permission to list them.",
     R"("2026-01-31T09:30:00.000Z")"},
    {"CollectionStats.name", "The collection's name.", R"("notes")"},
    {"CollectionStats.policy",
     "Where its policy comes from: its own, the project's default policy, or none; absent without the permission to "
     "read policies.",
     R"("own")", R"({"enum": ["own", "inherited", "default"]})"},
    {"CollectionStats.schema", "Whether it has a schema.", "true"},
    {"FailingDocument.details", "What does not fit the schema; at most 64 KiB of it.", "[]"},
    {"FailingDocument.id", "The document's id.", R"("06fVx3jmA1qK9bTzLw2C")"},
    {"IndexStats.approximate", "True where the numbers are estimates, as for large indexes.", "true"},
    {"IndexStats.bytes", "Its size in files and memory; absent without the permission to list documents.", "1048576"},
    {"IndexStats.entries", "The number of its entries; absent without the permission to list documents.", "51200"},
    {"IndexStats.name", "The index's name.", R"("ownerId_1")"},
    {"SchemaBreach.message", "The rule that does not hold.", R"("must be at least 3 characters long")"},
    {"SchemaBreach.path", "The field, as a JSON pointer.", R"("/title")"},
    {"SchemaCheck.checked", "How many documents were validated.", "51200"},
    {"SchemaCheck.complete", "Whether these are all documents: neither the limit nor the time ended the check.",
     "true"},
    {"SchemaCheck.examples", "The first documents that do not fit, at most 20.", "[]"},
    {"SchemaCheck.failing", "How many of them do not fit the schema.", "12"},
    {"SchemaCheckRequest.limit", "The maximum number of documents.", "1000",
     R"({"minimum": 1, "maximum": 100000, "default": 100000})"},
    {"SchemaCheckRequest.schema", "As it would be saved.",
     R"({"type": "object", "required": ["title"], "properties": {"title": {"type": "string"}}})"},
    {"UserPage.next", "The cursor of the page that follows; absent on the last page.", R"("Zm9ydHktdHdv")"},
    {"UserPage.total", "The exact number of matches.", "1"},
    {"UserPage.users", "The users.", "[]"},
    {"UserQuery.after", "The `next` of the page after which this one begins.", R"("Zm9ydHktdHdv")"},
    {"UserQuery.emailVerified", "Only users whose address is verified, or is not.", "true"},
    {"UserQuery.limit", "The maximum number of users; larger values are reduced to 1,000.", "50",
     R"({"minimum": 0, "default": 50})"},
    {"UserQuery.role", "Only users with this role; users without one have `user`.", R"("user")",
     R"({"minLength": 1, "maxLength": 64})"},
    {"UserQuery.sort",
     "Fields with 1 (ascending) or -1, among `id`, `email`, `name`, `createdAt` and `updatedAt`; ties by `id`, which "
     "is "
     "also the default.",
     R"([{"createdAt": -1}])", R"({"maxItems": 5})"},
    {"UserQuery.status", "Only users with this status.", R"("blocked")",
     R"({"enum": ["active", "inactive", "blocked"]})"},
    {"UserQuery.text", "Only users whose address or name begins with this, in any case; in names also without accents.",
     R"("ada")", R"({"maxLength": 254})"},
};

}  // namespace

std::span<const FieldDoc> overviewFieldDocs() {
  return kOverviewFieldDocs;
}

}  // namespace mb::openapi
