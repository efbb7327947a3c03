#include "projects/projects.h"

#include <algorithm>

#include "identity/audited_write.h"
#include "identity/project_settings.h"
#include "projects/environment_rules.h"
#include "projects/membership_context.h"
#include "projects/own_databases.h"
#include "projects/project_rules.h"
#include "store/retry.h"

namespace mb::projects {

namespace {

constexpr uint64_t kProjectsPage = 1000;

store::IndexSpec index(std::string name, std::vector<std::string> paths, bool unique = false) {
  store::IndexSpec spec;
  spec.name = std::move(name);
  for (auto& path : paths) spec.keys.push_back({std::move(path), 1});
  spec.unique = unique;
  return spec;
}

doc::Document named(std::string_view name) {
  doc::BsonWriter out;
  out.appendString("name", name);
  return out.finish();
}

}  // namespace

std::vector<store::SystemCollection> systemCollections() {
  return {{kOrganizations, "__organizations", {index("owner", {"ownerId"})}},
          {kProjects,
           "__projects",
           {index("slug", {"slug"}, true), index("number", {"number"}, true), index("status", {"status"}),
            index("organization", {"organizationId"})}},
          {.number = kMemberships,
           .name = "__memberships",
           .indexes = {index("member", {"projectId", "userId"}, true), index("user", {"userId"})},
           .projectField = "projectId"},
          {.number = kInvites,
           .name = "__invites",
           .indexes = {index("invite", {"projectId", "email"}, true), index("email", {"email"})},
           .projectField = "projectId"},
          {kInvitedAddresses, "__invited_addresses", {}},
          {kInstance, "__instance", {}},
          {kOperatorInvites, "__operator_invites", {}},
          {.number = kOwnDatabases,
           .name = "__own_databases",
           .indexes = {index(std::string(kIdentityIndex), {"identity"}, true)},
           .projectField = "id"}};
}

// ---- creating

Task<ProjectQuota> Projects::quotaOf(std::string userId) {
  CO_TRY(OrganizationRecord organization, co_await organizationOf(deps_.store, std::move(userId)));
  co_return co_await projectQuota(deps_.store, deps_.plans, std::move(organization));
}

struct Projects::Parts {
  ProjectRecord record;
  MembershipRecord owner;
  std::optional<OwnDatabaseRecord> database;
};

Task<bool> Projects::insert(By by, const Parts& parts, const ProjectQuota& quota) {
  const ProjectRecord& record = parts.record;
  const auto number = static_cast<store::ProjectNo>(record.number);
  doc::BsonWriter byo;
  byo.appendBool("byo", true);
  store::Write write = projectWrite(by, {number},
                                    auditOf(deps_, by.caller, number, "project.created", "projects/" + record.id.str(),
                                            parts.database ? byo.finish() : named(record.name)));
  write.insert(insertOf(kProjects, doc::encode(record)));
  write.insert(insertOf(kMemberships, doc::encode(parts.owner)));
  if (parts.database) {
    write.insert(insertOf(kOwnDatabases, doc::encode(*parts.database)));
    write.options.notices.push_back(databaseNotice(number, record.id));
  }
  const QuotaCharge charge(write, quota);
  store::WriteCallback callback;
  if (charge.isLimited()) {
    callback = [charge](const store::PreImages& before, store::Changes& changes) {
      return charge.apply(before, changes);
    };
  }
  const auto written = co_await deps_.store.write(std::move(write), std::move(callback));
  if (written) co_return true;
  const Violation* const violation = store::indexViolation(written.error());
  if (violation == nullptr) co_return fail(written.error().clone());
  if (violation->name == kIdentityIndex) co_return fail(databaseUsed());
  co_return false;
}

Task<ProjectView> Projects::tryCreate(By by, Parts parts, std::optional<ProjectQuota>& quota, int& slug) {
  if (!quota) {
    CO_TRY(quota, co_await quotaOf(by.caller.id));
  }
  const ProjectQuota counted = *std::exchange(quota, std::nullopt);
  for (; slug < kSlugTries; ++slug) {
    parts.record.slug = slugToTry(parts.record.name, slug);
    CO_TRY(const bool committed, co_await insert(by, parts, counted));
    if (committed) co_return viewOf(parts.record, parts.owner.role);
  }
  co_return fail(ErrorCode::unavailable, "no slug is free for this name: try again");
}

Task<ProjectView> Projects::create(By by, NewProject input) {
  if (input.mongoUrl) {
    if (own_ == nullptr) co_return fail(ErrorCode::forbidden, "this deployment takes no databases of projects' owners");
    CO_RETURN_IF_ERROR(own_->mayBring());
  }
  Parts parts;
  ProjectRecord& record = parts.record;
  CO_TRY(record.name, checkName(input.name));
  // Before a project number is taken.
  std::optional<ProjectQuota> quota;
  CO_TRY(quota, co_await quotaOf(by.caller.id));
  record.organizationId = quota->organization;
  std::optional<ReachedDatabase> reached;
  if (input.mongoUrl) {
    CO_TRY(reached, co_await own_->reach(by.caller.id, *input.mongoUrl));
    quota.reset();  // read again, as that takes its time
  }
  CO_TRY(const store::ProjectNo number, co_await deps_.store.allocateProject());
  record.number = number;
  record.id = deps_.ids.next<ProjectTag>();
  record.status = "active";
  record.owners = {by.caller.id};
  record.createdAt = deps_.clock.now();
  parts.owner = {deps_.ids.next<MembershipTag>(), record.id, UserId(by.caller.id), std::string(kOwner),
                 record.createdAt};
  if (reached) parts.database = own_->recordOf(record.id, number, *input.mongoUrl, *reached);
  int slug = 0;
  CO_TRY(ProjectView view, co_await store::retryWrite(kMaxQuotaAttempts, quotaContended(),
                                                      [&] { return tryCreate(by, parts, quota, slug); }));
  if (!parts.database) co_return view;
  own_->opened(*parts.database);
  std::vector<ProjectView> views = {std::move(view)};
  CO_RETURN_IF_ERROR(co_await describeOwnDatabases(deps_.store, views));
  co_return std::move(views.front());
}

// ---- reading

Task<std::vector<MembershipRecord>> Projects::membershipsOf(std::string userId) {
  std::vector<MembershipRecord> all;
  for (uint64_t skip = 0;; skip += kProjectsPage) {
    CO_TRY(
        const store::QueryResult found,
        co_await deps_.store.find(queryOf(kMemberships, doc::Filter::equals("userId", userId), skip, kProjectsPage)));
    CO_TRY(std::vector<MembershipRecord> page, fromStore<MembershipRecord>(found.documents));
    std::move(page.begin(), page.end(), std::back_inserter(all));
    if (found.documents.size() < kProjectsPage) co_return all;
  }
}

Task<std::vector<ProjectView>> Projects::list(By by) {
  CO_TRY(const std::vector<MembershipRecord> memberships, co_await membershipsOf(by.caller.id));
  std::vector<std::string> ids;
  for (const auto& membership : memberships) ids.push_back(membership.projectId.str());
  CO_TRY(const auto stored, co_await deps_.store.getMany(controlCollection(kProjects), std::move(ids)));
  std::vector<ProjectView> views;
  for (size_t i = 0; i < stored.size(); ++i) {
    if (!stored[i]) continue;
    CO_TRY(const ProjectRecord record, fromStore<ProjectRecord>(stored[i]->view()));
    if (record.status != "deleted") views.push_back(viewOf(record, memberships[i].role));
  }
  std::ranges::sort(views, {}, [](const ProjectView& view) { return view.id.str(); });
  CO_RETURN_IF_ERROR(co_await describeOwnDatabases(deps_.store, views));
  co_return views;
}

Task<ProjectView> Projects::detail(By by, std::string id) {
  CO_TRY(const MembershipContext context, co_await membershipContext(deps_, by, std::move(id)));
  std::vector<ProjectView> views = {viewOf(context.project->get(deps_.record), context.role)};
  CO_RETURN_IF_ERROR(co_await describeOwnDatabases(deps_.store, views));
  co_return std::move(views.front());
}

Task<AccountMemberships> Projects::accountMemberships(By by) {
  AccountMemberships out;
  CO_TRY(const store::QueryResult owned,
         co_await deps_.store.find(
             queryOf(kOrganizations, doc::Filter::equals("ownerId", by.caller.id), 0, kProjectsPage)));
  CO_TRY(const auto organizations, fromStore<OrganizationRecord>(owned.documents));
  for (const auto& o : organizations) out.organizations.push_back({o.id, o.name, o.personal});
  CO_TRY(const std::vector<MembershipRecord> memberships, co_await membershipsOf(by.caller.id));
  std::vector<std::string> ids;
  for (const auto& membership : memberships) ids.push_back(membership.projectId.str());
  CO_TRY(const auto stored, co_await deps_.store.getMany(controlCollection(kProjects), std::move(ids)));
  for (size_t i = 0; i < stored.size(); ++i) {
    if (!stored[i] || stored[i]->view().stringOr("status") == "deleted") continue;
    const auto& membership = memberships[i];
    out.memberships.push_back(
        {membership.id, membership.projectId, std::string(stored[i]->view().stringOr("name")), membership.role});
  }
  co_return out;
}

Task<ProjectToken> Projects::token(By by, std::string id) {
  CO_TRY(const MembershipContext context, co_await membershipContext(deps_, by, std::move(id)));
  if (context.project->info().status != snapshot::ProjectStatus::active) {
    co_return fail(ErrorCode::projectSuspended, "this project is suspended");
  }
  const auto& roles = context.project->get(deps_.slots.roles).member;
  const auto role = roles.find(context.role);
  // A deleted role grants nothing.
  static const policy::PermissionSet kNothing;
  const policy::PermissionSet& permissions = role == roles.end() ? kNothing : *role->second;
  co_return ProjectToken{deps_.tokens.mintMember(UserId(by.caller.id), SessionId(by.caller.sessionId), context.id(),
                                                 context.role, permissions),
                         identity::kAccessTokenSeconds};
}

// ---- changing

Task<std::optional<store::ProjectNo>> Projects::alter(By by, std::string id, std::string action, doc::Document details,
                                                      Mutation mutation) {
  CO_TRY(const MembershipContext context, co_await membershipContext(deps_, by, std::move(id)));
  store::Write write = projectWrite(by, {context.number()},
                                    auditOf(deps_, by.caller, context.number(), std::move(action),
                                            "projects/" + context.id().str(), std::move(details)));
  write.options.notices.push_back(databaseNotice(context.number(), context.id()));
  const store::Target project = write.change(target(kProjects, context.id().str()));
  const store::Target membership = write.hold(target(kMemberships, context.membershipId));
  CO_TRY(const bool changed, co_await store::writeReturning(
                                 deps_.store, std::move(write),
                                 [project, membership, &mutation = std::as_const(mutation)](
                                     const store::PreImages& before, store::Changes& changes) -> Result<bool> {
                                   TRY(std::optional<ProjectRecord> record, fromStore<ProjectRecord>(before[project]));
                                   TRY(const auto actor, fromStore<MembershipRecord>(before[membership]));
                                   RETURN_IF_ERROR(mayManage({record, actor}));
                                   if (!mutation(*record)) return false;
                                   changes.put(project, doc::encode(*record));
                                   return true;
                                 }));
  co_return changed ? std::optional(context.number()) : std::nullopt;
}

Task<> Projects::change(By by, std::string id, ProjectPatch patch, bool force) {
  // Only members get errors about their input.
  CO_TRY(const MembershipContext context, co_await membershipContext(deps_, by, id));
  CO_RETURN_IF_ERROR(checkPatch(patch));
  // Others are refused by the write, and learn nothing of what depends on claims.
  if (patch.settings && manages(context.role)) {
    CO_RETURN_IF_ERROR(co_await mayRemoveClaims(context.project, *patch.settings));
  }
  // The address is a secret: it is not among the details of the audit entry.
  const doc::Patch<std::string> address = std::exchange(patch.mongoUrl, {});
  if (address.state != doc::Patch<std::string>::State::absent) {
    if (own_ == nullptr) co_return fail(ErrorCode::conflict, "a project's kind cannot change");
    CO_RETURN_IF_ERROR(co_await own_->change(by, id, address, force ? Missing::allowed : Missing::refused));
    if (doc::encode(patch).view().empty()) co_return Result<>();
  }
  doc::Document details = doc::encode(patch);
  CO_RETURN_IF_ERROR(co_await alter(by, std::move(id), "project.changed", std::move(details),
                                    [&patch = std::as_const(patch)](ProjectRecord& record) {
                                      applyPatch(record, patch);
                                      return true;
                                    }));
  co_return Result<>();
}

Task<> Projects::mayRemoveClaims(snapshot::SnapshotPtr project, const SettingsPatch& patch) {
  if (!patch.tokenClaims) co_return Result<>();
  std::vector<std::string> removed = identity::tokenClaimsOf(project->info());
  const std::vector<std::string>& kept = *patch.tokenClaims;
  std::erase_if(removed, [&](const std::string& claim) { return std::ranges::find(kept, claim) != kept.end(); });
  if (removed.empty()) co_return Result<>();
  CO_TRY(const std::vector<ClaimUse> uses, co_await claimUses(std::move(project), std::move(removed)));
  if (uses.empty()) co_return Result<>();
  std::vector<ErrorDetail> details;
  for (const ClaimUse& use : uses) details.push_back({"/settings/tokenClaims", use.text});
  co_return fail(Error(ErrorCode::conflict, uses.front().text + ": change that first").withDetails(std::move(details)));
}

Task<std::vector<ClaimUse>> Projects::claimUses(snapshot::SnapshotPtr project, std::vector<std::string> claims) {
  std::vector<ClaimUse> uses;
  for (ClaimDependent* dependent : claimDependents_) {
    CO_TRY(std::vector<ClaimUse> found, co_await dependent->claimUses(project, claims));
    std::ranges::move(found, std::back_inserter(uses));
  }
  co_return uses;
}

Task<> Projects::configure(snapshot::SnapshotPtr project, SettingsPatch patch, policy::Caller by,
                           store::Deadline deadline) {
  ProjectPatch whole;
  whole.settings = std::move(patch);
  const std::string id = project->info().id.str();
  store::Write write = identity::auditedWrite(deps_.auditor, project->info().number, by, deadline,
                                              {"project.changed", "projects/" + id, doc::encode(whole)});
  const store::Target target = write.change(projects::target(kProjects, id));
  CO_RETURN_IF_ERROR(co_await deps_.store.write(
      std::move(write),
      [target, &whole = std::as_const(whole)](const store::PreImages& before, store::Changes& changes) -> Result<> {
        TRY(std::optional<ProjectRecord> record, fromStore<ProjectRecord>(before[target]));
        if (!record || record->status == "deleted") return fail(ErrorCode::notFound, "no such project");
        applyPatch(*record, whole);
        changes.put(target, doc::encode(*record));
        return {};
      }));
  co_return Result<>();
}

Task<> Projects::suspend(By by, std::string id) {
  CO_TRY(const std::optional<store::ProjectNo> changed,
         co_await alter(by, std::move(id), "project.suspended", {}, [](ProjectRecord& record) {
           return std::exchange(record.status, "suspended") != "suspended";
         }));
  if (changed && own_ != nullptr) own_->closed(*changed);
  if (changed) statusChanged_(*changed);
  co_return Result<>();
}

Task<> Projects::resume(By by, std::string id) {
  CO_TRY(const std::optional<store::ProjectNo> changed,
         co_await alter(by, id, "project.resumed", {}, [&clock = deps_.clock](ProjectRecord& record) {
           if (std::exchange(record.status, "active") == "active") return false;
           record.resumedAt = clock.now();
           return true;
         }));
  if (changed) statusChanged_(*changed);
  // Also where nothing has changed, since an earlier call may have failed here.
  if (own_ != nullptr) CO_RETURN_IF_ERROR(co_await own_->resumed(std::move(id)));
  co_return Result<>();
}

Task<> Projects::remove(By by, std::string id) {
  CO_TRY(const MembershipContext context, co_await membershipContext(deps_, by, std::move(id)));
  const ProjectRecord& known = context.project->get(deps_.record);
  store::Write write =
      projectWrite(by, {context.number()},
                   auditOf(deps_, by.caller, context.number(), "project.deleted", "projects/" + context.id().str()));
  write.options.notices.push_back(databaseNotice(context.number(), context.id()));
  const store::Target project = write.change(target(kProjects, context.id().str()));
  const store::Target membership = write.hold(target(kMemberships, context.membershipId));
  const store::Target database = write.change(target(kOwnDatabases, context.id().str()));
  std::optional<store::Target> parent;
  if (known.parentId.value) {
    parent = write.change(target(kProjects, known.parentId.value->str()));
    CO_TRY(const auto root, co_await deps_.snapshots.find(known.parentId.value->str()));
    if (root) {
      write.options.bumpEpochs.push_back(root->info().number);
      write.insert(auditOf(deps_, by.caller, root->info().number, "environment.deleted",
                           "environments/" + known.environment.value.value_or(""), named(known.name)));
    }
  }
  const auto callback = [project, membership, database, parent, now = deps_.clock.now()](
                            const store::PreImages& before, store::Changes& changes) -> Result<> {
    TRY(std::optional<ProjectRecord> record, fromStore<ProjectRecord>(before[project]));
    TRY(const auto actor, fromStore<MembershipRecord>(before[membership]));
    RETURN_IF_ERROR(mustOwn({record, actor}));
    RETURN_IF_ERROR(mayDelete(*record));
    record->status = "deleted";
    record->deletedAt = now;
    record->transfer.reset();
    changes.put(project, doc::encode(*record));
    TRY(std::optional<OwnDatabaseRecord> own, fromStore<OwnDatabaseRecord>(before[database]));
    if (own) {
      own->identity = unusedIdentity(record->id);
      changes.put(database, doc::encode(*own));
    }
    if (!parent) return {};
    TRY(std::optional<ProjectRecord> root, fromStore<ProjectRecord>(before[*parent]));
    if (root && forgetEnvironment(*root, record->id)) changes.put(*parent, doc::encode(*root));
    return {};
  };
  CO_RETURN_IF_ERROR(co_await deps_.store.write(std::move(write), callback));
  if (own_ != nullptr) own_->closed(context.number());
  statusChanged_(context.number());
  co_return Result<>();
}

}  // namespace mb::projects
