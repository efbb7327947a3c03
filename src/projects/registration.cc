#include <algorithm>

#include "identity/email.h"
#include "identity/records.h"
#include "projects/instance.h"
#include "projects/membership_rules.h"
#include "projects/operators.h"
#include "projects/records.h"

namespace mb::projects {

// One invite on its way to become a membership: its place among the targets is invite, membership, project, then the
// audit entry where auditing is on.
struct Joining {
  MembershipRecord membership;
  std::vector<store::Insert> audit;
};

// The targets: the invited address; the organization, the instance's record, the invite of an operator with its audit
// entry where they are planned; those of the invites.
struct Registration::Plan {
  std::optional<OrganizationRecord> organization;  // of a new user
  int64_t revision = 0;                            // of the invited address; 0: never invited
  bool mayBeFirst = false;
  bool onlyAsFirst = false;    // the address is not invited, and only invited ones register
  bool proven = false;         // or no mail service could prove the address: invites are taken up
  std::string followed = {};   // hash of the token of an invite's link, which proves the address; empty without one
  size_t followedAt = 0;       // that invite among the targets
  bool namedOperator = false;  // in SERVICE_OPERATORS
  bool invitedOperator = false;
  std::vector<store::Insert> operatorAudit;
  std::vector<Joining> joining;

