#include <algorithm>
#include <set>

#include "identity/email.h"
#include "identity/prepared_documents.h"
#include "identity/records.h"
#include "projects/instance.h"
#include "projects/membership_rules.h"
#include "projects/operators.h"
#include "projects/payer.h"
#include "projects/records.h"

namespace mb::projects {

// An invite that becomes a membership in this commit.
struct InviteAcceptance {
  MembershipRecord membership;
  std::vector<store::Insert> audit;
  bool followed = false;  // the request's token is that of its link
  bool isMember = false;  // the user is a member already: the invite is removed, and the membership stays as it is
  std::optional<Family> paid = {};  // the environments whose plan the membership changes (payer.h)
};

struct Registration::Plan {
  std::string addressKey = {};
  std::optional<OrganizationRecord> organization;  // of a new user
  int64_t revision = 0;                            // of the invited address; 0: never invited
  bool mayBeFirst = false;
  bool onlyAsFirst = false;    // the address is not invited, and only invited ones register
  bool verified = false;       // or no mail service can verify the address: invites are accepted
  std::string followed = {};   // hash of the token of an invite's link, which verifies the address; empty without one
  bool namedOperator = false;  // in SERVICE_OPERATORS
  bool invitedOperator = false;
  bool operatorFollowed = false;  // as InviteAcceptance::followed, of the operator's invite
  std::vector<store::Insert> operatorAudit;
  std::vector<InviteAcceptance> joining;
  std::vector<store::ProjectNo> bumpEpochs;

  bool mayOperate() const { return namedOperator || invitedOperator; }
};

// The documents of an InviteAcceptance in one write.
struct InviteAcceptanceTargets {
  store::Target invite;
  store::Target membership;
  store::Target project;
  identity::PreparedDocuments audit;
};

// A plan and its documents in one write; runs in the write callback.
struct Registration::PlannedChange {
  PlannedChange(std::shared_ptr<const Plan> made, store::Write& write);

  Result<> operator()(identity::UserRecord& user, const store::PreImages& before, store::Changes& changes) const;

