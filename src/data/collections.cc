#include "data/collections.h"

#include <algorithm>
#include <iterator>

#include "data/collection_config.h"
#include "data/data_deps.h"
#include "data/policy_fields.h"
#include "data/reserved.h"
#include "data/vector_count_jobs.h"

namespace mb::data {
namespace {

// The commit checks whether the name is free. `field`: the body's field with the name.
Result<> checkNewName(std::string_view name, std::string_view field) {
  if (isReservedCollection(name)) {
    return fail(ErrorCode::notFound,
                fmt::format("this name is reserved: choose another one; reserved are {}", reservedCollections()));
  }
  if (isCollectionName(name)) return {};
  return fail(Error(ErrorCode::validation, "a collection's name must match ^[A-Za-z][A-Za-z0-9_-]{0,63}$")
                  .withDetail(std::string(field), "must match ^[A-Za-z][A-Za-z0-9_-]{0,63}$"));
}

// The operations of data permissions.
constexpr std::string_view kOperationNames[] = {"read", "list", "create", "update", "delete", "admin"};

// Whether the caller holds permissions under the new name that it lacks under the old: permissions follow names, not
// collections.
bool gainsByName(const policy::Caller& caller, std::string_view name, std::string_view to) {
  const auto held = [&](std::string_view collection, std::string_view operation) {
    return caller.may(fmt::format("data:{}:{}", collection, operation));
  };
  const bool gains =
      std::ranges::any_of(kOperationNames, [&](std::string_view one) { return held(to, one) && !held(name, one); });
  return gains || (caller.adminOf(to) && !caller.adminOf(name));
}

doc::Document oneField(std::string_view key, std::string_view value) {
  doc::BsonWriter out;
  out.appendString(key, value);
  return out.finish();
}

}  // namespace

Collections::Collections(const DataDeps& deps, FairPool& pool, snapshot::SlotKey<CollectionTable> collections)
    : deps_(deps), pool_(pool), slot_(collections) {}

std::vector<std::string> Collections::names(const snapshot::ProjectSnapshot& project) const {
  return table(project).names();
}

Result<CollectionPtr> Collections::require(const snapshot::ProjectSnapshot& project, std::string_view name) const {
  const CollectionPtr* found = table(project).find(name);
  if (!found) return fail(ErrorCode::notFound, "no such collection");
  return *found;
}

std::vector<store::Insert> Collections::auditEntry(const AdminAccess& access, std::string action,
                                                   const std::string& target, doc::Document details) const {
  const policy::Caller& caller = access.caller;
  audit::AuditActor actor{std::string(actorKind(caller.kind)), caller.id, std::nullopt};
  if (!caller.email.empty()) actor.email = caller.email;
  return deps_.auditor.entry(access.project->info().number, std::move(action), std::move(actor),
                             "collections/" + target, caller.ip, caller.requestId, std::move(details));
}

Task<> Collections::whileStale(AdminAccess& access, std::function<Task<>()> attempt) const {
  for (int i = 0; i < kMaxStaleAttempts; ++i) {
    auto done = co_await attempt();
    if (done || done.error().code() != ErrorCode::staleCatalogue) co_return done;
    CO_TRY(access.project, co_await deps_.snapshots.byNumber(access.project->info().number));
    if (!access.project) co_return fail(ErrorCode::notFound, "no such project");
  }
  co_return fail(ErrorCode::unavailable, "the collection is being changed, try again");
}

Result<> Collections::checkName(std::string_view name) {
  return checkNewName(name, "/name");
}

Task<> Collections::create(AdminAccess access, std::string name) {
  CO_RETURN_IF_ERROR(checkNewName(name, "/name"));
  CO_RETURN_IF_ERROR(co_await deps_.store.createCollection(
      access.project->info().number, name, CollectionConfig{}.write(), auditEntry(access, "collection.create", name)));
  co_return Result<>();
}

std::map<std::string, std::string, std::less<>> Collections::namesBySource(
    const snapshot::ProjectSnapshot& project) const {
  std::map<std::string, std::string, std::less<>> names;
  for (const auto& [name, collection] : table(project).byName) {
    const std::string_view source = collection->info.config.view().stringOr("source", name);
    names.emplace(source, name);
  }
  return names;
}

Task<> Collections::drop(AdminAccess access, std::string name, DropData dropData) {
  co_return co_await whileStale(access, [&] { return dropOnce(access, name, dropData); });
}

Task<> Collections::dropOnce(const AdminAccess& access, const std::string& name, const DropData& dropData) {
  CO_TRY(const CollectionPtr collection, require(*access.project, name));
  for (const BoundSet& bound : table(*access.project).sets) {
    if (!bound.collection || bound.collection->info.number != collection->info.number) continue;
    co_return fail(ErrorCode::conflict,
                   fmt::format("the set \"{}\" reads this collection: delete it first", bound.name()));
  }
  CO_RETURN_IF_ERROR(co_await bindReferrers(access, collection));
  std::vector<store::Insert> inserts =
      auditEntry(access, "collection.delete", name, dropData ? oneField("data", "drop") : doc::Document());
  CO_TRY(std::vector<store::Insert> jobs,
         VectorCountJobs::jobsOf(deps_, collection->ref, collection->info.config, std::nullopt));
  if (dropJobs_) {
    CO_TRY(std::vector<store::Insert> more, dropJobs_(access.project->info(), *collection));
    std::ranges::move(more, std::back_inserter(jobs));
  }
  std::vector<std::string> wakes = store::idsOf(jobs);
  std::ranges::move(jobs, std::back_inserter(inserts));
  // First, so that a failure leaves the collection, to be dropped by another call.
  if (dropData) {
    const std::string source(collection->info.config.view().stringOr("source", name));
    CO_RETURN_IF_ERROR(co_await dropData(source));
  }
  CO_RETURN_IF_ERROR(co_await deps_.store.dropCollection(collection->ref, std::move(inserts)));
  if (!wakes.empty()) deps_.queue->wake(std::move(wakes));
  co_return Result<>();
}

Task<> Collections::rename(AdminAccess access, std::string name, std::string to) {
  co_return co_await whileStale(access, [&] { return renameOnce(access, name, to); });
}

Task<> Collections::renameOnce(const AdminAccess& access, const std::string& name, const std::string& to) {
  CO_TRY(const CollectionPtr collection, require(*access.project, name));
  CO_RETURN_IF_ERROR(checkNewName(to, "/to"));
  if (to == name) co_return fail(ErrorCode::conflict, "the collection has this name already");
  if (gainsByName(access.caller, name, to)) {
    co_return fail(ErrorCode::forbidden,
                   "you hold data permissions under the new name that you do not hold under the old: choose another "
                   "name");
  }
  for (const auto& [other, referring] : table(*access.project).byName) {
    CO_RETURN_IF_ERROR(co_await bindReferences(referring, *collection));
  }
  CO_RETURN_IF_ERROR(co_await bindReferrers(access, collection));
  store::Alteration change;
  change.name = to;
  CO_RETURN_IF_ERROR(co_await deps_.store.alterCollection(
      collection->ref, std::move(change), auditEntry(access, "collection.rename", name, oneField("to", to))));
  co_return Result<>();
}

// Binds x-ref names of `referring` that mean `target` to its number, so that they follow its new name. Earlier versions
// let them be saved before `target` existed. Changes nothing visible.
Task<> Collections::bindReferences(const CollectionPtr& referring, const Collection& target) {
  CollectionConfig config = CollectionConfig::read(referring->info.config);
  bool changed = false;
  for (const auto& [saved, current] : referring->references) {
    if (current == target.name()) changed |= config.bind(saved, target.info.number);
  }
  if (!changed) co_return Result<>();
  store::Alteration change;
  change.config = config.write();
  CO_RETURN_IF_ERROR(co_await deps_.store.alterCollection(referring->ref, std::move(change), {}));
  co_return Result<>();
}

Task<> Collections::bindReferrers(const AdminAccess& access, const CollectionPtr& target) {
  for (CollectionReferrer* referrer : referrers_) CO_RETURN_IF_ERROR(co_await referrer->bind(access.project, target));
  co_return Result<>();
}

Task<> Collections::alter(AdminAccess access, std::string name, std::vector<std::string> actions, NewConfig newConfig) {
  co_return co_await whileStale(access, [&] { return alterOnce(access, name, actions, newConfig); });
}

Task<> Collections::alterOnce(const AdminAccess& access, const std::string& name,
                              const std::vector<std::string>& actions, const NewConfig& newConfig) {
  CO_TRY(const CollectionPtr collection, require(*access.project, name));
  store::Alteration change;
  CO_TRY(change.config, newConfig(*access.project, *collection));
  std::vector<store::Insert> entries;
  for (const std::string& action : actions) {
    std::ranges::move(auditEntry(access, action, name), std::back_inserter(entries));
  }
  const CollectionConfig config = CollectionConfig::read(*change.config);
  CO_RETURN_IF_ERROR(co_await deps_.store.alterCollection(collection->ref, std::move(change), std::move(entries)));
  holdPolicyFields(*collection, config.policy ? *config.policy : table(*access.project).defaultPolicySource);
  co_return Result<>();
}

void Collections::holdPolicyFields(const Collection& collection, doc::DocumentView policy) const {
  if (deps_.entryFields) {
    deps_.entryFields->holdFields(collection.ref.project, collection.ref.number, fieldsForPolicy(policy));
  }
}

}  // namespace mb::data
