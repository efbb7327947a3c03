#include "projects/restoring.h"

#include <algorithm>
#include <set>

#include "base/log.h"
#include "base/text.h"
#include "identity/email.h"
#include "identity/records.h"
#include "identity/user_types.h"
#include "projects/environment_rules.h"
#include "projects/membership_rules.h"
#include "projects/own_databases.h"
#include "projects/project_rules.h"
#include "projects/records.h"
#include "store/retry.h"

namespace mb::projects {

namespace {

constexpr uint64_t kRestorePage = 1000;

store::WriteOptions asServer(std::vector<store::ProjectNo> bumpEpochs) {
  return {std::chrono::steady_clock::now() + std::chrono::seconds(30),
          {store::ActorKind::server, ""},
          store::WritePriority::normal,
          std::move(bumpEpochs)};
}

ProjectRecord placeholderOf(const ProjectRecord& record, const ProjectId& id, Timestamp deletedAt) {
  ProjectRecord placeholder = record;
  placeholder.id = id;
  placeholder.slug = "restoring-" + id.str();
  placeholder.status = "deleted";
  placeholder.parentId = {};
  placeholder.environment = {};
  placeholder.environments.reset();
  placeholder.deletedAt = deletedAt;
  return placeholder;
}

}  // namespace

Task<> Restoring::begin(RestoreOptions options) {
  options_ = std::move(options);
  record_ = options_.record;
  formerStatus_ = options_.moved || record_.status == "suspended" ? "suspended" : "active";
  CO_RETURN_IF_ERROR(co_await settleIdentity());
  CO_RETURN_IF_ERROR(co_await settleOwners());
  CO_RETURN_IF_ERROR(co_await quota());
  CO_TRY(const store::ProjectNo number, co_await store_.allocateProject());
  record_.number = number;
  begun_ = true;
  co_return co_await putPlaceholder();
}

void Restoring::bring(OwnDatabaseRecord database) {
  database.id = record_.id;
  database.identity = unusedIdentity(record_.id);
  brought_ = std::move(database);
}

// An environment is restored into its root where that is live, and else as a root of its own.
Task<> Restoring::settleFamily() {
  // A restored root was deleted, so it had no environments.
  record_.environments.reset();
  if (!options_.slug && record_.parentId.value && record_.environment.value) {
    CO_TRY(const auto stored, co_await store_.get(controlCollection(kProjects), record_.parentId.value->str()));
    CO_TRY(std::optional<ProjectRecord> root, fromStore<ProjectRecord>(stored));
    if (root && root->status != "deleted") {
      CO_RETURN_IF_ERROR(noteEnvironment(*root, record_.id, *record_.environment.value));
      root_ = static_cast<store::ProjectNo>(root->number);
      co_return Result<>();
    }
  }
  record_.parentId = {};
  record_.environment = {};
  co_return Result<>();
}

Task<> Restoring::settleIdentity() {
  if (options_.slug) {
    if (slugFor(*options_.slug, 0) != *options_.slug) {
      co_return fail(ErrorCode::validation,
                     "a slug must be lower-case letters, digits and single hyphens, at most 40 characters");
    }
    record_.slug = *options_.slug;
    record_.id = ids_.next<ProjectTag>();
  } else {
    CO_TRY(const auto stored, co_await store_.get(controlCollection(kProjects), record_.id.str()));
    CO_TRY(old_, fromStore<ProjectRecord>(stored));
    if (old_ && old_->status != "deleted") {
      co_return fail(ErrorCode::conflict,
                     fmt::format("the project {} ({}) is live here: delete it first, or restore it as a new project",
                                 old_->id.str(), old_->slug));
    }
  }
  CO_TRY(const store::QueryResult taken,
         co_await store_.find(queryOf(kProjects, doc::Filter::equals("slug", record_.slug), 0, 1)));
  if (!taken.documents.empty() && taken.documents.front().view().stringOr("id") != record_.id.str()) {
    co_return fail(ErrorCode::conflict, fmt::format("the slug {} is another project's", record_.slug));
  }
  co_return co_await settleFamily();
}

Task<std::optional<UserId>> Restoring::accountOf(std::string email) {
  for (const std::string& key : identity::storedEmailKeys(email)) {
    CO_TRY(const store::QueryResult found,
           co_await store_.find(queryOf(identity::kUsers, doc::Filter::equals("emailKey", key), 0, 1)));
    if (found.documents.empty()) continue;
    CO_TRY(const auto user, fromStore<identity::UserRecord>(found.documents.front().view()));
    if (options_.verifiedOnly && !user.emailVerified) co_return std::nullopt;
    co_return user.id;
  }
  co_return std::nullopt;
}

Task<> Restoring::settleOwners() {
  record_.owners.clear();
  record_.transfer.reset();
  if (!options_.owner.empty()) {
    CO_TRY(const auto account, co_await accountOf(options_.owner));
    if (!account) {
      co_return fail(ErrorCode::notFound, fmt::format("no account here has the address {}{}", options_.owner,
                                                      options_.verifiedOnly ? ", verified" : ""));
    }
    std::erase_if(options_.members, [&](const BackedUpMember& member) {
      return identity::emailKey(member.email) == identity::emailKey(options_.owner);
    });
    members_.emplace_back(*account, BackedUpMember{options_.owner, std::string(kOwner), clock_.now()});
    record_.owners.push_back(account->str());
  }
  std::set<std::string> seen;
  std::string owners;
  for (const BackedUpMember& member : options_.members) {
    if (!seen.insert(identity::emailKey(member.email)).second) continue;
    if (member.role == kOwner) owners += (owners.empty() ? "" : ", ") + member.email;
    CO_TRY(const auto account, co_await accountOf(member.email));
    if (!account) {
      invited_.push_back(member);
      continue;
    }
    noteRole(record_, *account, member.role);
    members_.emplace_back(*account, member);
  }
  if (record_.owners.empty()) {
    co_return fail(
        ErrorCode::conflict,
        fmt::format("no owner of the project ({}) has an account here{}: register it, or name another "
                    "account with --owner",
                    owners.empty() ? "unknown" : owners, options_.verifiedOnly ? " with a verified address" : ""));
  }
  CO_TRY(const OrganizationRecord organization, co_await organizationOf(store_, record_.owners.front()));
  record_.organizationId = organization.id;
  if (options_.slug) co_return Result<>();
  // Under its own id it stays with the user who paid for it, where that user is still an Owner.
  const OrgId& former = (old_ ? *old_ : options_.record).organizationId;
  CO_TRY(const auto stored, co_await store_.get(controlCollection(kOrganizations), former.str()));
  CO_TRY(const auto payer, fromStore<OrganizationRecord>(stored));
  const bool owns = payer && std::ranges::find(record_.owners, payer->ownerId.str()) != record_.owners.end();
  if (owns) record_.organizationId = payer->id;
  co_return Result<>();
}

Task<ProjectQuota> Restoring::quota() {
  const bool isNew = options_.slug || (options_.moved && !old_);
  if (!isNew || plans_ == nullptr) co_return ProjectQuota();
  CO_TRY(OrganizationRecord organization, co_await organizationOf(store_, record_.owners.front()));
  co_return co_await projectQuota(store_, plans_, std::move(organization));
}

Task<> Restoring::putPlaceholder() {
  placeholder_ = ids_.next<ProjectTag>();
  store::Write write(asServer({}));
  write.insert(insertOf(kProjects, doc::encode(placeholderOf(record_, placeholder_, clock_.now()))));
  CO_RETURN_IF_ERROR(co_await store_.write(std::move(write), nullptr));
  co_return Result<>();
}

Task<> Restoring::removePlaceholder() {
  store::Write write(asServer({}));
  const store::Target placeholder = write.change(target(kProjects, placeholder_.str()));
  CO_RETURN_IF_ERROR(co_await store_.write(std::move(write), store::removing({placeholder})));
  co_return Result<>();
}

Task<> Restoring::addOld(store::CollectionNo collection, store::Write& write, std::vector<store::Target>& old) {
  for (uint64_t skip = 0; old_; skip += kRestorePage) {
    CO_TRY(const store::QueryResult found,
           co_await store_.find(
               queryOf(collection, doc::Filter::equals("projectId", record_.id.str()), skip, kRestorePage)));
    for (const auto& document : found.documents) {
      old.push_back(write.change(target(collection, std::string(document.view().stringOr("id")))));
    }
    if (found.documents.size() < kRestorePage) break;
  }
  co_return Result<>();
}

// Locks the address of each invite, as an invitation does, so that a concurrent registration does not miss it.
std::vector<store::Target> Restoring::addInvites(store::Write& write) {
  invites_.clear();
  std::vector<store::Target> addresses;
  for (const BackedUpMember& member : invited_) {
    InviteRecord invite{
        ids_.next<MembershipTag>(),     record_.id,      record_.number, identity::emailKey(member.email), member.role,
        UserId(record_.owners.front()), member.createdAt};
    invite.address = lowerAscii(member.email);
    addresses.push_back(write.change(target(kInvitedAddresses, invite.email)));
    write.insert(insertOf(kInvites, doc::encode(invite)));
    invites_.push_back(std::move(invite));
  }
  return addresses;
}

struct Restoring::Targets {
  store::Target project;
  store::Target placeholder;
  store::Target database;                // of the project's owner
  std::optional<store::Target> root;     // where it is an environment that is restored into it
  std::vector<store::Target> old;        // memberships and invites of the deleted project
  std::vector<store::Target> addresses;  // of invites_, in its order
  QuotaCharge charge;
};

Result<> Restoring::apply(const Targets& targets, const store::PreImages& before, store::Changes& changes) const {
  TRY(const auto there, fromStore<ProjectRecord>(before[targets.project]));
  const bool same = there.has_value() == old_.has_value() &&
                    (!there || (there->status == "deleted" && there->number == old_->number));
  if (!same || !before[targets.placeholder]) {
    return fail(ErrorCode::conflict, "the project was changed during the restore: try again");
  }
  RETURN_IF_ERROR(targets.charge.apply(before, changes));
  ProjectRecord record = record_;
  if (targets.root) {
    TRY(std::optional<ProjectRecord> root, fromStore<ProjectRecord>(before[*targets.root]));
    if (!root || root->status == "deleted") {
      return fail(ErrorCode::conflict, "its root project was deleted during the restore: try again");
    }
    RETURN_IF_ERROR(noteEnvironment(*root, record_.id, *record_.environment.value));
    record.organizationId = root->organizationId;
    changes.put(*targets.root, doc::encode(*root));
  }
  changes.put(targets.project, doc::encode(record));
  // From here on the placeholder names the data of the deleted project.
  if (old_) {
    changes.put(targets.placeholder, doc::encode(placeholderOf(*old_, placeholder_, {0})));
  } else {
    changes.remove(targets.placeholder);
  }
  TRY(std::optional<OwnDatabaseRecord> database, fromStore<OwnDatabaseRecord>(before[targets.database]));
  if (brought_ && (!database || options_.moved)) database = brought_;
  if (database) {
    database->number = record.number;
    changes.put(targets.database, doc::encode(*database));
  }
  for (const store::Target& old : targets.old) changes.remove(old);
  for (size_t i = 0; i < invites_.size(); ++i) {
    RETURN_IF_ERROR(countInvite(targets.addresses[i], invites_[i].email, before, changes));
  }
  return {};
}

Task<> Restoring::commitAll() {
  CO_TRY(const ProjectQuota allowed, co_await quota());
  std::vector<store::ProjectNo> bumped = {number()};
  if (root_) bumped.push_back(*root_);
  if (old_) bumped.push_back(static_cast<store::ProjectNo>(old_->number));
  store::Write write(asServer(std::move(bumped)));
  write.options.notices.push_back(databaseNotice(number(), record_.id));
  Targets targets{write.change(target(kProjects, record_.id.str())),
                  write.change(target(kProjects, placeholder_.str())),
                  write.change(target(kOwnDatabases, record_.id.str())),
                  {},
                  {},
                  {},
                  QuotaCharge(write, allowed)};
  if (root_) targets.root = write.change(target(kProjects, record_.parentId.value->str()));
  for (const auto& [user, member] : members_) {
    const MembershipRecord membership{ids_.next<MembershipTag>(), record_.id, user, member.role, member.createdAt};
    write.insert(insertOf(kMemberships, doc::encode(membership)));
  }
  CO_RETURN_IF_ERROR(co_await addOld(kMemberships, write, targets.old));
  CO_RETURN_IF_ERROR(co_await addOld(kInvites, write, targets.old));
  targets.addresses = addInvites(write);
  doc::BsonWriter details;
  details.appendString("name", record_.name);
  details.appendString("from", options_.record.id.str());
  write.insert(auditor_.entry(number(), "project.restored", {"server", "", std::nullopt},
                              "projects/" + record_.id.str(), "", "", details.finish()));
  const auto callback = [&self = std::as_const(*this), &targets = std::as_const(targets)](
                            const store::PreImages& before, store::Changes& changes) {
    return self.apply(targets, before, changes);
  };
  CO_RETURN_IF_ERROR(co_await store_.write(std::move(write), callback));
  co_return Result<>();
}

Task<RestoredProject> Restoring::publish() {
  record_.status = formerStatus_;
  record_.deletedAt.reset();
  const Result<> committed =
      co_await store::retryWrite(kMaxQuotaAttempts, quotaContended(), [this] { return commitAll(); });
  if (!committed && store::indexViolation(committed.error())) {
    co_return fail(ErrorCode::conflict, fmt::format("the slug {} was taken during the restore", record_.slug));
  }
  if (!committed) co_return fail(committed.error().clone());
  begun_ = false;
  const RestoredProject restored{record_.id, record_.slug, members_.size(), invited_.size()};
  // The project is live even if the following steps fail.
  const Result<> joined = co_await joinLate();
  if (!joined) logWarn("invite of a restored project stays pending", {{"reason", joined.error().message()}});
  const Result<> dropped = co_await dropOld();
  if (!dropped) {
    logWarn("replaced data of a restored project not dropped; the next purge removes it",
            {{"reason", dropped.error().message()}});
  }
  co_return restored;
}

// An account that registered between the lookup of the accounts and the commit did not see its invite.
Task<> Restoring::joinLate() {
  for (const InviteRecord& invite : invites_) {
    CO_TRY(const auto account, co_await accountOf(invite.email));
    if (!account) continue;
    const MembershipRecord membership{invite.id, invite.projectId, *account, invite.role, invite.createdAt};
    store::Write write(asServer({number()}));
    const store::Target taken = write.change(target(kInvites, invite.id.str()));
    const store::Target joined = write.change(target(kMemberships, membership.id.str()));
    const store::Target changed = write.change(target(kProjects, invite.projectId.str()));
    const auto callback = [taken, joined, changed, &membership = std::as_const(membership)](
                              const store::PreImages& before, store::Changes& changes) -> Result<> {
      TRY(auto project, fromStore<ProjectRecord>(before[changed]));
      if (!before[taken] || !project) return {};
      noteRole(*project, membership.userId, membership.role);
      changes.remove(taken);
      changes.put(joined, doc::encode(membership));
      changes.put(changed, doc::encode(*project));
      return {};
    };
    const auto written = co_await store_.write(std::move(write), callback);
    // The account is a member already; the addition that made it one removes the invite.
    if (!written && !store::indexViolation(written.error())) co_return fail(written.error().clone());
  }
  co_return Result<>();
}

Task<> Restoring::dropOld() {
  if (!old_) co_return Result<>();
  const Result<> dropped = co_await store_.dropProject(static_cast<store::ProjectNo>(old_->number));
  if (!dropped && dropped.error().code() != ErrorCode::notFound) co_return fail(dropped.error().clone());
  co_return co_await removePlaceholder();
}

Task<> Restoring::abandon() {
  if (!std::exchange(begun_, false)) co_return Result<>();
  CO_RETURN_IF_ERROR(co_await store_.dropProject(number()));
  co_return co_await removePlaceholder();
}

}  // namespace mb::projects
