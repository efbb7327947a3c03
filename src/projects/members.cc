#include "projects/members.h"

#include "identity/records.h"
#include "identity/role_grant.h"
#include "projects/membership_mail.h"
#include "projects/standing.h"

namespace mb::projects {

namespace {

using Changes = std::vector<store::Change>;

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

// What the commit of a change of one member looks at, in this order: project, asking member and, where it is somebody
// else, the member asked about.
struct Parties {
  std::vector<store::WriteTarget> targets;
  bool self = false;

  Parties(const Standing& standing, const std::string& membershipId) : self(membershipId == standing.membershipId) {
    targets.push_back(target(kProjects, standing.id().str()));
    targets.push_back(target(kMemberships, standing.membershipId));
    if (!self) targets.push_back(target(kMemberships, membershipId));
  }
  // Changes in the targets' order. A member's own change stands where the asking member does.
  Changes changes(store::Change project, store::Change member) const {
    Changes out;
    out.push_back(std::move(project));
    if (!self) out.push_back(store::Change::keep());
    out.push_back(std::move(member));
    return out;
  }
};

Error noSuchRole() {
  const std::string problem = "is not a role of this project";
  return Error(ErrorCode::validation, "/role " + problem).withDetail("/role", problem);
}

// The role that a commit hands out. Where it is a custom one, its record is the last of the targets.
class Handout {
 public:
  // `own` is what the giver holds; it outlives this.
  Handout(store::ProjectNo project, const std::string& role, const policy::PermissionSet& own,
          std::vector<store::WriteTarget>& targets)
      : role_(role), own_(own) {
    auto record = identity::roleTarget(project, identity::RoleKind::member, role);
    custom_ = record.has_value();
    if (record) targets.push_back(*std::move(record));
  }
  // In the judge: what stands at the other targets.
  Before others(Before before) const { return before.first(before.size() - (custom_ ? 1 : 0)); }
  // In the judge: `changes` of the other targets, and the role's. Fails with validation where the role is gone.
  Result<Changes> complete(Before before, Changes changes) const {
    if (!custom_) return changes;
    TRY(std::optional<store::Change> granted, identity::grantRole(before.back(), role_, own_));
    if (!granted) return fail(noSuchRole());
    changes.push_back(*std::move(granted));
    return changes;
  }

 private:
  const std::string role_;
  const policy::PermissionSet& own_;
  bool custom_ = false;
};

struct PartiesBefore {
  std::optional<ProjectRecord> project;
  std::optional<MembershipRecord> actor;
  std::optional<MembershipRecord> member;
};

Result<PartiesBefore> read(Before before) {
  PartiesBefore out;
  TRY(out.project, fromStore<ProjectRecord>(before[0]));
  TRY(out.actor, fromStore<MembershipRecord>(before[1]));
  TRY(out.member, fromStore<MembershipRecord>(before.back()));
  return out;
}

store::Change putProject(const ProjectRecord& record) {
  return store::Change::put(doc::encode(record));
}

}  // namespace

// ---- seeing

Task<std::vector<MemberView>> Members::list(By by, std::string project) {
  CO_TRY(const Standing standing, co_await standingOf(deps_, by, std::move(project)));
  constexpr uint64_t kPage = 1000;
  std::vector<MemberView> views;
  for (uint64_t skip = 0;; skip += kPage) {
    CO_TRY(const store::QueryResult found,
           co_await deps_.store.find(queryOf(kMemberships, equals("projectId", standing.id().str()), skip, kPage)));
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
           co_await deps_.store.find(queryOf(kInvites, equals("projectId", standing.id().str()), skip, kPage)));
    CO_TRY(const auto invites, fromStore<InviteRecord>(found.documents));
    for (const auto& i : invites) views.push_back({i.id, {}, i.given(), {}, i.role, "pending", i.createdAt});
    if (found.documents.size() < kPage) break;
  }
  co_return views;
}

// ---- adding

