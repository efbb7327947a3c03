#include "projects/transfers.h"

#include <algorithm>

#include "projects/membership_context.h"
#include "projects/membership_mail.h"
#include "projects/payer.h"
#include "store/retry.h"

namespace mb::projects {

namespace {

Error onlyRoots() {
  return Error(ErrorCode::validation, "an environment moves with its root project: transfer that");
}

Error notAnOwner() {
  const std::string problem = "must be an Owner of this project";
  return Error(ErrorCode::validation, "/userId " + problem).withDetail("/userId", problem);
}

Error noOffer() {
  return Error(ErrorCode::notFound, "no such offer");
}

bool isOwner(const ProjectRecord& record, std::string_view userId) {
  return std::ranges::find(record.owners, userId) != record.owners.end();
}

bool isOpen(const std::optional<TransferOffer>& offer, Timestamp now) {
  return offer && now < offer->expiresAt;
}

bool isOfferedTo(const ProjectRecord& record, std::string_view userId, Timestamp now) {
  return isOpen(record.transfer, now) && record.transfer->to.str() == userId;
}

doc::Document recipient(std::string_view userId) {
  doc::BsonWriter out;
  out.appendString("userId", userId);
  return out.finish();
}

doc::Document movement(const OrgId& from, const OrgId& to) {
  doc::BsonWriter out;
  out.appendString("from", from.str());
  out.appendString("to", to.str());
  return out.finish();
}

// The documents of the write that moves a project: root, membership of the caller, environments, and the organization
// that gets it where that has a limit.
class MoveWrite {
 public:
  MoveWrite(store::Write& write, const MembershipContext& context, const ProjectRecord& known, const Family& family,
            const ProjectQuota& quota)
      : from_(known.organizationId),
        to_(quota.organization),
        family_(family),
        root_(write.change(target(kProjects, context.id().str()))),
        actor_(write.hold(target(kMemberships, context.membershipId))),
        charge_(write, quota) {
    for (const ProjectId& id : family.environments) {
      environments_.push_back(write.change(target(kProjects, id.str())));
    }
  }

  // In the write callback. `offeredTo`: the user who must have an open offer; nullptr for none.
  Result<> apply(const std::string* offeredTo, Timestamp now, const store::PreImages& before,
                 store::Changes& changes) const {
    TRY(std::optional<ProjectRecord> root, fromStore<ProjectRecord>(before[root_]));
    TRY(const auto actor, fromStore<MembershipRecord>(before[actor_]));
    if (offeredTo != nullptr && (!root || !isOfferedTo(*root, *offeredTo, now))) return fail(noOffer());
    RETURN_IF_ERROR(mustOwn({root, actor}));
    if (root->organizationId != from_) return fail(ErrorCode::retry, "the project moved since it was read");
    RETURN_IF_ERROR(checkFamily(family_, *root));
    RETURN_IF_ERROR(charge_.apply(before, changes));
    root->organizationId = to_;
    root->transfer.reset();
    changes.put(root_, doc::encode(*root));
    for (const store::Target& target : environments_) {
      TRY(std::optional<ProjectRecord> environment, fromStore<ProjectRecord>(before[target]));
      if (!environment) continue;
      environment->organizationId = to_;
      changes.put(target, doc::encode(*environment));
    }
    return {};
  }

