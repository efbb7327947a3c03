#include "projects/members.h"

#include "base/text.h"
#include "identity/records.h"
#include "identity/role_grant.h"
#include "projects/membership_context.h"
#include "projects/membership_mail.h"
#include "projects/payer.h"
#include "store/retry.h"

namespace mb::projects {

namespace {

constexpr int kMaxMemberAttempts = 3;

doc::Document details(std::string_view email, std::string_view role) {
  doc::BsonWriter out;
  if (!email.empty()) out.appendString("email", email);
  if (!role.empty()) out.appendString("role", role);
  return out.finish();
}

MemberView activeView(const MembershipRecord& membership, const identity::UserRecord& user) {
  return {membership.id, {membership.userId}, user.email, user.name, membership.role, "active", membership.createdAt};
}

struct MemberSnapshot {
  std::optional<ProjectRecord> project;
  std::optional<MembershipRecord> actor;
  std::optional<MembershipRecord> member;
};

// The documents of a write that changes one member: the project, the member and the caller's membership, which may be
// the member's own.
class MemberTargets {
 public:
  MemberTargets(store::Write& write, const MembershipContext& context, const std::string& membershipId)
      : project(write.change(target(kProjects, context.id().str()))),
        member(write.change(target(kMemberships, membershipId))),
        actor_(write.hold(target(kMemberships, context.membershipId))) {}

  Result<MemberSnapshot> read(const store::PreImages& before) const {
    MemberSnapshot out;
    TRY(out.project, fromStore<ProjectRecord>(before[project]));
    TRY(out.actor, fromStore<MembershipRecord>(before[actor_]));
    TRY(out.member, fromStore<MembershipRecord>(before[member]));
    return out;
  }

  const store::Target project;
  const store::Target member;

 private:
  const store::Target actor_;
};

// The projects whose plan or members the write changes.
std::vector<store::ProjectNo> epochsOf(const MembershipContext& context, const std::optional<Family>& paid) {
  std::vector<store::ProjectNo> epochs = paid ? paid->numbers : std::vector<store::ProjectNo>();
  epochs.push_back(context.number());
  return epochs;
}

Error familyContended() {
  return Error(ErrorCode::conflict, "environments of this project are being created or deleted: try again");
}

Error noSuchRole() {
  const std::string problem = "is not a role of this project";
  return Error(ErrorCode::validation, "/role " + problem).withDetail("/role", problem);
}

// The role that a write assigns. The record of a custom one is a document of the write (identity/role_grant.h).
class RoleAssignment {
 public:
  // `own` is what the caller holds; it outlives this.
  RoleAssignment(store::Write& write, store::ProjectNo project, const std::string& role,
                 const policy::PermissionSet& own)
      : role_(role), own_(own) {
    auto record = identity::roleTarget(project, identity::RoleKind::member, role);
    if (record) custom_ = write.change(*std::move(record));
  }
  // In the write callback. Fails with validation where the role was deleted.
  Result<> apply(const store::PreImages& before, store::Changes& changes) const {
    if (!custom_) return {};
    TRY(std::optional<store::Change> granted, identity::grantRole(before[*custom_], role_, own_));
    if (!granted) return fail(noSuchRole());
    changes.set(*custom_, *std::move(granted));
    return {};
  }