const policy::PermissionSet& Members::heldBy(const Standing& standing) const {
  static const policy::PermissionSet kNothing;
  const auto& roles = standing.project->get(deps_.slots.roles).member;
  const auto own = roles.find(standing.role);
  return own == roles.end() ? kNothing : *own->second;
}

Result<> Members::mayHandOut(const Standing& standing, const std::string& role) const {
  if (!manages(standing.role)) return fail(ErrorCode::forbidden, "this needs the role Owner or Admin");
  const auto& roles = standing.project->get(deps_.slots.roles).member;
  const auto given = roles.find(role);
  if (given == roles.end()) {
    return fail(noSuchRole());
  }
  if (role == kOwner && standing.role != kOwner) {
    return fail(ErrorCode::forbidden, "only an Owner may grant or revoke Owner");
  }
  if (!heldBy(standing).includes(*given->second)) {
    return fail(ErrorCode::forbidden, "this role holds permissions that you do not hold");
  }
  return {};
}

Task<MemberView> Members::add(By by, std::string project, NewMember input) {
  CO_TRY(const Standing standing, co_await standingOf(deps_, by, std::move(project)));
  CO_CHECK(mayHandOut(standing, input.role));
  CO_TRY(const identity::Email email, identity::parseEmail(input.email));

  const bool mailed = mails_.begin(email.key).has_value();
  for (int attempt = 0; attempt < kMaxMemberAttempts; ++attempt) {
    CO_TRY(auto user, co_await deps_.users.byEmail(identity::Realm::platform(), email.text));
    if (user && mayJoin(deps_, *user)) {
      co_return co_await addActive(by, standing, std::move(input.role), *std::move(user));
    }
    CO_TRY(const std::optional<MemberView> pending, co_await invite(by, standing, input.role, email, mailed));
    if (!pending) continue;
    // An account that registered, or proved the address, since then did not see the invite.
    CO_TRY(user, co_await deps_.users.byEmail(identity::Realm::platform(), email.text));
    if (!user) co_return *pending;
    if (mayJoin(deps_, *user)) {
      co_return co_await addActive(by, standing, std::move(input.role), *std::move(user));
    }
    CO_CHECK(
        co_await deps_.links.mailLink(identity::Realm::platform(), identity::LinkPurpose::verifyEmail, email.text));
    co_return *pending;
  }
  co_return fail(ErrorCode::conflict, "this address is being invited or registered at the same time, try again");
}

Task<MemberView> Members::addActive(By by, const Standing& standing, std::string role, identity::UserRecord user) {
  MembershipRecord membership{deps_.ids.next<MembershipTag>(), standing.id(), user.id, std::move(role),
                              deps_.clock.now()};
  Parties parties(standing, membership.id.str());
  const Handout handout(standing.number(), membership.role, heldBy(standing), parties.targets);
  store::Judge judge = [&](Before before) -> Result<Changes> {
    TRY(PartiesBefore now, read(handout.others(before)));
    CHECK(mayGrant({now.project, now.actor}, membership.role));
    noteRole(*now.project, membership.userId, membership.role);
    return handout.complete(before,
                            parties.changes(putProject(*now.project), store::Change::put(doc::encode(membership))));
  };
  auto audit = auditOf(deps_, by.caller, standing.number(), "member.added", "members/" + user.id.str(),
                       details(user.email, membership.role));
  MembershipMail mail(deps_, by.caller, standing);
  if (mails_.begin(user.emailKey)) mail.granted(user.email, membership.role, audit);
  CO_TRY(const store::JudgeOutcome outcome,
         co_await commit(deps_, by, {standing.number()}, parties.targets, std::move(judge), std::move(audit)));
  // Also where they are a member already: an invite may have been made while they took up another.
  CO_TRY(auto left, co_await findInvite(standing.id(), user.email));
  if (left) CO_CHECK(co_await removeInvite(by, standing, *std::move(left), "member.inviteUsed"));
  if (!outcome.committed()) co_return fail(ErrorCode::conflict, "this user is a member already");
  mail.wake();
  co_return activeView(membership, user);
}

