#include "data/collection_config.h"
#include "data/collections.h"
#include "data/schema_references.h"

namespace mb::data {
namespace {

// The server writes these fields itself, in types of its own; a schema that would convert them could never be met.
Result<> checkServerFields(doc::DocumentView schema) {
  const auto properties = schema.find("properties");
  if (!properties || properties->type() != doc::BsonType::document) return {};
  for (const std::string_view field : {"id", "ownerId", "createdAt", "updatedAt"}) {
    const auto declared = properties->asDocument().find(field);
    if (!declared || declared->type() != doc::BsonType::document) continue;
    const std::string_view stored = declared->asDocument().stringOr("x-bson");
    const bool date = field == "createdAt" || field == "updatedAt";
    if (stored.empty() || (date && stored == "date")) continue;
    return fail(Error(ErrorCode::validation, std::string(field) + " is a field of the server, it cannot be converted")
                    .withDetail("/properties/" + std::string(field) + "/x-bson", "not for a field of the server"));
  }
  return {};
}

// The collection's own policy must hold with the schema that is to come (null: none).
Result<> checkPolicy(const CollectionConfig& config, const doc::Schema* schema) {
  if (!config.policy) return {};
  auto compiled = policy::compilePolicy(*config.policy, schema);
  if (compiled) return {};
  return fail(
      Error(ErrorCode::conflict, "the collection's policy does not fit this schema: " + compiled.error().message())
          .withDetails(compiled.error().details()));
}

}  // namespace

Result<std::optional<doc::Document>> Collections::schema(const snapshot::ProjectSnapshot& project,
                                                         std::string_view name) const {
  TRY(const CollectionPtr collection, require(project, name));
  if (!CollectionConfig::read(collection->info.config).schema) return std::nullopt;
  return collection->schemaSource;
}

Task<> Collections::setSchema(AdminAccess access, std::string name, doc::Document schema) {
  CO_TRY(const CollectionPtr collection, require(*access.project, name));
  CO_TRY(const std::shared_ptr<const doc::Schema> compiled, doc::Schema::compile(schema));
  CO_CHECK(checkServerFields(schema));
  co_return co_await alter(
      std::move(access), std::move(name), "schema.set",
      [&](const snapshot::ProjectSnapshot& project, const Collection& current) -> Result<doc::Document> {
        CollectionConfig config = CollectionConfig::read(current.info.config);
        CHECK(checkPolicy(config, compiled.get()));
        config.schema = schema;
        config.references.clear();
        for (const std::string& referenced : referencedCollections(schema)) {
          const CollectionPtr* target = table(project).find(referenced);
          if (target) config.bind(referenced, (*target)->info.number);
        }
        return config.write();
      });
}

Task<> Collections::clearSchema(AdminAccess access, std::string name) {
  co_return co_await alter(std::move(access), std::move(name), "schema.clear",
                           [](const snapshot::ProjectSnapshot&, const Collection& current) -> Result<doc::Document> {
                             CollectionConfig config = CollectionConfig::read(current.info.config);
                             CHECK(checkPolicy(config, nullptr));
                             config.schema.reset();
                             config.references.clear();
                             return config.write();
                           });
}

}  // namespace mb::data
