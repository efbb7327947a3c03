#include "data/collection_table.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

#include "base/log.h"
#include "data/collection_config.h"
#include "data/default_policy.h"
#include "data/schema_references.h"
#include "data/write_fields.h"
#include "identity/project_settings.h"
#include "store/record_pages.h"
#include "store/records.h"

namespace mb::data {
namespace {

using policy::Operation;
using NamesByNumber = std::map<store::CollectionNo, std::string>;
using References = std::vector<std::pair<std::string, std::string>>;

constexpr std::array kOperations = {Operation::read,   Operation::list,   Operation::create,
                                    Operation::update, Operation::remove, Operation::admin};

References resolve(const CollectionConfig& config, const NamesByNumber& names) {
  References references;
  if (!config.schema) return references;
  for (std::string& name : referencedCollections(*config.schema)) {
    const BoundReference* bound = config.binding(name);
    const auto now = bound ? names.find(bound->number) : names.end();
    std::string current = now == names.end() ? name : now->second;
    references.emplace_back(std::move(name), std::move(current));
  }
  return references;
}

// The collection as it was compiled before, whose parts are shared where their source is the same.
struct Earlier {
  const Collection& collection;
  const CollectionConfig config;

  static std::optional<Earlier> of(const CollectionTable* before, const store::CollectionInfo& info) {
    const CollectionPtr* found = before ? before->find(info.name) : nullptr;
    if (!found || (*found)->info.number != info.number) return std::nullopt;
    return Earlier{**found, CollectionConfig::read((*found)->info.config)};
  }
};

void compileSchema(Collection& collection, const CollectionConfig& config, const Earlier* earlier) {
  if (!config.schema) return;
  if (earlier && earlier->config.schema == config.schema && earlier->collection.references == collection.references) {
    collection.schemaSource = earlier->collection.schemaSource;
    collection.schema = earlier->collection.schema;
    collection.schemaProblem = earlier->collection.schemaProblem;
    collection.checksReferences = earlier->collection.checksReferences;
    return;
  }
  collection.schemaSource = renameReferences(*config.schema, [&](std::string_view name) {
    const auto found = std::ranges::find(collection.references, name, &References::value_type::first);
    return found == collection.references.end() ? std::string(name) : found->second;
  });
  auto schema = doc::Schema::compile(collection.schemaSource);
  if (schema) {
    collection.schema = *std::move(schema);
    collection.checksReferences = std::ranges::any_of(collection.schema->relations(), [](const doc::Relation& each) {
      return each.check != doc::ReferenceCheck::none;
    });
    return;
  }
  collection.schemaProblem = schema.error().message();
  logError(
      "stored schema does not compile; the collection accepts deletes only",
      {{"project", collection.ref.project}, {"collection", collection.name()}, {"problem", collection.schemaProblem}});
}

void readWriteFields(Collection& collection) {
  for (const Operation operation : {Operation::update, Operation::admin}) {
    auto fields = writeFieldsOf(*collection.policy, operation);
    if (fields) collection.writeFieldsOf[static_cast<size_t>(operation)] = *std::move(fields);
  }
}

void compilePolicy(Collection& collection, const CollectionConfig& config, const CollectionTable& table,
                   const Earlier* earlier) {
  if (config.policy) {
    collection.policySource = PolicySource::own;
    if (earlier && earlier->config.policy == config.policy && earlier->collection.schema == collection.schema) {
      collection.policy = earlier->collection.policy;
      collection.writeFieldsOf = earlier->collection.writeFieldsOf;
      return;
    }
    auto compiled = policy::compilePolicy(*config.policy, collection.schema.get());
    if (compiled) {
      collection.policy = *std::move(compiled);
    } else {
      logError("stored policy does not compile; all access is denied", {{"project", collection.ref.project},
                                                                        {"collection", collection.name()},
                                                                        {"problem", compiled.error().message()}});
    }
  } else if (table.defaultPolicy) {
    collection.policySource = PolicySource::inherited;
    collection.policy = table.defaultPolicy;
  }
  if (collection.policy) readWriteFields(collection);
}

// The collection of `before` if nothing that it is compiled from has changed; null otherwise.
CollectionPtr unchanged(const CollectionTable* before, const store::CollectionInfo& info, const References& references,
                        const CollectionTable& table) {
  const CollectionPtr* found = before ? before->find(info.name) : nullptr;
  if (!found) return nullptr;
  const Collection& old = **found;
  const bool same = old.info.number == info.number && old.info.version == info.version &&
                    old.references == references &&
                    (old.policySource == PolicySource::own || old.policy == table.defaultPolicy);
  return same ? *found : nullptr;
}

CollectionPtr compile(store::ProjectNo project, store::CollectionInfo info, const CollectionConfig& config,
                      References references, const CollectionTable& table, const CollectionTable* before) {
  const std::optional<Earlier> earlier = Earlier::of(before, info);
  auto collection = std::make_shared<Collection>();
  collection->ref = {project, info.number, info.version};
  collection->info = std::move(info);
  collection->references = std::move(references);
  collection->manualVectors = manualVectorFields(collection->info.config);
  collection->isMissing = config.isMissing;
  for (const Operation operation : kOperations) {
    collection->permissions[static_cast<size_t>(operation)] =
        "data:" + collection->name() + ":" + std::string(policy::operationName(operation));
  }
  compileSchema(*collection, config, earlier ? &*earlier : nullptr);
  compilePolicy(*collection, config, table, earlier ? &*earlier : nullptr);
  return collection;
}

// Sets the referrers of each collection, on a copy of it where they have changed.
void setReferrers(CollectionTable& table) {
  std::map<std::string, std::vector<Referrer>, std::less<>> all;
  for (const auto& [name, collection] : table.byName) {
    if (!collection->checksReferences) continue;
    for (const doc::Relation& relation : collection->schema->relations()) {
      if (relation.onDelete == doc::OnDelete::none) continue;
      all[relation.collection].push_back({name, relation.path, relation.onDelete});
    }
  }
  for (auto& [name, collection] : table.byName) {
    const auto found = all.find(name);
    if (found == all.end() && collection->referrers.empty()) continue;
    std::vector<Referrer> referrers = found == all.end() ? std::vector<Referrer>() : std::move(found->second);
    std::ranges::sort(referrers, {}, [](const Referrer& each) { return std::tie(each.collection, each.path); });
    if (collection->referrers == referrers) continue;
    auto changed = std::make_shared<Collection>(*collection);
    changed->referrers = std::move(referrers);
    collection = std::move(changed);
  }
}

void readDefaultPolicy(CollectionTable& table, const std::optional<doc::Document>& stored,
                       const CollectionTable* before) {
  if (!stored) return;
  const auto source = stored->view().find("policy");
  if (!source || source->type() != doc::BsonType::document) return;
  table.defaultPolicySource = doc::Document(source->asDocument());
  if (before && before->defaultPolicy && before->defaultPolicySource == table.defaultPolicySource) {
    table.defaultPolicy = before->defaultPolicy;
    return;
  }
  auto compiled = compileDefaultPolicy(table.defaultPolicySource);
  if (compiled) {
    table.defaultPolicy = *std::move(compiled);
  } else {
    logError("stored default policy does not compile; collections without a policy deny all access",
             {{"problem", compiled.error().message()}});
  }
}

// Null if the stored set does not compile.
CompiledSetPtr compileSet(store::ProjectNo project, PolicySetRecord record, const CollectionTable* before) {
  const BoundSet* known = before ? before->findSet(record.id) : nullptr;
  if (known && known->compiled->record == record) return known->compiled;
  std::vector<ErrorDetail> problems;
  auto set = policy::CallerSet::compile(record.where, record.value, nullptr, problems);
  if (problems.empty()) return std::make_shared<const CompiledSet>(CompiledSet{std::move(record), std::move(set)});
  logError("stored policy set does not compile; rules that name it deny all access",
           {{"project", project}, {"set", record.id}, {"problem", problems.front().message}});
  return nullptr;
}

void readSets(CollectionTable& table, store::ProjectNo project, std::vector<PolicySetRecord> records,
              const CollectionTable* before, bool needIndexes) {
  std::ranges::sort(records, {}, &PolicySetRecord::id);
  for (PolicySetRecord& record : records) {
    BoundSet bound{compileSet(project, std::move(record), before), nullptr};
    if (!bound.compiled) continue;
    const auto number = static_cast<store::CollectionNo>(bound.compiled->record.number);
    for (const auto& [name, collection] : table.byName) {
      if (collection->info.number == number && (!needIndexes || hasIndexFor(bound.compiled->set, collection->info))) {
        bound.collection = collection;
      }
    }
    table.sets.push_back(std::move(bound));
  }
}

bool servesPublicly(const Collection& collection) {
  return collection.policy && std::ranges::any_of(kOperations, [&](Operation operation) {
           return collection.policy->publicRule(operation) != nullptr;
         });
}

// What a table is made from.
struct StoredConfiguration {
  std::vector<store::CollectionInfo> collections;
  std::optional<doc::Document> defaultPolicy;
  std::vector<PolicySetRecord> sets;
  bool setsNeedIndexes = true;
};

std::shared_ptr<CollectionTable> tableOf(const snapshot::ProjectInfo& project, StoredConfiguration stored,
                                         const CollectionTable* before) {
  auto table = std::make_shared<CollectionTable>();
  readDefaultPolicy(*table, stored.defaultPolicy, before);
  table->profileFields = identity::ProfileFields(identity::profileFieldsOf(project));
  NamesByNumber names;
  for (const store::CollectionInfo& info : stored.collections) names.emplace(info.number, info.name);
  for (store::CollectionInfo& info : stored.collections) {
    const CollectionConfig config = CollectionConfig::read(info.config);
    References references = resolve(config, names);
    CollectionPtr collection = unchanged(before, info, references, *table);
    if (!collection)
      collection = compile(project.number, std::move(info), config, std::move(references), *table, before);
    table->hasPublicRules = table->hasPublicRules || servesPublicly(*collection);
    std::string name = collection->name();
    table->byName.emplace(std::move(name), std::move(collection));
  }
  setReferrers(*table);  // replaces collections, which the sets point to
  readSets(*table, project.number, std::move(stored.sets), before, stored.setsNeedIndexes);
  return table;
}

}  // namespace

std::string_view policySourceName(PolicySource source) {
  switch (source) {
    case PolicySource::own:
      return "own";
    case PolicySource::inherited:
      return "inherited";
    case PolicySource::none:
      break;
  }
  return "default";
}

const doc::FieldSet& Collection::deniedReadFields(policy::ReaderKind reader) const {
  static const doc::FieldSet nothing;
  return policy ? policy->deniedReadFields(reader) : nothing;
}

bool hasIndexFor(const policy::CallerSet& set, const store::CollectionInfo& collection) {
  return std::ranges::any_of(collection.indexes, [&](const store::IndexInfo& index) {
    return index.ready && !index.spec.partialFilter && index.spec.keys.front().path == set.callerPath();
  });
}

const CollectionPtr* CollectionTable::find(std::string_view name) const {
  const auto found = byName.find(name);
  return found == byName.end() ? nullptr : &found->second;
}

const BoundSet* CollectionTable::findSet(std::string_view name) const {
  const auto found = std::ranges::find(sets, name, &BoundSet::name);
  return found == sets.end() ? nullptr : &*found;
}

std::vector<std::string> CollectionTable::setNames() const {
  std::vector<std::string> all;
  all.reserve(sets.size());
  for (const BoundSet& set : sets) all.push_back(set.name());
  return all;
}

CollectionPtr CollectionTable::numbered(store::CollectionNo number) const {
  const auto found = std::ranges::find_if(byName, [&](const auto& each) { return each.second->info.number == number; });
  return found == byName.end() ? nullptr : found->second;
}

std::vector<std::string> CollectionTable::names() const {
  std::vector<std::string> all;
  all.reserve(byName.size());
  for (const auto& [name, collection] : byName) all.push_back(name);
  std::ranges::sort(all);
  return all;
}

std::shared_ptr<const CollectionTable> draftedTable(const snapshot::ProjectInfo& project, const CollectionTable& table,
                                                    TableDrafts drafts) {
  // Without what is replaced, so that nothing of it is taken for unchanged.
  CollectionTable before = table;
  for (const store::CollectionInfo& each : drafts.collections) before.byName.erase(each.name);
  StoredConfiguration stored;
  stored.setsNeedIndexes = drafts.setsNeedIndexes;
  doc::BsonWriter policy;
  const doc::Document& source = drafts.defaultPolicy ? *drafts.defaultPolicy : table.defaultPolicySource;
  if (!source.empty()) policy.appendDocument("policy", source);
  stored.defaultPolicy = policy.finish();
  for (const auto& [name, collection] : before.byName) stored.collections.push_back(collection->info);
  for (const BoundSet& bound : table.sets) {
    const bool replaced = std::ranges::find(drafts.sets, bound.name(), &PolicySetRecord::id) != drafts.sets.end();
    if (!replaced) stored.sets.push_back(bound.compiled->record);
  }
  std::ranges::move(drafts.collections, std::back_inserter(stored.collections));
  std::ranges::move(drafts.sets, std::back_inserter(stored.sets));
  return tableOf(project, std::move(stored), &before);
}

std::shared_ptr<const CollectionTable> CollectionTableSource::recent(store::ProjectNo project) {
  const std::lock_guard lock(mutex_);
  const auto* found = recent_.find(std::to_string(project));
  return found ? found->lock() : nullptr;
}

void CollectionTableSource::remember(store::ProjectNo project, const std::shared_ptr<const CollectionTable>& table) {
  const std::lock_guard lock(mutex_);
  recent_.put(std::to_string(project), table);
}

Task<std::shared_ptr<const void>> CollectionTableSource::load(snapshot::ProjectInfo project) {
  StoredConfiguration stored;
  CO_TRY(stored.collections, co_await store_.collections(project.number));
  CO_TRY(stored.defaultPolicy, co_await store_.get(policyCollection(project.number), std::string(kDefaultPolicyId)));
  CO_TRY(const std::vector<doc::Document> sets,
         co_await store::allRecords(store_, policySetCollection(project.number)));
  CO_TRY(stored.sets, store::fromStore<PolicySetRecord>(sets));

  const std::shared_ptr<const CollectionTable> before = recent(project.number);
  CO_TRY(const std::shared_ptr<CollectionTable> table,
         co_await pool_.run(project.id.str(), [&]() -> Result<std::shared_ptr<CollectionTable>> {
           return tableOf(project, std::move(stored), before.get());
         }));
  CO_RETURN_IF_ERROR(co_await markSets(project.number, *table, before.get()));
  remember(project.number, table);
  co_return std::shared_ptr<const void>(table);
}

Task<> CollectionTableSource::markSets(store::ProjectNo project, CollectionTable& table,
                                       const CollectionTable* before) {
  for (BoundSet& bound : table.sets) {
    const BoundSet* known = before ? before->findSet(bound.name()) : nullptr;
    if (!bound.collection || (known && known->collection && known->compiled == bound.compiled)) continue;
    const auto marked =
        co_await store_.markPath(project, bound.collection->info.number, bound.compiled->set.callerPath());
    if (marked) continue;
    // Dropped since: the next table does not have it.
    if (marked.error().code() != ErrorCode::notFound) co_return fail(marked.error().clone());
    bound.collection = nullptr;
  }
  co_return Result<>();
}

}  // namespace mb::data