Task<std::optional<InviteRecord>> Members::findInvite(ProjectId project, std::string email) {
  for (const std::string& key : identity::storedEmailKeys(email)) {
    doc::Filter filter = doc::Filter::both(equals("projectId", project.str()), equals("email", key));
    CO_TRY(const store::QueryResult found, co_await deps_.store.find(queryOf(kInvites, std::move(filter), 0, 1)));
    if (!found.documents.empty()) co_return fromStore<InviteRecord>(found.documents.front().view());
  }
  co_return std::nullopt;
}

Task<std::optional<MemberView>> Members::invite(By by, const Standing& standing, std::string role,
                                                identity::Email address, bool mailed) {
  const std::string& email = address.key;
  CO_TRY(const auto existing, co_await findInvite(standing.id(), email));
  if (!existing) {
    CO_TRY(const uint64_t pending,
           co_await deps_.store.count(controlCollection(kInvites), equals("email", email), by.deadline));
    if (pending >= kInvitesPerAddress) {
      co_return fail(ErrorCode::conflict, "this address has too many pending invites");
    }
  }
  InviteRecord invite{existing ? existing->id : deps_.ids.next<MembershipTag>(),
                      standing.id(),
                      static_cast<int64_t>(standing.number()),
                      email,
                      role,
                      UserId(by.caller.id),
                      existing ? existing->createdAt : deps_.clock.now()};
  invite.address = identity::lowerAscii(address.text);
  auto audit =
      auditOf(deps_, by.caller, standing.number(), "member.invited", "members/pending/" + email, details(email, role));
  MembershipMail mail(deps_, by.caller, standing);
  if (mailed) mail.invited(invite, audit);
  std::vector<store::WriteTarget> targets;
  targets.push_back(target(kProjects, standing.id().str()));
  targets.push_back(target(kMemberships, standing.membershipId));
  targets.push_back(target(kInvitedAddresses, email));
  targets.push_back(target(kInvites, invite.id.str()));
  const Handout handout(standing.number(), role, heldBy(standing), targets);
  store::Judge judge = [&](Before before) -> Result<Changes> {
    TRY(const auto project, fromStore<ProjectRecord>(before[0]));
    TRY(const auto actor, fromStore<MembershipRecord>(before[1]));
    TRY(auto invited, fromStore<InvitedAddress>(before[2]));
    TRY(const auto refreshed, fromStore<InviteRecord>(before[3]));
    if (existing && !refreshed) return fail(ErrorCode::staleCatalogue, "the invite was used or cancelled since");
    CHECK(mayGrant({project, actor}, role));
    if (refreshed && refreshed->role == kOwner) CHECK(mustOwn({project, actor}));
    if (refreshed && !invite.tokenHash) {
      invite.tokenHash = refreshed->tokenHash;
      invite.tokenExpiresAt = refreshed->tokenExpiresAt;
    }
    if (!invited) invited = InvitedAddress{email, 0};
    ++invited->revision;
    Changes changes;
    changes.push_back(store::Change::keep());
    changes.push_back(store::Change::keep());
    changes.push_back(store::Change::put(doc::encode(*invited)));
    changes.push_back(store::Change::put(doc::encode(invite)));
    return handout.complete(before, std::move(changes));
  };
  auto outcome =
      co_await commit(deps_, by, {standing.number()}, std::move(targets), std::move(judge), std::move(audit));
  if (!outcome && outcome.error().code() == ErrorCode::staleCatalogue) co_return std::nullopt;
  if (!outcome) co_return fail(std::move(outcome).error());
  // Not committed: another caller invited the address at the same time; theirs is refreshed.
  if (!outcome->committed()) co_return std::nullopt;
  mail.wake();
  co_return MemberView{invite.id, {}, invite.given(), {}, role, "pending", invite.createdAt};
}

// ---- changing and removing

