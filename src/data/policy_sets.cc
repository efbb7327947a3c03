#include "data/policy_sets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "data/data_deps.h"
#include "store/record_query.h"

namespace mb::data {
namespace {

std::unexpected<Error> invalid(std::string pointer, const std::string& message) {
  return fail(
      Error(ErrorCode::validation, fmt::format("{} {}", pointer, message)).withDetail(std::move(pointer), message));
}

bool names(const policy::Policy& policy, std::string_view set) {
  const std::vector<std::string> all = policy.sets();
  return std::ranges::find(all, set) != all.end();
}

}  // namespace

std::vector<std::string> usersOf(const CollectionTable& table, std::string_view set) {
  std::vector<std::string> users;
  if (table.defaultPolicy && names(*table.defaultPolicy, set)) users.emplace_back(kDefaultPolicyName);
  for (const std::string& name : table.names()) {
    const Collection& collection = **table.find(name);
    if (collection.policySource == PolicySource::own && collection.policy && names(*collection.policy, set)) {
      users.push_back(name);
    }
  }
  return users;
}

std::vector<store::IndexSpec> indexesOf(const store::CollectionInfo& collection) {
  std::vector<store::IndexSpec> specs;
  for (const store::IndexInfo& index : collection.indexes) specs.push_back(index.spec);
  return specs;
}

Result<policy::CallerSet> compilePolicySet(const PolicySet& set, const doc::Schema* schema) {
  RETURN_IF_ERROR(policy::checkSetName(set.name));
  std::vector<ErrorDetail> problems;
  auto compiled = policy::CallerSet::compile(set.where, set.value, schema, problems);
  if (problems.empty()) return compiled;
  std::string message = fmt::format("{}: {}", problems.front().path, problems.front().message);
  return fail(Error(ErrorCode::validation, std::move(message)).withDetails(std::move(problems)));
}

Result<> checkPolicySet(const PolicySet& set, const doc::Schema* schema, const std::vector<store::IndexSpec>& indexes) {
  TRY(const policy::CallerSet compiled, compilePolicySet(set, schema));
  const bool indexed = std::ranges::any_of(indexes, [&](const store::IndexSpec& index) {
    return !index.partialFilter && index.keys.front().path == compiled.callerPath();
  });
  if (indexed) return {};
  return invalid("/where", fmt::format("needs an index of \"{}\" that begins with \"{}\": create one with the keys "
                                       "{{\"{}\": 1}}",
                                       set.collection, compiled.callerPath(), compiled.callerPath()));
}

std::vector<PolicySet> PolicySets::list(const snapshot::ProjectSnapshot& project) const {
  std::vector<PolicySet> sets;
  const CollectionTable& all = table(project);
  for (const BoundSet& bound : all.sets) {
    const PolicySetRecord& record = bound.compiled->record;
    // A set that cannot be read shows the name that its collection had.
    sets.push_back(
        {record.id, bound.collection ? bound.collection->name() : record.collection, record.where, record.value});
  }
  return sets;
}

Task<> PolicySets::set(AdminAccess access, PolicySet set) {
  CO_RETURN_IF_ERROR(policy::checkSetName(set.name));
  CO_RETURN_IF_ERROR(co_await refresh(access));
  const CollectionPtr* collection = table(*access.project).find(set.collection);
  if (!collection) co_return invalid("/collection", "must name a collection of the project");
  store::CollectionInfo info = (*collection)->info;
  const doc::Schema* schema = (*collection)->schema.get();
  CO_RETURN_IF_ERROR(checkPolicySet(set, schema, indexesOf(info)));
  std::erase_if(info.indexes, [](const store::IndexInfo& index) { return !index.ready; });
  if (!checkPolicySet(set, schema, indexesOf(info))) {
    co_return fail(ErrorCode::unavailable,
                   fmt::format("the index of \"{}\" that the set needs is not ready: try again", set.collection));
  }
  const PolicySetRecord record{set.name, set.collection, (*collection)->info.number, set.where, set.value};
  co_return co_await save(access, "policySet.set", std::move(set.name), doc::encode(record));
}

Task<> PolicySets::remove(AdminAccess access, std::string name) {
  CO_RETURN_IF_ERROR(co_await refresh(access));
  const CollectionTable& all = table(*access.project);
  if (!all.findSet(name)) co_return fail(ErrorCode::notFound, "no such set");
  const std::vector<std::string> users = usersOf(all, name);
  if (!users.empty()) {
    co_return fail(ErrorCode::conflict,
                   fmt::format("the set is used by the policies of {}: change them first", fmt::join(users, ", ")));
  }
  for (const SetUser* user : users_) {
    const std::vector<std::string> others = user->usersOf(*access.project, name);
    if (others.empty()) continue;
    co_return fail(ErrorCode::conflict,
                   fmt::format("the set is used by the rules of {}: change them first", fmt::join(others, ", ")));
  }
  co_return co_await save(access, "policySet.delete", std::move(name), std::nullopt);
}

// An import has changed collections since the access was taken.
Task<> PolicySets::refresh(AdminAccess& access) const {
  CO_TRY(access.project, co_await deps_.snapshots.byNumber(access.project->info().number));
  if (!access.project) co_return fail(ErrorCode::notFound, "no such project");
  co_return Result<>();
}

Task<> PolicySets::save(const AdminAccess& access, std::string action, std::string name,
                        std::optional<doc::Document> record) {
  const store::ProjectNo project = access.project->info().number;
  const policy::Caller& caller = access.caller;
  audit::AuditActor actor{std::string(actorKind(caller.kind)), caller.id, std::nullopt};
  if (!caller.email.empty()) actor.email = caller.email;
  store::Write write(
      {.deadline = store::readDeadline(), .actor = {store::ActorKind::server, ""}, .bumpEpochs = {project}});
  const store::Target target = write.change(policySetCollection(project), name);
  write.insert(deps_.auditor.entry(project, std::move(action), std::move(actor), "policies/sets/" + name, caller.ip,
                                   caller.requestId));
  CO_RETURN_IF_ERROR(co_await deps_.store.write(
      std::move(write),
      [target, &record = std::as_const(record)](const store::PreImages& before, store::Changes& changes) -> Result<> {
        if (!record && !before[target]) return fail(ErrorCode::notFound, "no such set");
        if (record) {
          changes.put(target, *record);
        } else {
          changes.remove(target);
        }
        return {};
      }));
  co_return Result<>();
}

}  // namespace mb::data
