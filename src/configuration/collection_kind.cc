#include "configuration/collection_kind.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>

#include "configuration/canonical_form.h"
#include "configuration/collection_entry.h"
#include "configuration/policy_set_kind.h"
#include "configuration/sections.h"
#include "configuration/settings_kind.h"
#include "data/collection_config.h"
#include "data/reference_rules.h"
#include "data/revealing_rules.h"
#include "data/schema_references.h"
#include "policy/claims.h"
#include "policy/required_permission.h"

namespace mb::configuration {

namespace {

CollectionEntry entryOf(const data::Collection& collection) {
  const data::CollectionConfig config = data::CollectionConfig::read(collection.info.config);
  CollectionEntry entry;
  entry.name = collection.name();
  if (config.schema) entry.schema = canonicalSchema(collection.schemaSource);
  if (config.policy) entry.policy = canonicalPolicy(*config.policy);
  entry.policyTests = config.policyTests;
  return entry;
}

const Entry* entryNamed(const std::vector<Entry>& entries, std::string_view name) {
  const auto found = std::ranges::find(entries, name, &Entry::name);
  return found == entries.end() ? nullptr : &*found;
}

void checkDefault(const IncomingCollection& given, const std::string& pointer, Problems& problems) {
  constexpr std::string_view kMessage = "is not allowed for the default policy, which is not of one collection";
  if (given.schema.given()) problems.add(pointer + "/schema", std::string(kMessage));
  if (given.indexes) problems.add(pointer + "/indexes", std::string(kMessage));
  if (given.policyTests.given()) problems.add(pointer + "/policyTests", std::string(kMessage));
  if (!given.policy.given()) problems.add(pointer + "/policy", "is required");
}

// Names in use by their key for clashes (store::foldedName), with the spelling.
using Spellings = std::map<std::string, std::string, std::less<>>;

void checkName(const std::string& name, const Spellings& current, Spellings& seen, const std::string& pointer,
               Problems& problems) {
  if (const auto checked = data::Collections::checkName(name); !checked) {
    return problems.add(pointer + "/name", checked.error().message());
  }
  const std::string folded = store::foldedName(name);
  if (const auto [first, isNew] = seen.emplace(folded, name); !isNew) {
    return problems.add(pointer + "/name", first->second == name
                                               ? fmt::format("\"{}\" occurs twice", name)
                                               : fmt::format("\"{}\" and \"{}\" are too similar", first->second, name));
  }
  const auto other = current.find(folded);
  if (other != current.end() && other->second != name) {
    problems.add(pointer + "/name", fmt::format("is too similar to \"{}\" of the project", other->second));
  }
}

using Pointers = std::map<std::string, std::string, std::less<>>;  // by name of an entry

// Checks the default policy against the schemas of the collections that inherit it after the import, where the document
// contains either.
Async<void> checkInherited(const std::vector<Entry>& existing, const std::vector<Entry>& merged,
                           const Pointers& pointers, Problems& problems) {
  const Entry* given = entryNamed(merged, kDefaultEntry);
  const Entry* found = given ? given : entryNamed(existing, kDefaultEntry);
  if (!found) co_return;
  const CollectionEntry fallback = CollectionEntry::read(found->value);
  if (!fallback.policy) co_return;
  const auto policy = policy::compilePolicy(*fallback.policy, nullptr);
  if (!policy || (*policy)->deniedReadFields(policy::ReaderKind::signedIn).empty()) co_return;
  CooperativeYielder yielder;
  const auto check = [&](const Entry& each, const std::string& pointer) {
    const CollectionEntry entry = CollectionEntry::read(each.value);
    if (!entry.schema || entry.policy) return;
    const auto fits = data::refuseRevealingRules(*entry.schema, **policy, data::RevealedIn::schema);
    if (!fits) problems.add(pointer, fmt::format("collection \"{}\": {}", entry.name, fits.error().message()));
  };
  for (const Entry& each : merged) {
    const auto pointer = pointers.find(each.name);
    if (pointer != pointers.end()) check(each, pointer->second + "/schema");
    co_await yielder.maybeYield();
  }
  const auto pointer = pointers.find(kDefaultEntry);
  if (pointer == pointers.end()) co_return;
  for (const Entry& each : existing) {
    if (!entryNamed(merged, each.name)) check(each, pointer->second + "/policy");
    co_await yielder.maybeYield();
  }
}

// A new policy names claims that tokens can hold after the import. An unchanged one, which may be from before this was
// checked, must not lose a claim.
void checkClaims(const std::optional<doc::Document>& before, const doc::Document& policy, const ClaimChange& claims,
                 const std::string& pointer, Problems& problems) {
  if (!sameText(before, policy)) {
    const auto checked = policy::checkClaims(policy, policy::ClaimNames(claims.after));
    if (!checked) problems.add(pointer, checked.error());
  } else if (const std::string claim = policy::claimAmong(claims.removed, policy); !claim.empty()) {
    problems.add(pointer, fmt::format("uses the claim \"{}\", which /settings/tokenClaims removes", claim));
  }
}

using Schemas = std::map<std::string, std::shared_ptr<const doc::Schema>, std::less<>>;  // null: none

bool isIndexed(const CollectionEntry& entry, const std::string& path) {
  return std::ranges::any_of(entry.indexes, [&](const auto& each) {
    const doc::DocumentView index = each.second;
    const auto keys = index.find("keys");
    return keys && !keys->asDocument().empty() && keys->asDocument().begin()->key == path &&
           !index.find("partialFilter");
  });
}

// Checks the references of the entries' schemas with the indexes and the other schemas as they are after the import.
Async<void> checkReferenceRules(const data::CollectionTable& table, const std::vector<Entry>& merged,
                                const Schemas& schemas, const Pointers& pointers, Problems& problems) {
  const auto relationsOf = [&](const std::string& name) -> const std::vector<doc::Relation>* {
    const auto given = schemas.find(name);
    if (given != schemas.end()) return given->second ? &given->second->relations() : nullptr;
    const data::CollectionPtr* found = table.find(name);
    return found && (*found)->schema ? &(*found)->schema->relations() : nullptr;
  };
  CooperativeYielder yielder;
  for (const Entry& each : merged) {
    co_await yielder.maybeYield();
    const std::vector<doc::Relation>* relations = relationsOf(each.name);
    if (!relations || relations->empty()) continue;
    const CollectionEntry entry = CollectionEntry::read(each.value);
    const std::string pointer = pointers.find(each.name)->second + "/schema";
    for (std::vector<ErrorDetail>& found :
         std::array{data::endUserProblems(*relations),
                    data::indexProblems(*relations, [&](const std::string& path) { return isIndexed(entry, path); }),
                    data::cascadeProblems(each.name, *relations, relationsOf)}) {
      for (ErrorDetail& problem : found) problems.add(pointer + problem.path, std::move(problem.message));
    }
  }
}

// A set of the project keeps an index, unless the document redefines the set, which its own section checks.
void checkSetIndexes(const data::CollectionTable& table, const std::vector<std::string>& defined,
                     const std::vector<Entry>& merged, const Pointers& pointers, Problems& problems) {
  for (const data::BoundSet& set : table.sets) {
    if (!set.collection || std::ranges::find(defined, set.name()) != defined.end()) continue;
    const Entry* entry = entryNamed(merged, set.collection->name());
    const std::string& path = set.compiled->set.callerPath();
    if (!entry || isIndexed(CollectionEntry::read(entry->value), path)) continue;
    problems.add(pointers.find(entry->name)->second + "/indexes",
                 fmt::format("the set \"{}\" needs an index that begins with \"{}\"", set.name(), path));
  }
}

// The names of the collections in the section.
std::set<std::string> collectionNamesOf(doc::ValueView section) {
  std::set<std::string> names;
  for (const doc::Element& each : section.asDocument()) {
    if (each.value.type() == doc::BsonType::document) names.emplace(each.value.asDocument().stringOr("name"));
  }
  names.erase(std::string(kDefaultEntry));
  return names;
}

// The entry before a change; empty for one that is created.
CollectionEntry beforeOf(const Change& change) {
  if (change.before) return CollectionEntry::read(*change.before);
  CollectionEntry none;
  none.name = change.name;
  return none;
}

bool hasIndex(const CollectionEntry& entry, const std::string& name, const doc::Document& index) {
  const auto found = entry.indexes.find(name);
  return found != entry.indexes.end() && sameText(found->second, index);
}

doc::Patch<doc::Document> patchTo(const std::optional<doc::Document>& before,
                                  const std::optional<doc::Document>& after) {
  using Patch = doc::Patch<doc::Document>;
  if (sameText(before, after)) return {};
  return after ? Patch{Patch::State::value, *after} : Patch{Patch::State::null, {}};
}

// The sets that the policy names: the same import saves them later.
std::vector<std::string> setsOf(const std::optional<doc::Document>& policy) {
  if (!policy) return {};
  const auto compiled = policy::compilePolicy(*policy, nullptr);
  return compiled ? (*compiled)->sets() : std::vector<std::string>();
}

Result<std::vector<data::PolicyTest>> testsOf(const CollectionEntry& entry) {
  std::vector<data::PolicyTest> tests;
  for (const doc::Document& each : entry.policyTests) {
    TRY(tests.emplace_back(), doc::decode<data::PolicyTest>(each));
  }
  return tests;
}

}  // namespace

Task<std::vector<Entry>> CollectionKind::entries(snapshot::SnapshotPtr project) {
  const data::CollectionTable& table = project->get(slot_);
  std::vector<Entry> entries;
  if (table.defaultPolicy) {
    CollectionEntry entry;
    entry.name = kDefaultEntry;
    entry.policy = canonicalPolicy(table.defaultPolicySource);
    entries.push_back({entry.name, entry.write()});
  }
  CooperativeYielder yielder;
  for (const std::string& name : table.names()) {
    CollectionEntry entry = entryOf(**table.find(name));
    CO_TRY(const std::vector<data::IndexView> indexes, co_await collections_.indexes(project, name));
    for (const data::IndexView& index : indexes) entry.indexes.emplace(index.name, indexEntry(index));
    entries.push_back({name, entry.write()});
    co_await yielder.maybeYield();
  }
  co_return entries;
}

Task<std::vector<Entry>> CollectionKind::merged(Source source, const std::vector<Entry>& current, Problems& problems) {
  const data::CollectionTable& table = source.project->get(slot_);
  Spellings spellings;
  for (const std::string& name : table.names()) spellings.emplace(store::foldedName(name), name);
  Spellings seen;
  Schemas schemas;
  const std::set<std::string> incoming = collectionNamesOf(source.section);
  const auto exists = [&](const std::string& name) { return table.find(name) || incoming.contains(name); };
  std::vector<std::string> sets = table.setNames();
  const std::vector<std::string> defined = policySetNames(source.document);
  sets.insert(sets.end(), defined.begin(), defined.end());
  const ClaimChange claims = claimChange(source);
  std::vector<Entry> merged;
  Pointers pointers;
  size_t created = 0;
  CooperativeYielder yielder;
  for (const auto& [index, value] : source.section.asDocument()) {
    co_await yielder.maybeYield();
    const std::string pointer = fmt::format("/collections/{}", index);
    if (!isEntry(value, pointer, problems)) continue;
    IncomingCollection given;
    std::vector<ErrorDetail> details;
    doc::decodeValue(given, value, pointer, doc::UnknownFields::refuse, details);
    for (ErrorDetail& each : details) problems.add(std::move(each.path), std::move(each.message));
    if (!details.empty()) continue;
    CollectionEntry entry;
    entry.name = given.name;
    if (entry.isDefault()) {
      checkDefault(given, pointer, problems);
      if (!seen.emplace(given.name, given.name).second) problems.add(pointer + "/name", "\"*\" occurs twice");
    } else {
      checkName(given.name, spellings, seen, pointer, problems);
    }
    if (const Entry* now = entryNamed(current, given.name)) entry = CollectionEntry::read(now->value);
    const std::optional<doc::Document> schemaBefore = entry.schema;
    const std::optional<doc::Document> policyBefore = entry.policy;
    const data::CollectionPtr* now = table.find(given.name);
    if (!now && !entry.isDefault()) ++created;
    CompiledSchema compiled;
    if (given.schema.state == doc::Patch<doc::Document>::State::value) {
      compiled = co_await collections_.checkSchema(source.project, given.schema.value);
      if (!compiled && compiled.error().code() != ErrorCode::validation) co_return fail(std::move(compiled).error());
    }
    mergeCollection(entry, given, compiled, now ? now->get() : nullptr, sets, pointer, problems);
    if (given.schema.given()) schemas[entry.name] = compiled ? *compiled : nullptr;
    pointers.emplace(entry.name, pointer);
    if (entry.policy && !source.copied) checkClaims(policyBefore, *entry.policy, claims, pointer + "/policy", problems);
    // An unchanged schema may refer to a collection that was deleted after the schema was saved.
    if (entry.schema && !source.copied && !sameText(schemaBefore, entry.schema)) {
      if (const auto checked = data::checkReferences(*entry.schema, exists); !checked) {
        problems.add(pointer + "/schema", checked.error());
      }
    }
    const bool none = entry.isDefault() && !entry.policy && !entryNamed(current, kDefaultEntry);
    if (!none) merged.push_back({entry.name, entry.write()});
  }
  co_await checkInherited(current, merged, pointers, problems);
  if (!source.copied) co_await checkReferenceRules(table, merged, schemas, pointers, problems);
  checkSetIndexes(table, defined, merged, pointers, problems);
  CO_RETURN_IF_ERROR(co_await checkOwnDatabase(source.project, current, merged, pointers, problems));
  if (created > 0 && table.byName.size() + created > store::kMaxCollections) {
    problems.add("/collections", fmt::format("would exceed {} collections", store::kMaxCollections));
  }
  co_return merged;
}

Task<> CollectionKind::checkOwnDatabase(snapshot::SnapshotPtr project, const std::vector<Entry>& current,
                                        const std::vector<Entry>& merged, const Pointers& pointers,
                                        Problems& problems) const {
  if (introspection_ == nullptr) co_return Result<>();
  std::vector<introspection::PlannedIndexes> planned;
  for (const Entry& each : merged) {
    // A new collection has no documents; the import refuses one that the database has.
    const Entry* now = entryNamed(current, each.name);
    if (!now) continue;
    const CollectionEntry before = CollectionEntry::read(now->value);
    introspection::PlannedIndexes one{each.name, {}};
    for (const auto& [name, index] : CollectionEntry::read(each.value).indexes) {
      if (hasIndex(before, name, index)) continue;
      CO_TRY(data::NewIndex wanted, newIndex(index));
      wanted.name = name;
      one.indexes.push_back(std::move(wanted));
      if (before.indexes.contains(name)) one.replaced.insert(name);
    }
    if (!one.indexes.empty()) planned.push_back(std::move(one));
  }
  CO_TRY(const auto found, co_await introspection_->indexProblems(std::move(project), std::move(planned)));
  // A pointer has one problem.
  std::map<std::string, std::string> messages;
  for (const introspection::IndexProblem& each : found) {
    std::string& message = messages[pointers.find(each.collection)->second + "/indexes"];
    message += (message.empty() ? "" : "; ") + each.message;
  }
  for (auto& [pointer, message] : messages) problems.add(pointer, std::move(message));
  co_return Result<>();
}

std::vector<std::string> CollectionKind::permissionsFor(const Change& change) const {
  if (change.action == Action::unchanged) return {};
  const CollectionEntry before = beforeOf(change);
  const CollectionEntry after = CollectionEntry::read(change.after);
  std::vector<std::string> needed;
  bool shaped = !sameText(before.schema, after.schema);
  for (const auto& [name, index] : after.indexes) shaped = shaped || !hasIndex(before, name, index);
  if (shaped || (!change.before && !after.isDefault()))
    needed.emplace_back(std::string_view(policy::RequiredPermission("collections:manage")));
  if (!sameText(before.policy, after.policy) || before.policyTests != after.policyTests)
    needed.emplace_back(std::string_view(policy::RequiredPermission("policies:manage")));
  return needed;
}

Result<> CollectionKind::draft(ProjectDraft& draft, const std::vector<Change>& changes) const {
  for (const Change& change : changes) {
    const CollectionEntry before = beforeOf(change);
    const CollectionEntry after = CollectionEntry::read(change.after);
    draft.policies.collections.push_back(
        {change.name, patchTo(before.schema, after.schema), patchTo(before.policy, after.policy)});
    draft.policyTests.erase(change.name);
    if (!after.policyTests.empty()) draft.policyTests.emplace(change.name, after.policyTests);
  }
  return {};
}

Task<> CollectionKind::refresh(Target& target) const {
  CO_TRY(target.project, co_await snapshots_.byNumber(target.project->info().number));
  if (!target.project) co_return fail(ErrorCode::notFound, "no such project");
  co_return Result<>();
}

Task<> CollectionKind::apply(Target target, std::vector<Change> changes) {
  using Step = Task<> (CollectionKind::*)(Target, const Change&);
  for (const Change& change : changes) {
    if (change.before || change.name == kDefaultEntry) continue;
    CO_RETURN_IF_ERROR(checkTime(target));
    const auto made = co_await collections_.create({target.caller, target.project}, change.name);
    if (!made) co_return fail(about("collections/" + change.name, made.error()));
  }
  for (const Step step : {&CollectionKind::configure, &CollectionKind::setIndexes}) {
    CO_RETURN_IF_ERROR(co_await refresh(target));
    for (const Change& change : changes) {
      CO_RETURN_IF_ERROR(checkTime(target));
      const auto done = co_await (this->*step)(target, change);
      if (!done) co_return fail(about("collections/" + change.name, done.error()));
    }
  }
  co_return Result<>();
}

Task<> CollectionKind::configure(Target target, const Change& change) {
  const CollectionEntry before = beforeOf(change);
  const CollectionEntry after = CollectionEntry::read(change.after);
  if (after.isDefault()) co_return co_await setDefault(std::move(target), change);
  data::ConfigChange config{.schema = patchTo(before.schema, after.schema),
                            .policy = patchTo(before.policy, after.policy),
                            .newSets = setsOf(after.policy),
                            .imported = true};
  if (before.policyTests != after.policyTests) {
    CO_TRY(config.policyTests, testsOf(after));
  }
  if (!config.schema.given() && !config.policy.given() && !config.policyTests) co_return Result<>();
  co_return co_await collections_.configure({target.caller, target.project}, change.name, std::move(config));
}

Task<> CollectionKind::setDefault(Target target, const Change& change) {
  CollectionEntry after = CollectionEntry::read(change.after);
  if (!after.policy) co_return co_await collections_.clearPolicy({target.caller, target.project}, change.name);
  std::vector<std::string> sets = setsOf(after.policy);
  co_return co_await collections_.setPolicy({target.caller, target.project}, change.name, *std::move(after.policy),
                                            std::move(sets));
}

// An index cannot be changed: a new definition replaces it by a new index.
Task<> CollectionKind::setIndexes(Target target, const Change& change) {
  const CollectionEntry before = beforeOf(change);
  const CollectionEntry after = CollectionEntry::read(change.after);
  for (const auto& [name, index] : after.indexes) {
    if (hasIndex(before, name, index)) continue;
    CO_RETURN_IF_ERROR(checkTime(target));
    if (before.indexes.contains(name)) {
      CO_RETURN_IF_ERROR(co_await collections_.dropIndex({target.caller, target.project}, change.name, name, true));
    }
    CO_TRY(data::NewIndex wanted, newIndex(index));
    CO_RETURN_IF_ERROR(
        co_await collections_.createIndex({target.caller, target.project}, change.name, std::move(wanted)));
  }
  co_return Result<>();
}

}  // namespace mb::configuration