Task<> Members::changeRole(By by, std::string project, std::string userId, std::string role) {
  CO_TRY(const Standing standing, co_await standingOf(deps_, by, std::move(project)));
  CO_CHECK(mayHandOut(standing, role));
  const auto& members = standing.project->get(deps_.slots.members).byUser;
  const auto found = members.find(userId);
  if (found == members.end()) co_return fail(ErrorCode::notFound, "no such member");
  Parties parties(standing, found->second.membershipId);
  const Handout handout(standing.number(), role, heldBy(standing), parties.targets);
  store::Judge judge = [&](Before before) -> Result<Changes> {
    TRY(PartiesBefore now, read(handout.others(before)));
    CHECK(mayChangeRole({now.project, now.actor}, now.member, role));
    now.member->role = role;
    noteRole(*now.project, now.member->userId, role);
    return handout.complete(before,
                            parties.changes(putProject(*now.project), store::Change::put(doc::encode(*now.member))));
  };
  auto audit = auditOf(deps_, by.caller, standing.number(), "member.changed", "members/" + userId, details("", role));
  CO_CHECK(co_await commit(deps_, by, {standing.number()}, parties.targets, std::move(judge), std::move(audit)));
  co_return Result<>();
}

Task<> Members::remove(By by, std::string project, std::string userId) {
  CO_TRY(const Standing standing, co_await standingOf(deps_, by, std::move(project)));
  if (!manages(standing.role)) co_return fail(ErrorCode::forbidden, "this needs the role Owner or Admin");
  const auto& members = standing.project->get(deps_.slots.members).byUser;
  const auto found = members.find(userId);
  if (found == members.end()) co_return fail(ErrorCode::notFound, "no such member");
  const Parties parties(standing, found->second.membershipId);
  store::Judge judge = [&](Before before) -> Result<Changes> {
    TRY(PartiesBefore now, read(before));
    CHECK(mayRemove({now.project, now.actor}, now.member));
    noteRole(*now.project, now.member->userId, std::nullopt);
    return parties.changes(putProject(*now.project), store::Change::remove());
  };
  auto audit = auditOf(deps_, by.caller, standing.number(), "member.removed", "members/" + userId);
  CO_CHECK(co_await commit(deps_, by, {standing.number()}, parties.targets, std::move(judge), std::move(audit)));
  co_return Result<>();
}

Task<> Members::cancelInvite(By by, std::string project, std::string email) {
  CO_TRY(const Standing standing, co_await standingOf(deps_, by, std::move(project)));
  if (!manages(standing.role)) co_return fail(ErrorCode::forbidden, "this needs the role Owner or Admin");
  CO_TRY(auto invite, co_await findInvite(standing.id(), std::move(email)));
  if (!invite) co_return fail(ErrorCode::notFound, "no such invite");
  co_return co_await removeInvite(by, standing, *std::move(invite), "member.inviteCancelled");
}

Task<> Members::removeInvite(By by, const Standing& standing, InviteRecord invite, std::string action) {
  std::vector<store::WriteTarget> targets;
  targets.push_back(target(kProjects, standing.id().str()));
  targets.push_back(target(kMemberships, standing.membershipId));
  targets.push_back(target(kInvites, invite.id.str()));
  store::Judge judge = [&](Before before) -> Result<Changes> {
    TRY(const auto project, fromStore<ProjectRecord>(before[0]));
    TRY(const auto actor, fromStore<MembershipRecord>(before[1]));
    TRY(const auto now, fromStore<InviteRecord>(before[2]));
    CHECK(mayManage({project, actor}));
    if (now && now->role == kOwner) CHECK(mustOwn({project, actor}));
    Changes changes;
    changes.push_back(store::Change::keep());
    changes.push_back(store::Change::keep());
    changes.push_back(now ? store::Change::remove() : store::Change::keep());
    return changes;
  };
  auto audit = auditOf(deps_, by.caller, standing.number(), std::move(action), "members/pending/" + invite.email,
                       details(invite.email, invite.role));
  CO_CHECK(co_await commit(deps_, by, {standing.number()}, std::move(targets), std::move(judge), std::move(audit)));
  co_return Result<>();
}

}  // namespace mb::projects