  std::shared_ptr<const Plan> plan;
  store::Target address;
  std::optional<store::Target> organization;
  std::optional<store::Target> instance;
  std::optional<store::Target> operatorInvite;
  identity::PreparedDocuments operatorAudit;
  std::vector<InviteAcceptanceTargets> joining;
  std::optional<store::Target> followed;  // the invite whose token the request carries
};

namespace {

// More than an address can have (Members::add refuses earlier), so that all are read.
constexpr uint64_t kMaxInvites = 1000;

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

Result<> join(const InviteAcceptance& joining, const InviteAcceptanceTargets& targets, const store::PreImages& before,
              store::Changes& changes) {
  TRY(const auto invite, fromStore<InviteRecord>(before[targets.invite]));
  TRY(auto project, fromStore<ProjectRecord>(before[targets.project]));
  changes.remove(targets.invite);
  if (joining.isMember || !invite || !project || project->status == "deleted") return {};
  if (joining.paid) RETURN_IF_ERROR(checkFamily(*joining.paid, *project));
  MembershipRecord membership = joining.membership;
  membership.role = invite->role;
  noteRole(*project, membership.userId, invite->role);
  changes.put(targets.membership, doc::encode(membership));
  changes.put(targets.project, doc::encode(*project));
  targets.audit.put(changes);
  return {};
}

doc::Document roleDetails(const InviteRecord& invite) {
  doc::BsonWriter out;
  out.appendString("email", invite.given());
  out.appendString("role", invite.role);
  return out.finish();
}

// Whether this is the hash of the token in the link of an invite: an InviteRecord or an OperatorInvite.
bool isInviteToken(const auto& invite, std::string_view tokenHash, Timestamp now) {
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

Registration::PlannedChange::PlannedChange(std::shared_ptr<const Plan> made, store::Write& write)
    : plan(std::move(made)),
      // Only held where it is unchanged, so that registrations of the address need not wait for each other.
      address(plan->verified ? write.change(target(kInvitedAddresses, plan->addressKey))
                             : write.hold(target(kInvitedAddresses, plan->addressKey))) {
  if (plan->organization) {
    organization = write.create(controlCollection(kOrganizations), plan->organization->id.str());
  }
  if (plan->mayBeFirst) instance = write.change(target(kInstance, std::string(kInstanceId)));
  if (plan->mayOperate()) {
    operatorInvite = write.change(target(kOperatorInvites, plan->addressKey));
    operatorAudit.add(write, plan->operatorAudit);
    if (plan->operatorFollowed) followed = operatorInvite;
  }
  for (const InviteAcceptance& one : plan->joining) {
    InviteAcceptanceTargets targets{write.change(target(kInvites, one.membership.id.str())),
                                    write.change(target(kMemberships, one.membership.id.str())),
                                    write.change(target(kProjects, one.membership.projectId.str())),
                                    {}};
    targets.audit.add(write, one.audit);
    if (one.followed) followed = targets.invite;
    joining.push_back(std::move(targets));
  }
  for (const store::ProjectNo project : plan->bumpEpochs) write.options.bumpEpochs.push_back(project);
}

Result<> Registration::PlannedChange::operator()(identity::UserRecord& user, const store::PreImages& before,
                                                 store::Changes& changes) const {
  TRY(const int64_t revision, revisionOf(before[address]));
  if (revision != plan->revision) return fail(ErrorCode::retry, "the address was invited since the plan was made");
  if (followed && (!before[*followed] || before[*followed]->view().stringOr("tokenHash") != plan->followed)) {
    return fail(ErrorCode::retry, "the invite was cancelled or renewed since");
  }
  if (plan->verified) changes.remove(address);
  if (organization) changes.put(*organization, doc::encode(*plan->organization));
  if (followed) user.emailVerified = true;
  if (instance && !before[*instance]) {
    user.platformRole = std::string(identity::kSuperAdmin);
    changes.put(*instance, instanceRecord(user));
  } else if (instance && plan->onlyAsFirst) {
    return fail(uninvited());
  }
  if (operatorInvite && (plan->namedOperator || before[*operatorInvite])) {
    user.platformRole = std::string(identity::kSuperAdmin);
    changes.remove(*operatorInvite);
    operatorAudit.put(changes);
  }
  for (size_t i = 0; i < joining.size(); ++i) RETURN_IF_ERROR(join(plan->joining[i], joining[i], before, changes));
  return {};
}

identity::UserChangeSource Registration::sourceOf(Plan plan) {
  return [plan = std::make_shared<const Plan>(std::move(plan))](store::Write& write) -> identity::UserChange {
    return PlannedChange(plan, write);
  };
}

Task<identity::RegistrationPlan> Registration::plan(identity::UserRecord user, identity::RegistrationClaims claims) {
  Plan plan;
  const std::string name = user.name.value ? *user.name.value : user.email.substr(0, user.email.find('@'));
  plan.organization = {ids_.next<OrgTag>(), name, true, user.id, clock_.now()};

  identity::RegistrationPlan out;
  plan.addressKey = identity::emailKey(user.email);
  CO_TRY(const auto instance, co_await store_.get(controlCollection(kInstance), std::string(kInstanceId)));
  // Once there is a first user, no registration needs the lock on this document.
  plan.mayBeFirst = !instance;
  if (plan.mayBeFirst) {
    if (!claims.local && !setupCode_.matches(claims.setupCode)) {
      co_return fail(withoutSetupCode(!claims.setupCode.empty()));
    }
    out.onCommit = [this] { setupCode_.discard(); };
  }

  CO_TRY(const auto address, co_await store_.get(controlCollection(kInvitedAddresses), plan.addressKey));
  CO_TRY(plan.revision, revisionOf(address));
  CO_TRY(const std::vector<InviteRecord> invites, co_await invitesOf(user.email));
  CO_TRY(const auto operating, co_await operatorInviteOf(plan.addressKey));
  if (settings_.invitedOnly && !operating && !isNamedOperator(plan.addressKey)) {
    CO_TRY(const bool invited, co_await mayJoinAny(invites));
    plan.onlyAsFirst = !invited;
  }
  if (plan.onlyAsFirst && !plan.mayBeFirst) co_return fail(uninvited());
  follow(plan, invites, operating, claims.invite);
  out.byInvite = !plan.followed.empty();
  plan.verified = out.byInvite || user.emailVerified || !mailer_.delivers();
  if (plan.verified) {
    planOperator(plan, user, operating);
    planJoining(plan, user, invites, {});
  }
  out.addTo = sourceOf(std::move(plan));
  co_return out;
}

Task<identity::RegistrationPlan> Registration::planProven(identity::UserRecord user, std::string invite) {
  Plan plan;
  plan.verified = true;
  identity::RegistrationPlan out;
  plan.addressKey = identity::emailKey(user.email);
  CO_TRY(const auto address, co_await store_.get(controlCollection(kInvitedAddresses), plan.addressKey));
  CO_TRY(plan.revision, revisionOf(address));
  CO_TRY(const std::vector<InviteRecord> invites, co_await invitesOf(user.email));
  CO_TRY(const auto operating, co_await operatorInviteOf(plan.addressKey));
  follow(plan, invites, operating, invite);
  out.byInvite = !plan.followed.empty();
  planOperator(plan, user, operating);
  // An operator gets nothing new from the verification.
  out.invited = !invites.empty() || (plan.mayOperate() && user.platformRole != identity::kSuperAdmin);
  // Issued tokens lack the operator's permissions.
  if (plan.mayOperate()) plan.bumpEpochs.push_back(store::kControlProject);
  CO_TRY(const std::set<std::string> memberOf, co_await joinedOf(user.id, invites));
  planJoining(plan, user, invites, memberOf);
  // A new user cannot pay for a project yet; this one may.
  for (InviteAcceptance& joining : plan.joining) {
    if (joining.membership.role != kOwner) continue;
    CO_TRY(joining.paid, co_await paidEnvironments(store_, joining.membership.projectId, user.id.str()));
    if (joining.paid) std::ranges::copy(joining.paid->numbers, std::back_inserter(plan.bumpEpochs));
  }
  out.addTo = sourceOf(std::move(plan));
  co_return out;
}

Task<std::set<std::string>> Registration::joinedOf(UserId user, const std::vector<InviteRecord>& invites) {
  std::set<std::string> joined;
  for (const InviteRecord& invite : invites) {
    doc::Filter both = doc::Filter::both(doc::Filter::equals("userId", user.str()),
                                         doc::Filter::equals("projectId", invite.projectId.str()));
    CO_TRY(const store::QueryResult found, co_await store_.find(queryOf(kMemberships, std::move(both), 0, 1)));
    if (!found.documents.empty()) joined.insert(invite.projectId.str());
  }
  co_return joined;
}

Task<std::vector<InviteRecord>> Registration::invitesOf(std::string email) {
  std::vector<InviteRecord> all;
  for (const std::string& key : identity::storedEmailKeys(email)) {
    CO_TRY(const store::QueryResult found,
           co_await store_.find(queryOf(kInvites, doc::Filter::equals("email", key), 0, kMaxInvites)));
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
  // A member's token begins with the invite's id (MembershipMail). Invites of operators are few, and are searched.
  if (const size_t dot = token.find('.'); dot != std::string::npos) {
    const std::string id = token.substr(0, dot);
    if (!identity::isId(MembershipTag::prefix, id)) co_return std::nullopt;
    CO_TRY(const auto stored, co_await store_.get(controlCollection(kInvites), id));
    CO_TRY(const auto invite, fromStore<InviteRecord>(stored));
    if (!invite || !isInviteToken(*invite, hash, now)) co_return std::nullopt;
    co_return invite->given();
  }
  if (token.empty() || !settings_.operatorsEnabled) co_return std::nullopt;
  CO_TRY(const store::QueryResult found,
         co_await store_.find(queryOf(kOperatorInvites, doc::Filter::equals("tokenHash", hash), 0, 1)));
  if (found.documents.empty()) co_return std::nullopt;
  CO_TRY(const auto invite, fromStore<OperatorInvite>(found.documents.front().view()));
  if (!isInviteToken(invite, hash, now)) co_return std::nullopt;
  co_return invite.address.value_or(invite.id);
}

bool Registration::isNamedOperator(std::string_view emailKey) const {
  return std::ranges::find(settings_.operatorEmails, emailKey) != settings_.operatorEmails.end();
}

void Registration::follow(Plan& plan, const std::vector<InviteRecord>& invites,
                          const std::optional<OperatorInvite>& operating, std::string_view token) const {
  const std::string hash = hashOf(token);
  const Timestamp now = clock_.now();
  if (std::ranges::any_of(invites, [&](const auto& one) { return isInviteToken(one, hash, now); }) ||
      (operating && isInviteToken(*operating, hash, now))) {
    plan.followed = hash;
  }
}

void Registration::planOperator(Plan& plan, const identity::UserRecord& user,
                                const std::optional<OperatorInvite>& invite) {
  plan.namedOperator = isNamedOperator(plan.addressKey);
  plan.invitedOperator = invite.has_value();
  if (!plan.mayOperate()) return;
  plan.operatorFollowed = invite && invite->tokenHash == plan.followed;
  plan.operatorAudit = auditor_.entry(store::kControlProject, "operator.added", {"platform", user.id.str(), user.email},
                                      "users/" + user.id.str(), "", "");
}

void Registration::planJoining(Plan& plan, const identity::UserRecord& user, const std::vector<InviteRecord>& invites,
                               const std::set<std::string>& memberOf) {
  for (const auto& invite : invites) {
    const auto number = static_cast<store::ProjectNo>(invite.projectNumber);
    plan.joining.push_back({{invite.id, invite.projectId, user.id, invite.role, clock_.now()},
                            auditor_.entry(number, "member.joined", {"platform", user.id.str(), user.email},
                                           "members/" + user.id.str(), "", "", roleDetails(invite)),
                            invite.tokenHash == plan.followed,
                            memberOf.contains(invite.projectId.str())});
    plan.bumpEpochs.push_back(number);
  }
}

}  // namespace mb::projects
