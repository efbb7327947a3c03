#include "projects/restoring.h"

#include <algorithm>
#include <set>

#include "base/log.h"
#include "identity/email.h"
#include "identity/records.h"
#include "identity/user_types.h"
#include "projects/environment_rules.h"
#include "projects/membership_rules.h"
#include "projects/project_rules.h"
#include "projects/records.h"

namespace mb::projects {

namespace {

using DocumentsBefore = std::span<const std::optional<doc::Document>>;

constexpr uint64_t kRestorePage = 1000;

store::WriteOptions asServer(std::vector<store::ProjectNo> bumpEpochs) {
  return {std::chrono::steady_clock::now() + std::chrono::seconds(30),
          {"server", ""},
          store::Lane::normal,
          std::move(bumpEpochs)};
}

// A write that looks at nothing.
store::Judge just(std::vector<store::Change> changes) {
  return [changes = std::move(changes)](DocumentsBefore) mutable -> Result<std::vector<store::Change>> {
    return std::move(changes);
  };
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

Task<> Restoring::begin(RestoreWish wish) {
  wish_ = std::move(wish);
  record_ = wish_.record;
  formerStatus_ = record_.status == "suspended" ? "suspended" : "active";
  CO_CHECK(co_await settleIdentity());
  CO_CHECK(co_await settleOwners());
  CO_TRY(const store::ProjectNo number, co_await store_.allocateProject());
  record_.number = number;
  begun_ = true;
  co_return co_await putPlaceholder();
}

// An environment comes back to its root where that is live, and else as a root of its own.
Task<> Restoring::settleFamily() {
  // A root that may come back was deleted, so it had none.
  record_.environments.reset();
  if (!wish_.slug && record_.parentId.value && record_.environment.value) {
    CO_TRY(const auto stored, co_await store_.get(controlCollection(kProjects), record_.parentId.value->str()));
    CO_TRY(std::optional<ProjectRecord> root, fromStore<ProjectRecord>(stored));
    if (root && root->status != "deleted") {
      CO_CHECK(noteEnvironment(*root, record_.id, *record_.environment.value));
      root_ = static_cast<store::ProjectNo>(root->number);
      co_return Result<>();
    }
  }
  record_.parentId = {};
  record_.environment = {};
  co_return Result<>();
}

Task<> Restoring::settleIdentity() {
  if (wish_.slug) {
    if (slugFor(*wish_.slug, 0) != *wish_.slug) {
      co_return fail(ErrorCode::validation,
                     "a slug has lower-case letters, digits and single hyphens, at most 40 characters");
    }
    record_.slug = *wish_.slug;
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
  CO_TRY(const store::QueryResult taken, co_await store_.find(queryOf(kProjects, equals("slug", record_.slug), 0, 1)));
  if (!taken.documents.empty() && taken.documents.front().view().stringOr("id") != record_.id.str()) {
    co_return fail(ErrorCode::conflict, fmt::format("the slug {} is another project's", record_.slug));
  }
  co_return co_await settleFamily();
}

Task<std::optional<UserId>> Restoring::accountOf(std::string email) {
  for (const std::string& key : identity::storedEmailKeys(email)) {
    CO_TRY(const store::QueryResult found,
           co_await store_.find(queryOf(identity::kUsers, equals("emailKey", key), 0, 1)));
    if (found.documents.empty()) continue;
    CO_TRY(const auto user, fromStore<identity::UserRecord>(found.documents.front().view()));
    if (wish_.provenOnly && !user.emailVerified) co_return std::nullopt;
    co_return user.id;
  }
  co_return std::nullopt;
}

Task<> Restoring::settleOwners() {
  record_.owners.clear();
  if (!wish_.owner.empty()) {
    CO_TRY(const auto account, co_await accountOf(wish_.owner));
    if (!account) {
      co_return fail(ErrorCode::notFound, fmt::format("no account here has the address {}{}", wish_.owner,
                                                      wish_.provenOnly ? ", proven" : ""));
    }
    std::erase_if(wish_.members, [&](const BackedUpMember& member) {
      return identity::emailKey(member.email) == identity::emailKey(wish_.owner);
    });
    members_.emplace_back(*account, BackedUpMember{wish_.owner, std::string(kOwner), clock_.now()});
    record_.owners.push_back(account->str());
  }
  std::set<std::string> seen;
  std::string owners;
  for (const BackedUpMember& member : wish_.members) {
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
                    owners.empty() ? "none is known" : owners, wish_.provenOnly ? " whose address is proven" : ""));
  }
  CO_TRY(const store::QueryResult owned,
         co_await store_.find(queryOf(kOrganizations, equals("ownerId", record_.owners.front()), 0, 1)));
  if (owned.documents.empty()) co_return fail(ErrorCode::internal, "the owner's account has no organization");
  record_.organizationId = OrgId(std::string(owned.documents.front().view().stringOr("id")));
  co_return Result<>();
}

Task<> Restoring::putPlaceholder() {
  placeholder_ = ids_.next<ProjectTag>();
  std::vector<store::WriteTarget> targets;
  targets.push_back(target(kProjects, placeholder_.str()));
  std::vector<store::Change> changes;
  changes.push_back(store::Change::put(doc::encode(placeholderOf(record_, placeholder_, clock_.now()))));
  CO_CHECK(co_await store_.write(std::move(targets), just(std::move(changes)), asServer({})));
  co_return Result<>();
}

Task<> Restoring::removeOld(store::CollectionNo collection, std::vector<store::WriteTarget>& targets,
                            std::vector<store::Change>& changes) {
  for (uint64_t skip = 0; old_; skip += kRestorePage) {
    CO_TRY(const store::QueryResult found,
           co_await store_.find(queryOf(collection, equals("projectId", record_.id.str()), skip, kRestorePage)));
    for (const auto& document : found.documents) {
      targets.push_back(target(collection, std::string(document.view().stringOr("id"))));
      changes.push_back(store::Change::remove());
    }
    if (found.documents.size() < kRestorePage) break;
  }
  co_return Result<>();
}

// Each locks its address, as an inviter does, so that a registration meanwhile is not missed.
Task<> Restoring::addInvites(std::vector<store::WriteTarget>& targets, std::vector<store::Change>& changes) {
  invites_.clear();
  for (const BackedUpMember& member : invited_) {
    const std::string email = identity::emailKey(member.email);
    CO_TRY(const auto stored, co_await store_.get(controlCollection(kInvitedAddresses), email));
    CO_TRY(auto address, fromStore<InvitedAddress>(stored));
    if (!address) address = InvitedAddress{email, 0};
    ++address->revision;
    InviteRecord invite{ids_.next<MembershipTag>(),     record_.id,      record_.number, email, member.role,
                        UserId(record_.owners.front()), member.createdAt};
    invite.address = identity::lowerAscii(member.email);
    targets.push_back(target(kInvitedAddresses, email));
    changes.push_back(store::Change::put(doc::encode(*address)));
    targets.push_back(target(kInvites, invite.id.str()));
    changes.push_back(store::Change::put(doc::encode(invite)));
    invites_.push_back(invite);
  }
  co_return Result<>();
}

Task<store::JudgeOutcome> Restoring::commitAll() {
  std::vector<store::WriteTarget> targets;
  std::vector<store::Change> changes;
  targets.push_back(target(kProjects, record_.id.str()));
  changes.push_back(store::Change::put(doc::encode(record_)));
  targets.push_back(target(kProjects, placeholder_.str()));
  // From here on it stands for the data of the project that was deleted.
  changes.push_back(old_ ? store::Change::put(doc::encode(placeholderOf(*old_, placeholder_, {0})))
                         : store::Change::remove());
  if (root_) {
    targets.push_back(target(kProjects, record_.parentId.value->str()));
    changes.push_back(store::Change::keep());  // as the judge finds it
  }
  for (const auto& [user, member] : members_) {
    const MembershipRecord membership{ids_.next<MembershipTag>(), record_.id, user, member.role, member.createdAt};
    targets.push_back(target(kMemberships, membership.id.str()));
    changes.push_back(store::Change::put(doc::encode(membership)));
  }
  CO_CHECK(co_await removeOld(kMemberships, targets, changes));
  CO_CHECK(co_await removeOld(kInvites, targets, changes));
  CO_CHECK(co_await addInvites(targets, changes));
  doc::BsonWriter details;
  details.appendString("name", record_.name);
  details.appendString("from", wish_.record.id.str());
  for (auto& entry : auditor_.entry(number(), "project.restored", {"server", "", std::nullopt},
                                    "projects/" + record_.id.str(), "", "", details.finish())) {
    targets.push_back({entry.collection, std::string(entry.document.view().stringOr("id"))});
    changes.push_back(store::Change::put(std::move(entry.document)));
  }
  store::Judge judge =
      [this, changes = std::move(changes)](DocumentsBefore before) mutable -> Result<std::vector<store::Change>> {
    TRY(const auto there, fromStore<ProjectRecord>(before[0]));
    const bool same = there.has_value() == old_.has_value() &&
                      (!there || (there->status == "deleted" && there->number == old_->number));
    if (!same || !before[1]) return fail(ErrorCode::conflict, "the project was changed by others meanwhile");
    if (root_) {
      TRY(std::optional<ProjectRecord> root, fromStore<ProjectRecord>(before[2]));
      if (!root || root->status == "deleted") {
        return fail(ErrorCode::conflict, "its root project was deleted meanwhile");
      }
      CHECK(noteEnvironment(*root, record_.id, *record_.environment.value));
      changes[2] = store::Change::put(doc::encode(*root));
    }
    return std::move(changes);
  };
  std::vector<store::ProjectNo> bumped = {number()};
  if (root_) bumped.push_back(*root_);
  if (old_) bumped.push_back(static_cast<store::ProjectNo>(old_->number));
  co_return co_await store_.write(std::move(targets), std::move(judge), asServer(std::move(bumped)));
}

Task<RestoredProject> Restoring::publish() {
  record_.status = formerStatus_;
  record_.deletedAt.reset();
  CO_TRY(const store::JudgeOutcome outcome, co_await commitAll());
  if (!outcome.committed()) {
    co_return fail(ErrorCode::conflict, fmt::format("the slug {} was taken meanwhile", record_.slug));
  }
  begun_ = false;
  const RestoredProject restored{record_.id, record_.slug, members_.size(), invited_.size()};
  // The project is live whatever becomes of these.
  const Result<> joined = co_await joinLate();
  if (!joined) logWarn("an invite of a restored project stays pending", {{"reason", joined.error().message()}});
  const Result<> dropped = co_await dropOld();
  if (!dropped) logWarn("the data it replaces goes with the next purge", {{"reason", dropped.error().message()}});
  co_return restored;
}

// Whoever registered between the look at the accounts and the commit did not see the invite.
Task<> Restoring::joinLate() {
  for (const InviteRecord& invite : invites_) {
    CO_TRY(const auto account, co_await accountOf(invite.email));
    if (!account) continue;
    const MembershipRecord membership{invite.id, invite.projectId, *account, invite.role, invite.createdAt};
    std::vector<store::WriteTarget> targets;
    targets.push_back(target(kInvites, invite.id.str()));
    targets.push_back(target(kMemberships, membership.id.str()));
    targets.push_back(target(kProjects, invite.projectId.str()));
    store::Judge judge = [&](DocumentsBefore before) -> Result<std::vector<store::Change>> {
      TRY(auto project, fromStore<ProjectRecord>(before[2]));
      std::vector<store::Change> changes(3);
      if (!before[0] || !project) return changes;
      noteRole(*project, membership.userId, membership.role);
      changes[0] = store::Change::remove();
      changes[1] = store::Change::put(doc::encode(membership));
      changes[2] = store::Change::put(doc::encode(*project));
      return changes;
    };
    CO_CHECK(co_await store_.write(std::move(targets), std::move(judge), asServer({number()})));
  }
  co_return Result<>();
}

Task<> Restoring::dropOld() {
  if (!old_) co_return Result<>();
  const Result<> dropped = co_await store_.dropProject(static_cast<store::ProjectNo>(old_->number));
  if (!dropped && dropped.error().code() != ErrorCode::notFound) co_return fail(dropped.error().clone());
  std::vector<store::WriteTarget> targets;
  targets.push_back(target(kProjects, placeholder_.str()));
  std::vector<store::Change> changes;
  changes.push_back(store::Change::remove());
  CO_CHECK(co_await store_.write(std::move(targets), just(std::move(changes)), asServer({})));
  co_return Result<>();
}

Task<> Restoring::abandon() {
  if (!std::exchange(begun_, false)) co_return Result<>();
  CO_CHECK(co_await store_.dropProject(number()));
  std::vector<store::WriteTarget> targets;
  targets.push_back(target(kProjects, placeholder_.str()));
  std::vector<store::Change> changes;
  changes.push_back(store::Change::remove());
  CO_CHECK(co_await store_.write(std::move(targets), just(std::move(changes)), asServer({})));
  co_return Result<>();
}

}  // namespace mb::projects