 private:
  const std::string role_;
  const policy::PermissionSet& own_;
  std::optional<store::Target> custom_;
};

}  // namespace

// ---- listing

Task<std::vector<MemberView>> Members::list(By by, std::string project) {
  CO_TRY(const MembershipContext context, co_await membershipContext(deps_, by, std::move(project)));
  constexpr uint64_t kPage = 1000;
  std::vector<MemberView> views;
  for (uint64_t skip = 0;; skip += kPage) {
    CO_TRY(const store::QueryResult found,
           co_await deps_.store.find(
               queryOf(kMemberships, doc::Filter::equals("projectId", context.id().str()), skip, kPage)));
    CO_TRY(const auto memberships, fromStore<MembershipRecord>(found.documents));
    std::vector<UserId> ids;
    for (const auto& membership : memberships) ids.push_back(membership.userId);
    CO_TRY(const auto users, co_await deps_.users.getMany(identity::Realm::platform(), std::move(ids)));
    for (size_t i = 0; i < memberships.size(); ++i) {
      if (users[i]) views.push_back(activeView(memberships[i], *users[i]));
    }
    if (found.documents.size() < kPage) break;
  }
  for (uint64_t skip = 0;; skip += kPage) {
    CO_TRY(const store::QueryResult found,
           co_await deps_.store.find(
               queryOf(kInvites, doc::Filter::equals("projectId", context.id().str()), skip, kPage)));
    CO_TRY(const auto invites, fromStore<InviteRecord>(found.documents));
    for (const auto& i : invites) views.push_back({i.id, {}, i.given(), {}, i.role, "pending", i.createdAt});
    if (found.documents.size() < kPage) break;
  }
  co_return views;
}

// ---- adding

const policy::PermissionSet& Members::heldBy(const MembershipContext& context) const {
  static const policy::PermissionSet kNothing;
  const auto& roles = context.project->get(deps_.slots.roles).member;
  const auto own = roles.find(context.role);
  return own == roles.end() ? kNothing : *own->second;
}

Result<> Members::mayAssign(const MembershipContext& context, const std::string& role) const {
  if (!manages(context.role)) return fail(ErrorCode::forbidden, "this needs the role Owner or Admin");
  const auto& roles = context.project->get(deps_.slots.roles).member;
  const auto given = roles.find(role);
  if (given == roles.end()) {
    return fail(noSuchRole());
  }
  if (role == kOwner && context.role != kOwner) {
    return fail(ErrorCode::forbidden, "only an Owner may grant or revoke Owner");
  }
  if (!heldBy(context).includes(*given->second)) {
    return fail(ErrorCode::forbidden, "this role holds permissions that you do not hold");
  }
  return {};
}

Task<MemberView> Members::add(By by, std::string project, NewMember input) {
  CO_TRY(const MembershipContext context, co_await membershipContext(deps_, by, std::move(project)));
  CO_RETURN_IF_ERROR(mayAssign(context, input.role));
  CO_TRY(const identity::Email email, identity::parseEmail(input.email));

  const bool mailed = mails_.begin(email.key).has_value();
  co_return co_await store::retryWrite(
      kMaxMemberAttempts,
      Error(ErrorCode::conflict, "this address is being invited or registered at the same time: try again"),
      [&] { return tryAdd(by, context, input.role, email, mailed); });
}

Task<MemberView> Members::tryAdd(By by, const MembershipContext& context, std::string role, identity::Email email,
                                 bool mailed) {
  CO_TRY(auto user, co_await deps_.users.byEmail(identity::Realm::platform(), email.text));
  if (user && mayJoin(deps_, *user)) {
    co_return co_await addActive(by, context, std::move(role), *std::move(user));
  }
  CO_TRY(const MemberView pending, co_await invite(by, context, role, email, mailed));
  // An account that registered or verified the address since then did not see the invite.
  CO_TRY(user, co_await deps_.users.byEmail(identity::Realm::platform(), email.text));
  if (!user) co_return pending;
  if (mayJoin(deps_, *user)) {
    co_return co_await addActive(by, context, std::move(role), *std::move(user));
  }
  CO_RETURN_IF_ERROR(
      co_await deps_.links.mailLink(identity::Realm::platform(), identity::LinkPurpose::verifyEmail, email.text));
  co_return pending;
}

Task<MemberView> Members::addActive(By by, const MembershipContext& context, std::string role,
                                    identity::UserRecord user) {
  MembershipRecord membership{deps_.ids.next<MembershipTag>(), context.id(), user.id, std::move(role),
                              deps_.clock.now()};
  auto inserts = auditOf(deps_, by.caller, context.number(), "member.added", "members/" + user.id.str(),
                         details(user.email, membership.role));
  MembershipMail mail(deps_, by.caller, context);
  if (mails_.begin(user.emailKey)) mail.granted(user.email, membership.role, inserts);
  CO_TRY(const std::optional<Family> paid, co_await planChangesWith(context, user.id.str()));
  store::Write write = projectWrite(by, epochsOf(context, paid), std::move(inserts));
  const MemberTargets targets(write, context, membership.id.str());
  const RoleAssignment assignment(write, context.number(), membership.role, heldBy(context));
  const auto callback = [targets, assignment, &paid = std::as_const(paid), &membership = std::as_const(membership)](
                            const store::PreImages& before, store::Changes& changes) -> Result<> {
    TRY(MemberSnapshot now, targets.read(before));
    RETURN_IF_ERROR(mayGrant({now.project, now.actor}, membership.role));
    if (paid) RETURN_IF_ERROR(checkFamily(*paid, *now.project));
    noteRole(*now.project, membership.userId, membership.role);
    changes.put(targets.project, doc::encode(*now.project));
    changes.put(targets.member, doc::encode(membership));
    return assignment.apply(before, changes);
  };
  const auto written = co_await deps_.store.write(std::move(write), callback);
  if (!written && !store::indexViolation(written.error())) co_return fail(written.error().clone());
  // Also where the user is a member already: an invite may have been created while they accepted another.
  CO_TRY(auto left, co_await findInvite(context.id(), user.email));
  if (left) CO_RETURN_IF_ERROR(co_await removeInvite(by, context, *std::move(left), "member.inviteUsed"));
  if (!written) co_return fail(ErrorCode::conflict, "this user is a member already");
  mail.wake();
  co_return activeView(membership, user);
}

Task<std::optional<InviteRecord>> Members::findInvite(ProjectId project, std::string email) {
  for (const std::string& key : identity::storedEmailKeys(email)) {
    doc::Filter filter =
        doc::Filter::both(doc::Filter::equals("projectId", project.str()), doc::Filter::equals("email", key));
    CO_TRY(const store::QueryResult found, co_await deps_.store.find(queryOf(kInvites, std::move(filter), 0, 1)));
    if (!found.documents.empty()) co_return fromStore<InviteRecord>(found.documents.front().view());
  }
  co_return std::nullopt;
}

Task<MemberView> Members::invite(By by, const MembershipContext& context, std::string role, identity::Email address,
                                 bool mailed) {
  const std::string& email = address.key;
  CO_TRY(const auto existing, co_await findInvite(context.id(), email));
  if (!existing) {
    CO_TRY(const uint64_t pending,
           co_await deps_.store.count(controlCollection(kInvites), doc::Filter::equals("email", email), by.deadline));
    if (pending >= kInvitesPerAddress) {
      co_return fail(ErrorCode::conflict, "this address has too many pending invites");
    }
  }
  InviteRecord invite{existing ? existing->id : deps_.ids.next<MembershipTag>(),
                      context.id(),
                      static_cast<int64_t>(context.number()),
                      email,
                      role,
                      UserId(by.caller.id),
                      existing ? existing->createdAt : deps_.clock.now()};
  invite.address = lowerAscii(address.text);
  auto inserts =
      auditOf(deps_, by.caller, context.number(), "member.invited", "members/pending/" + email, details(email, role));
  MembershipMail mail(deps_, by.caller, context);
  if (mailed) mail.invited(invite, inserts);
  store::Write write = projectWrite(by, {context.number()}, std::move(inserts));
  const store::Target project = write.hold(target(kProjects, context.id().str()));
  const store::Target membership = write.hold(target(kMemberships, context.membershipId));
  const store::Target addressed = write.change(target(kInvitedAddresses, email));
  const store::Target invited = write.change(target(kInvites, invite.id.str()));
  const RoleAssignment assignment(write, context.number(), role, heldBy(context));
  const auto callback = [project, membership, addressed, invited, assignment, renews = existing.has_value(),
                         &invite = std::as_const(invite)](const store::PreImages& before,
                                                          store::Changes& changes) -> Result<> {
    TRY(const auto record, fromStore<ProjectRecord>(before[project]));
    TRY(const auto actor, fromStore<MembershipRecord>(before[membership]));
    TRY(const auto earlier, fromStore<InviteRecord>(before[invited]));
    if (renews && !earlier) return fail(ErrorCode::retry, "the invite was used or cancelled since");
    RETURN_IF_ERROR(mayGrant({record, actor}, invite.role));
    if (earlier && earlier->role == kOwner) RETURN_IF_ERROR(mustOwn({record, actor}));
    InviteRecord next = invite;
    if (earlier) keepLink(next, *earlier);
    RETURN_IF_ERROR(countInvite(addressed, invite.email, before, changes));
    changes.put(invited, doc::encode(next));
    return assignment.apply(before, changes);
  };
  const auto written = co_await deps_.store.write(std::move(write), callback);
  if (!written) {
    // Another caller invited the address at the same time: that invite is renewed.
    if (store::indexViolation(written.error())) co_return fail(ErrorCode::retry, "the address was invited since");
    co_return fail(written.error().clone());
  }
  mail.wake();
  co_return MemberView{invite.id, {}, invite.given(), {}, role, "pending", invite.createdAt};
}

// ---- changing and removing

Task<std::optional<Family>> Members::planChangesWith(const MembershipContext& context, std::string userId) {
  if (deps_.plans == nullptr) co_return std::nullopt;
  co_return co_await paidEnvironments(deps_.store, context.id(), std::move(userId));
}

Task<> Members::changeRole(By by, std::string project, std::string userId, std::string role) {
  CO_TRY(const MembershipContext context, co_await membershipContext(deps_, by, std::move(project)));
  CO_RETURN_IF_ERROR(mayAssign(context, role));
  const auto& members = context.project->get(deps_.slots.members).byUser;
  const auto found = members.find(userId);
  if (found == members.end()) co_return fail(ErrorCode::notFound, "no such member");
  co_return co_await store::retryWrite(kMaxMemberAttempts, familyContended(), [&] {
    return tryChangeRole(by, context, found->second.membershipId, userId, role);
  });
}

Task<> Members::tryChangeRole(By by, const MembershipContext& context, std::string membershipId, std::string userId,
                              std::string role) {
  CO_TRY(const std::optional<Family> paid, co_await planChangesWith(context, userId));
  store::Write write = projectWrite(
      by, epochsOf(context, paid),
      auditOf(deps_, by.caller, context.number(), "member.changed", "members/" + userId, details("", role)));
  const MemberTargets targets(write, context, membershipId);
  const RoleAssignment assignment(write, context.number(), role, heldBy(context));
  const auto callback = [targets, assignment, role, &paid = std::as_const(paid)](const store::PreImages& before,
                                                                                 store::Changes& changes) -> Result<> {
    TRY(MemberSnapshot now, targets.read(before));
    RETURN_IF_ERROR(mayChangeRole({now.project, now.actor}, now.member, role));
    if (paid) RETURN_IF_ERROR(checkFamily(*paid, *now.project));
    now.member->role = role;
    noteRole(*now.project, now.member->userId, role);
    changes.put(targets.project, doc::encode(*now.project));
    changes.put(targets.member, doc::encode(*now.member));
    return assignment.apply(before, changes);
  };
  CO_RETURN_IF_ERROR(co_await deps_.store.write(std::move(write), callback));
  co_return Result<>();
}

Task<> Members::remove(By by, std::string project, std::string userId) {
  CO_TRY(const MembershipContext context, co_await membershipContext(deps_, by, std::move(project)));
  if (!manages(context.role)) co_return fail(ErrorCode::forbidden, "this needs the role Owner or Admin");
  const auto& members = context.project->get(deps_.slots.members).byUser;
  const auto found = members.find(userId);
  if (found == members.end()) co_return fail(ErrorCode::notFound, "no such member");
  co_return co_await store::retryWrite(kMaxMemberAttempts, familyContended(),
                                       [&] { return tryRemove(by, context, found->second.membershipId, userId); });
}

Task<> Members::tryRemove(By by, const MembershipContext& context, std::string membershipId, std::string userId) {
  CO_TRY(const std::optional<Family> paid, co_await planChangesWith(context, userId));
  store::Write write = projectWrite(by, epochsOf(context, paid),
                                    auditOf(deps_, by.caller, context.number(), "member.removed", "members/" + userId));
  const MemberTargets targets(write, context, membershipId);
  const auto callback = [targets, &paid = std::as_const(paid)](const store::PreImages& before,
                                                               store::Changes& changes) -> Result<> {
    TRY(MemberSnapshot now, targets.read(before));
    RETURN_IF_ERROR(mayRemove({now.project, now.actor}, now.member));
    if (paid) RETURN_IF_ERROR(checkFamily(*paid, *now.project));
    noteRole(*now.project, now.member->userId, std::nullopt);
    changes.put(targets.project, doc::encode(*now.project));
    changes.remove(targets.member);
    return {};
  };
  CO_RETURN_IF_ERROR(co_await deps_.store.write(std::move(write), callback));
  co_return Result<>();
}

Task<> Members::cancelInvite(By by, std::string project, std::string email) {
  CO_TRY(const MembershipContext context, co_await membershipContext(deps_, by, std::move(project)));
  if (!manages(context.role)) co_return fail(ErrorCode::forbidden, "this needs the role Owner or Admin");
  CO_TRY(auto invite, co_await findInvite(context.id(), std::move(email)));
  if (!invite) co_return fail(ErrorCode::notFound, "no such invite");
  co_return co_await removeInvite(by, context, *std::move(invite), "member.inviteCancelled");
}

Task<> Members::removeInvite(By by, const MembershipContext& context, InviteRecord invite, std::string action) {
  store::Write write = projectWrite(by, {context.number()},
                                    auditOf(deps_, by.caller, context.number(), std::move(action),
                                            "members/pending/" + invite.email, details(invite.email, invite.role)));
  const store::Target project = write.hold(target(kProjects, context.id().str()));
  const store::Target membership = write.hold(target(kMemberships, context.membershipId));
  const store::Target removed = write.change(target(kInvites, invite.id.str()));
  const auto callback = [project, membership, removed](const store::PreImages& before,
                                                       store::Changes& changes) -> Result<> {
    TRY(const auto record, fromStore<ProjectRecord>(before[project]));
    TRY(const auto actor, fromStore<MembershipRecord>(before[membership]));
    TRY(const auto now, fromStore<InviteRecord>(before[removed]));
    RETURN_IF_ERROR(mayManage({record, actor}));
    if (now && now->role == kOwner) RETURN_IF_ERROR(mustOwn({record, actor}));
    changes.remove(removed);
    return {};
  };
  CO_RETURN_IF_ERROR(co_await deps_.store.write(std::move(write), callback));
  co_return Result<>();
}

}  // namespace mb::projects