 private:
  const OrgId from_;
  const OrgId to_;
  const Family& family_;  // outlives this
  const store::Target root_;
  const store::Target actor_;
  const QuotaCharge charge_;
  std::vector<store::Target> environments_;
};

}  // namespace

Task<MembershipContext> Transfers::ownedRoot(By by, std::string project) {
  CO_TRY(MembershipContext context, co_await membershipContext(deps_, by, std::move(project)));
  if (context.role != kOwner) co_return fail(ErrorCode::forbidden, "this needs the role Owner");
  if (context.project->get(deps_.record).parentId.value) co_return fail(onlyRoots());
  co_return context;
}

// ---- offering

Task<bool> Transfers::offer(By by, std::string project, NewTransfer input) {
  CO_TRY(const MembershipContext context, co_await ownedRoot(by, std::move(project)));
  const ProjectRecord& known = context.project->get(deps_.record);
  if (!isOwner(known, input.userId)) co_return fail(notAnOwner());
  if (input.userId == by.caller.id) {
    CO_RETURN_IF_ERROR(co_await moveToCaller(by, context, false));
    co_return false;
  }
  CO_TRY(const OrganizationRecord own, co_await organizationOf(deps_.store, input.userId));
  if (known.organizationId == own.id) co_return fail(ErrorCode::conflict, "this user pays for the project already");
  CO_TRY(const auto user, co_await deps_.users.get(identity::Realm::platform(), UserId(input.userId)));
  const TransferOffer offer{UserId(input.userId), UserId(by.caller.id), {deps_.clock.now().ms + kTransferOfferMs}};
  auto inserts = auditOf(deps_, by.caller, context.number(), "project.transferOffered",
                         "projects/" + context.id().str(), recipient(input.userId));
  MembershipMail mail(deps_, by.caller, context);
  if (user && mails_.begin(user->emailKey)) mail.offered(user->email, offer.expiresAt, inserts);
  store::Write write = projectWrite(by, {context.number()}, std::move(inserts));
  const store::Target changed = write.change(target(kProjects, context.id().str()));
  const store::Target membership = write.hold(target(kMemberships, context.membershipId));
  const auto callback = [changed, membership, &offer = std::as_const(offer), paying = own.id](
                            const store::PreImages& before, store::Changes& changes) -> Result<> {
    TRY(std::optional<ProjectRecord> record, fromStore<ProjectRecord>(before[changed]));
    TRY(const auto actor, fromStore<MembershipRecord>(before[membership]));
    RETURN_IF_ERROR(mustOwn({record, actor}));
    if (!isOwner(*record, offer.to.str())) return fail(notAnOwner());
    if (record->organizationId == paying) return fail(ErrorCode::conflict, "this user pays for the project already");
    record->transfer = offer;
    changes.put(changed, doc::encode(*record));
    return {};
  };
  CO_RETURN_IF_ERROR(co_await deps_.store.write(std::move(write), callback));
  mail.wake();
  co_return true;
}

Task<> Transfers::withdraw(By by, std::string project) {
  CO_TRY(const MembershipContext context, co_await ownedRoot(by, std::move(project)));
  store::Write write = projectWrite(
      by, {context.number()},
      auditOf(deps_, by.caller, context.number(), "project.transferWithdrawn", "projects/" + context.id().str()));
  const store::Target changed = write.change(target(kProjects, context.id().str()));
  const store::Target membership = write.hold(target(kMemberships, context.membershipId));
  const auto callback = [changed, membership, now = deps_.clock.now()](const store::PreImages& before,
                                                                       store::Changes& changes) -> Result<> {
    TRY(std::optional<ProjectRecord> record, fromStore<ProjectRecord>(before[changed]));
    TRY(const auto actor, fromStore<MembershipRecord>(before[membership]));
    RETURN_IF_ERROR(mustOwn({record, actor}));
    if (!isOpen(record->transfer, now)) return fail(noOffer());
    record->transfer.reset();
    changes.put(changed, doc::encode(*record));
    return {};
  };
  CO_RETURN_IF_ERROR(co_await deps_.store.write(std::move(write), callback));
  co_return Result<>();
}

// ---- moving

Task<> Transfers::accept(By by, std::string project) {
  CO_TRY(const MembershipContext context, co_await membershipContext(deps_, by, std::move(project)));
  if (context.project->get(deps_.record).parentId.value) co_return fail(onlyRoots());
  co_return co_await moveToCaller(by, context, true);
}

Task<> Transfers::moveToCaller(By by, const MembershipContext& context, bool offered) {
  co_return co_await store::retryWrite(
      kMaxQuotaAttempts, Error(ErrorCode::conflict, "this project is being changed at the same time: try again"),
      [&] { return tryMove(by, context, offered); });
}

Task<> Transfers::tryMove(By by, const MembershipContext& context, bool offered) {
  CO_TRY(const auto stored, co_await deps_.store.get(controlCollection(kProjects), context.id().str()));
  CO_TRY(auto known, fromStore<ProjectRecord>(stored));
  if (!known || known->status == "deleted") co_return fail(ErrorCode::notFound, "no such project");
  if (offered && !isOfferedTo(*known, by.caller.id, deps_.clock.now())) co_return fail(noOffer());
  CO_TRY(OrganizationRecord own, co_await organizationOf(deps_.store, by.caller.id));
  if (known->organizationId == own.id) co_return Result<>();
  CO_TRY(const ProjectQuota quota, co_await projectQuota(deps_.store, deps_.plans, std::move(own)));
  co_return co_await commitMove(by, context, *std::move(known), quota, offered);
}

Task<> Transfers::commitMove(By by, const MembershipContext& context, ProjectRecord known, const ProjectQuota& quota,
                             bool offered) {
  CO_TRY(const Family family, co_await familyOf(deps_.store, known));
  std::vector<store::ProjectNo> moved = family.numbers;
  moved.push_back(context.number());
  store::Write write =
      projectWrite(by, std::move(moved),
                   auditOf(deps_, by.caller, context.number(), "project.transferred", "projects/" + context.id().str(),
                           movement(known.organizationId, quota.organization)));
  const MoveWrite moving(write, context, known, family, quota);
  const std::string* offeredTo = offered ? &by.caller.id : nullptr;
  const auto callback = [&moving = std::as_const(moving), offeredTo, now = deps_.clock.now()](
                            const store::PreImages& before, store::Changes& changes) {
    return moving.apply(offeredTo, now, before, changes);
  };
  CO_RETURN_IF_ERROR(co_await deps_.store.write(std::move(write), callback));
  co_return Result<>();
}

}  // namespace mb::projects