  Result<std::vector<store::Change>> judge(identity::UserRecord& user,
                                           std::span<const std::optional<doc::Document>> before);
  bool mayOperate() const { return namedOperator || invitedOperator; }
  void judgeOperator(identity::UserRecord& user, const std::optional<doc::Document>& invite,
                     std::vector<store::Change>& changes);
};

namespace {

using Changes = std::vector<store::Change>;
using DocumentsBefore = std::span<const std::optional<doc::Document>>;

// More than an address can have (Members::add refuses earlier), so that none stays behind.
constexpr uint64_t kMostInvites = 1000;

Result<int64_t> revisionOf(const std::optional<doc::Document>& address) {
  if (!address) return 0;
  TRY(const auto record, fromStore<InvitedAddress>(address->view()));
  return record.revision;
}

doc::Document instanceRecord(const identity::UserRecord& first) {
  doc::BsonWriter out;
  out.appendString("id", kInstanceId);
  out.appendString("firstUserId", first.id.str());
  out.appendDate("setUpAt", first.createdAt);
  return out.finish();
}

Result<> join(Joining& joining, DocumentsBefore before, Changes& changes) {
  TRY(const auto invite, fromStore<InviteRecord>(before[0]));
  TRY(auto project, fromStore<ProjectRecord>(before[2]));
  const bool active = invite && project && project->status != "deleted";
  changes.push_back(invite ? store::Change::remove() : store::Change::keep());
  if (!active) {
    changes.resize(changes.size() + 2 + joining.audit.size());
    return {};
  }
  joining.membership.role = invite->role;
  noteRole(*project, joining.membership.userId, invite->role);
  changes.push_back(store::Change::put(doc::encode(joining.membership)));
  changes.push_back(store::Change::put(doc::encode(*project)));
  for (auto& entry : joining.audit) changes.push_back(store::Change::put(std::move(entry.document)));
  return {};
}

doc::Document roleDetails(const InviteRecord& invite) {
  doc::BsonWriter out;
  out.appendString("email", invite.given());
  out.appendString("role", invite.role);
  return out.finish();
}

// Whether the token with this hash is the one in the link of an invite: an InviteRecord or an OperatorInvite.
bool provenBy(const auto& invite, std::string_view tokenHash, Timestamp now) {
  return invite.tokenHash && !tokenHash.empty() && equalConstantTime(*invite.tokenHash, tokenHash) &&
         invite.tokenExpiresAt > now;
}

Error uninvited() {
  return Error(ErrorCode::forbidden, "registration is by invitation only, and this address has no pending invitation");
}

Error withoutSetupCode(bool given) {
  return Error(ErrorCode::forbidden,
               "the first registration needs the set-up code: it was printed when the server started, and is in the "
               "file setup-code of the data directory")
      .withDetail(std::string(identity::kSetupCodePath), given ? "is not the set-up code" : "is needed");
}

std::string hashOf(std::string_view token) {
  return token.empty() ? std::string() : toHex(sha256(token));
}

}  // namespace

void Registration::Plan::judgeOperator(identity::UserRecord& user, const std::optional<doc::Document>& invite,
                                       Changes& changes) {
  const bool becomes = namedOperator || invite;
  if (becomes) user.platformRole = std::string(identity::kSuperAdmin);
  changes.push_back(invite ? store::Change::remove() : store::Change::keep());
  for (auto& entry : operatorAudit) {
    changes.push_back(becomes ? store::Change::put(std::move(entry.document)) : store::Change::keep());
  }
}

Result<Changes> Registration::Plan::judge(identity::UserRecord& user, DocumentsBefore before) {
  TRY(const int64_t now, revisionOf(before[0]));
  if (now != revision) return fail(ErrorCode::staleCatalogue, "invited meanwhile");
  const bool byLink = !followed.empty();
  if (byLink && (!before[followedAt] || before[followedAt]->view().stringOr("tokenHash") != followed)) {
    return fail(ErrorCode::staleCatalogue, "the invite was cancelled or renewed since");
  }
  Changes changes;
  changes.push_back(before[0] && proven ? store::Change::remove() : store::Change::keep());
  size_t at = 1;
  if (organization) {
    changes.push_back(store::Change::put(doc::encode(*organization)));
    ++at;
  }
  if (byLink) user.emailVerified = true;
  if (mayBeFirst) {
    const bool first = !before[at];
    if (!first && onlyAsFirst) return fail(uninvited());
    if (first) user.platformRole = std::string(identity::kSuperAdmin);
    changes.push_back(first ? store::Change::put(instanceRecord(user)) : store::Change::keep());
    ++at;
  }
  if (mayOperate()) {
    judgeOperator(user, before[at], changes);
    at += 1 + operatorAudit.size();
  }
  for (auto& one : joining) {
    const size_t count = 3 + one.audit.size();
    CHECK(join(one, before.subspan(at, count), changes));
    at += count;
  }
  return changes;
}

Task<identity::RegistrationPlan> Registration::plan(identity::UserRecord user, identity::RegistrationClaims claims) {
  Plan plan;
  const std::string name = user.name.value ? *user.name.value : user.email.substr(0, user.email.find('@'));
  plan.organization = {ids_.next<OrgTag>(), name, true, user.id, clock_.now()};

  identity::RegistrationPlan out;
  const std::string key = identity::emailKey(user.email);
  out.targets.push_back(target(kInvitedAddresses, key));
  out.targets.push_back(target(kOrganizations, plan.organization->id.str()));
  CO_TRY(const auto instance, co_await store_.get(controlCollection(kInstance), std::string(kInstanceId)));
  // Once there is a first user nobody has to wait for the lock on that question.
  plan.mayBeFirst = !instance;
  if (plan.mayBeFirst) {
    if (!claims.local && !setupCode_.matches(claims.setupCode)) {
      co_return fail(withoutSetupCode(!claims.setupCode.empty()));
    }
    out.targets.push_back(target(kInstance, std::string(kInstanceId)));
    out.committed = [this] { setupCode_.discard(); };
  }

  CO_TRY(const auto address, co_await store_.get(controlCollection(kInvitedAddresses), key));
  CO_TRY(plan.revision, revisionOf(address));
  CO_TRY(const std::vector<InviteRecord> invites, co_await invitesOf(user.email));
  CO_TRY(const auto operating, co_await operatorInviteOf(key));
  if (settings_.invitedOnly && !operating && !isNamedOperator(key)) {
    CO_TRY(const bool invited, co_await mayJoinAny(invites));
    plan.onlyAsFirst = !invited;
  }
  if (plan.onlyAsFirst && !plan.mayBeFirst) co_return fail(uninvited());
  follow(plan, invites, operating, claims.invite);
  out.byInvite = !plan.followed.empty();
  plan.proven = out.byInvite || user.emailVerified || !mailer_.delivers();
  if (plan.proven) {
    planOperator(plan, out, user, operating);
    planJoining(plan, out, user, invites);
  }
  out.judge = [plan = std::move(plan)](identity::UserRecord& registered, DocumentsBefore before) mutable {
    return plan.judge(registered, before);
  };
  co_return out;
}

Task<identity::RegistrationPlan> Registration::planProven(identity::UserRecord user, std::string invite) {
  Plan plan;
  plan.proven = true;
  identity::RegistrationPlan out;
  const std::string key = identity::emailKey(user.email);
  out.targets.push_back(target(kInvitedAddresses, key));
  CO_TRY(const auto address, co_await store_.get(controlCollection(kInvitedAddresses), key));
  CO_TRY(plan.revision, revisionOf(address));
  CO_TRY(const std::vector<InviteRecord> invites, co_await invitesOf(user.email));
  CO_TRY(const auto operating, co_await operatorInviteOf(key));
  follow(plan, invites, operating, invite);
  out.byInvite = !plan.followed.empty();
  planOperator(plan, out, user, operating);
  // Who is an operator already gets nothing from the proof.
  out.invited = !invites.empty() || (plan.mayOperate() && user.platformRole != identity::kSuperAdmin);
  // Tokens in hand are those of no operator yet.
  if (plan.mayOperate()) out.bumpEpochs.push_back(store::kControlProject);
  planJoining(plan, out, user, invites);
  out.judge = [plan = std::move(plan)](identity::UserRecord& proven, DocumentsBefore before) mutable {
    return plan.judge(proven, before);
  };
  co_return out;
}

Task<std::vector<InviteRecord>> Registration::invitesOf(std::string email) {
  std::vector<InviteRecord> all;
  for (const std::string& key : identity::storedEmailKeys(email)) {
    CO_TRY(const store::QueryResult found,
           co_await store_.find(queryOf(kInvites, equals("email", key), 0, kMostInvites)));
    CO_TRY(std::vector<InviteRecord> some, fromStore<InviteRecord>(found.documents));
    std::ranges::move(some, std::back_inserter(all));
  }
  co_return all;
}

Task<bool> Registration::mayJoinAny(std::vector<InviteRecord> invites) {
  for (const InviteRecord& invite : invites) {
    CO_TRY(const auto stored, co_await store_.get(controlCollection(kProjects), invite.projectId.str()));
    CO_TRY(const auto project, fromStore<ProjectRecord>(stored));
    if (project && project->status != "deleted") co_return true;
  }
  co_return false;
}

Task<std::optional<OperatorInvite>> Registration::operatorInviteOf(std::string email) {
  if (!settings_.operatorsEnabled) co_return std::nullopt;
  CO_TRY(const auto stored, co_await store_.get(controlCollection(kOperatorInvites), std::move(email)));
  co_return fromStore<OperatorInvite>(stored);
}

Task<std::optional<std::string>> Registration::invitedAddress(std::string token) {
  const std::string hash = hashOf(token);
  const Timestamp now = clock_.now();
  // A member's invite stands in front of its token (MembershipMail); invites of operators are few, and are searched.
  if (const size_t dot = token.find('.'); dot != std::string::npos) {
    const std::string id = token.substr(0, dot);
    if (!identity::isId(MembershipTag::prefix, id)) co_return std::nullopt;
    CO_TRY(const auto stored, co_await store_.get(controlCollection(kInvites), id));
    CO_TRY(const auto invite, fromStore<InviteRecord>(stored));
    if (!invite || !provenBy(*invite, hash, now)) co_return std::nullopt;
    co_return invite->given();
  }
  if (token.empty() || !settings_.operatorsEnabled) co_return std::nullopt;
  CO_TRY(const store::QueryResult found,
         co_await store_.find(queryOf(kOperatorInvites, equals("tokenHash", hash), 0, 1)));
  if (found.documents.empty()) co_return std::nullopt;
  CO_TRY(const auto invite, fromStore<OperatorInvite>(found.documents.front().view()));
  if (!provenBy(invite, hash, now)) co_return std::nullopt;
  co_return invite.address.value_or(invite.id);
}

bool Registration::isNamedOperator(std::string_view emailKey) const {
  return std::ranges::find(settings_.operatorEmails, emailKey) != settings_.operatorEmails.end();
}

void Registration::follow(Plan& plan, const std::vector<InviteRecord>& invites,
                          const std::optional<OperatorInvite>& operating, std::string_view token) const {
  const std::string hash = hashOf(token);
  const Timestamp now = clock_.now();
  if (std::ranges::any_of(invites, [&](const auto& one) { return provenBy(one, hash, now); }) ||
      (operating && provenBy(*operating, hash, now))) {
    plan.followed = hash;
  }
}

void Registration::planOperator(Plan& plan, identity::RegistrationPlan& out, const identity::UserRecord& user,
                                const std::optional<OperatorInvite>& invite) {
  const std::string key = identity::emailKey(user.email);
  plan.namedOperator = isNamedOperator(key);
  plan.invitedOperator = invite.has_value();
  if (!plan.mayOperate()) return;
  if (invite && invite->tokenHash == plan.followed) plan.followedAt = out.targets.size();
  out.targets.push_back(target(kOperatorInvites, key));
  plan.operatorAudit = auditor_.entry(store::kControlProject, "operator.added", {"platform", user.id.str(), user.email},
                                      "users/" + user.id.str(), "", "");
  for (const auto& entry : plan.operatorAudit) {
    out.targets.push_back({entry.collection, std::string(entry.document.view().stringOr("id")), true});
  }
}

void Registration::planJoining(Plan& plan, identity::RegistrationPlan& out, const identity::UserRecord& user,
                               const std::vector<InviteRecord>& invites) {
  for (const auto& invite : invites) {
    const auto number = static_cast<store::ProjectNo>(invite.projectNumber);
    Joining joining{{invite.id, invite.projectId, user.id, invite.role, clock_.now()},
                    auditor_.entry(number, "member.joined", {"platform", user.id.str(), user.email},
                                   "members/" + user.id.str(), "", "", roleDetails(invite))};
    if (invite.tokenHash == plan.followed) plan.followedAt = out.targets.size();
    out.targets.push_back(target(kInvites, invite.id.str()));
    out.targets.push_back(target(kMemberships, invite.id.str()));
    out.targets.push_back(target(kProjects, invite.projectId.str()));
    for (const auto& entry : joining.audit) {
      out.targets.push_back({entry.collection, std::string(entry.document.view().stringOr("id"))});
    }
    out.bumpEpochs.push_back(number);
    plan.joining.push_back(std::move(joining));
  }
}

}  // namespace mb::projects
