#include <algorithm>
#include <set>

#include "base/work_budget.h"
#include "data/collection_config.h"
#include "data/collections.h"
#include "data/data_deps.h"
#include "data/deletion.h"
#include "data/new_schema.h"
#include "data/policy_claims.h"
#include "data/policy_fields.h"
#include "data/reference_rules.h"
#include "data/revealing_rules.h"
#include "data/schema_references.h"

namespace mb::data {
namespace {

// The limit for a schema that is saved; a stored one is compiled whatever its cost.
constexpr int64_t kCompileWork = 40 * kCoreWork;

// The server writes these fields itself, in its own types; no document could match a schema that converts them.
Result<> checkServerFields(doc::DocumentView schema) {
  const auto properties = schema.find("properties");
  if (!properties || properties->type() != doc::BsonType::document) return {};
  for (const std::string_view field : {"id", "ownerId", "createdAt", "updatedAt"}) {
    const auto declared = properties->asDocument().find(field);
    if (!declared || declared->type() != doc::BsonType::document) continue;
    const std::string_view stored = declared->asDocument().stringOr("x-bson");
    const bool date = field == "createdAt" || field == "updatedAt";
    if (stored.empty() || (date && stored == "date")) continue;
    return fail(Error(ErrorCode::validation, std::string(field) + " must not be converted: it is a field of the server")
                    .withDetail("/properties/" + std::string(field) + "/x-bson",
                                "is not allowed on a field of the server: remove it"));
  }
  return {};
}

// Puts a schema into `config`, its references bound to the collections that they name.
void putSchema(CollectionConfig& config, const doc::Document& schema, const CollectionTable& collections) {
  config.schema = schema;
  for (const std::string& referenced : referencedCollections(schema)) {
    const CollectionPtr* target = collections.find(referenced);
    if (target) config.bind(referenced, (*target)->info.number);
  }
}

// Compiles the collection's own policy against its new schema (null: none).
Result<std::shared_ptr<const policy::Policy>> keptPolicy(const doc::Document& own, const doc::Schema* schema) {
  auto compiled = policy::compilePolicy(own, schema);
  if (compiled) return compiled;
  return fail(
      Error(ErrorCode::conflict, "the collection's policy does not fit this schema: " + compiled.error().message())
          .withDetails(compiled.error().details()));
}

}  // namespace

Result<std::shared_ptr<const doc::Schema>> compileNewSchema(doc::DocumentView schema) {
  const WorkBudget work(kCompileWork);
  TRY(std::shared_ptr<const doc::Schema> compiled, doc::Schema::compile(schema));
  RETURN_IF_ERROR(checkServerFields(schema));
  return compiled;
}

Result<std::optional<doc::Document>> Collections::schema(const snapshot::ProjectSnapshot& project,
                                                         std::string_view name) const {
  TRY(const CollectionPtr collection, require(project, name));
  if (!CollectionConfig::read(collection->info.config).schema) return std::nullopt;
  return collection->schemaSource;
}

Task<std::shared_ptr<const doc::Schema>> Collections::checkSchema(snapshot::SnapshotPtr project,
                                                                  doc::Document schema) const {
  co_return co_await pool_.run(project->info().id.str(), [&] { return compileNewSchema(schema); });
}

Task<> Collections::configure(AdminAccess access, std::string name, ConfigChange change) {
  using State = doc::Patch<doc::Document>::State;
  CO_RETURN_IF_ERROR(require(*access.project, name));
  std::vector<doc::Document> tests;
  if (change.policyTests) {
    CO_TRY(tests, storedPolicyTests(*change.policyTests));
  }
  const store::ProjectNo number = access.project->info().number;
  std::shared_ptr<const doc::Schema> compiled;
  if (change.schema.state == State::value) {
    CO_TRY(compiled, co_await checkSchema(access.project, change.schema.value));
  }
  std::vector<std::string> actions;
  if (change.schema.given()) actions.emplace_back(compiled ? "schema.set" : "schema.clear");
  if (change.policy.given()) {
    actions.emplace_back(change.policy.state == State::value ? "policy.set" : "policy.clear");
  }
  if (change.policyTests) actions.emplace_back("policyTests.set");
  const std::string saved = name;
  std::shared_ptr<const doc::Schema> before;
  CO_RETURN_IF_ERROR(co_await alter(
      std::move(access), std::move(name), std::move(actions),
      [&](const snapshot::ProjectSnapshot& project, const Collection& current) -> Result<doc::Document> {
        CollectionConfig config = CollectionConfig::read(current.info.config);
        before = current.schema;
        if (change.policyTests) config.policyTests = tests;
        if (!change.schema.given() && !change.policy.given()) return config.write();
        const doc::Schema* schema = change.schema.given() ? compiled.get() : current.schema.get();
        std::shared_ptr<const policy::Policy> policy = table(project).defaultPolicy;
        if (change.policy.state == State::value) {
          std::vector<std::string> sets = table(project).setNames();
          sets.insert(sets.end(), change.newSets.begin(), change.newSets.end());
          TRY(policy, policy::compilePolicy(change.policy.value, schema, {.sets = &sets}));
          RETURN_IF_ERROR(policy::checkClaims(change.policy.value, claimNamesOf(project)));
          if (!config.source.empty()) RETURN_IF_ERROR(refuseKeyFilters(change.policy.value));
          config.policy = change.policy.value;
        } else if (change.policy.given()) {
          config.policy.reset();
        } else if (config.policy) {
          TRY(policy, keptPolicy(*config.policy, schema));
        }
        if (schema && policy) {
          const bool given = change.schema.given();
          RETURN_IF_ERROR(refuseRevealingRules(given ? change.schema.value : current.schemaSource, *policy,
                                               given ? RevealedIn::schema : RevealedIn::policy));
        }
        if (change.schema.given()) {
          config.schema.reset();
          config.references.clear();
        }
        if (compiled) {
          RETURN_IF_ERROR(checkSchemaReferences(project, current, change.schema.value, *compiled, change.imported));
          putSchema(config, change.schema.value, table(project));
        }
        return config.write();
      }));
  if (!compiled) co_return Result<>();
  co_return co_await announceReferrer(number, saved, *compiled, before.get());
}

Result<> Collections::checkFit(const snapshot::ProjectSnapshot& project, const Collection& collection,
                               const doc::Document& source, const doc::Schema& schema) const {
  const CollectionConfig config = CollectionConfig::read(collection.info.config);
  std::shared_ptr<const policy::Policy> policy = table(project).defaultPolicy;
  if (config.policy) {
    TRY(policy, keptPolicy(*config.policy, &schema));
  }
  if (policy) RETURN_IF_ERROR(refuseRevealingRules(source, *policy, RevealedIn::schema));
  return checkSchemaReferences(project, collection, source, schema, false);
}

Result<> Collections::checkSchemaReferences(const snapshot::ProjectSnapshot& project, const Collection& collection,
                                            const doc::Document& source, const doc::Schema& schema,
                                            bool imported) const {
  RETURN_IF_ERROR(checkReferences(
      source, [&](const std::string& referenced) { return table(project).find(referenced) != nullptr; }));
  RETURN_IF_ERROR(refuseProblems(endUserProblems(schema.relations())));
  return imported ? Result<>() : checkReferenceRules(project, collection, schema);
}

Result<> Collections::checkReferenceRules(const snapshot::ProjectSnapshot& project, const Collection& collection,
                                          const doc::Schema& schema) const {
  RETURN_IF_ERROR(refuseProblems(indexProblems(schema.relations(), [&](const std::string& path) {
    return std::ranges::any_of(collection.info.indexes,
                               [&](const store::IndexInfo& each) { return findsReferences(each.spec, path); });
  })));
  return refuseProblems(cascadeProblems(collection.name(), schema.relations(),
                                        [&](const std::string& other) -> const std::vector<doc::Relation>* {
                                          const CollectionPtr* found = table(project).find(other);
                                          return found && (*found)->schema ? &(*found)->schema->relations() : nullptr;
                                        }));
}

// A deletion that began on an earlier snapshot does not look into this collection. Its commit compares the version of
// its own collection, and begins again.
Task<> Collections::announceReferrer(store::ProjectNo project, std::string name, const doc::Schema& schema,
                                     const doc::Schema* before) {
  const auto had = [&](const doc::Relation& relation) {
    return before && std::ranges::any_of(before->relations(), [&](const doc::Relation& each) {
             return each.path == relation.path && each.collection == relation.collection &&
                    each.onDelete == relation.onDelete;
           });
  };
  std::set<std::string> referenced;
  for (const doc::Relation& each : schema.relations()) {
    if (each.onDelete != doc::OnDelete::none && each.collection != name && !had(each))
      referenced.insert(each.collection);
  }
  for (const std::string& each : referenced) {
    for (int attempt = 1;; ++attempt) {
      CO_TRY(const snapshot::SnapshotPtr now, co_await deps_.snapshots.byNumber(project));
      const CollectionPtr* found = now ? table(*now).find(each) : nullptr;
      if (!found) break;
      store::Alteration same;
      same.config = (*found)->info.config;
      const auto done = co_await deps_.store.alterCollection((*found)->ref, std::move(same), {});
      if (done) break;
      if (done.error().code() != ErrorCode::staleCatalogue || attempt == kMaxStaleAttempts) {
        co_return fail(done.error().clone());
      }
    }
  }
  co_return Result<>();
}

Task<> Collections::import(AdminAccess access, ImportedCollection collection) {
  CO_RETURN_IF_ERROR(checkName(collection.name));
  const snapshot::ProjectSnapshot& project = *access.project;
  CollectionConfig config;
  config.source = collection.source;
  config.policy.emplace();
  std::shared_ptr<const doc::Schema> compiled;
  if (collection.schema) {
    CO_TRY(compiled, co_await checkSchema(access.project, *collection.schema));
    Collection created;
    created.info.name = collection.name;
    CO_RETURN_IF_ERROR(checkSchemaReferences(project, created, *collection.schema, *compiled, false));
    putSchema(config, *collection.schema, table(project));
  }
  doc::BsonWriter details;
  details.appendString("source", collection.source);
  CO_RETURN_IF_ERROR(co_await deps_.store.createCollection(
      project.info().number, collection.name, config.write(),
      auditEntry(access, "introspect.imported", collection.name, details.finish())));
  if (!compiled) co_return Result<>();
  co_return co_await announceReferrer(project.info().number, collection.name, *compiled, nullptr);
}

Task<> Collections::setSchema(AdminAccess access, std::string name, doc::Document schema) {
  ConfigChange change;
  change.schema = {doc::Patch<doc::Document>::State::value, std::move(schema)};
  return configure(std::move(access), std::move(name), std::move(change));
}

Task<> Collections::clearSchema(AdminAccess access, std::string name) {
  ConfigChange change;
  change.schema.state = doc::Patch<doc::Document>::State::null;
  return configure(std::move(access), std::move(name), std::move(change));
}

}  // namespace mb::data
