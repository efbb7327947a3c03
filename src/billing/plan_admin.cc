#include "billing/plan_admin.h"

#include "billing/project_pages.h"
#include "identity/records.h"
#include "projects/membership_context.h"

namespace mb::billing {

namespace {

store::Target holdCaller(store::Write& write, const projects::By& by) {
  return write.hold({store::kControlProject, identity::kUsers, 0}, by.caller.id);
}

Result<bool> applyGrant(AccountRecord& account, const std::string& plan, Timestamp now) {
  const bool pays = account.subscription && account.subscription->counts();
  if (plan == kFree && !pays) return std::exchange(account.grant, std::nullopt).has_value();
  const bool isLast = account.grant && (!account.subscription || account.grant->at > account.subscription->appliedAt);
  if (isLast && account.grant->plan == plan) return false;
  account.grant = Grant{plan, now};
  return true;
}

Result<bool> applyPins(AccountRecord& account, const std::vector<PinnedLimit>& pinned) {
  if (pinned.empty()) return std::exchange(account.pinned, std::nullopt).has_value();
  account.pinned = pinned;
  return true;
}

PlanView viewOf(const PlanRecord& plan) {
  return {plan.id, plan.name, plan.priceUsdMonthly, plan.limits, plan.grandfather};
}

}  // namespace

std::vector<store::Insert> PlanAdmin::entry(const projects::By& by, std::string action, std::string target,
                                            doc::Document details) {
  audit::AuditActor actor{"platform", by.caller.id, std::nullopt};
  if (!by.caller.email.empty()) actor.email = by.caller.email;
  return deps_.auditor.entry(store::kControlProject, std::move(action), std::move(actor), std::move(target),
                             by.caller.ip, by.caller.requestId, std::move(details));
}

// ---- users

Task<> PlanAdmin::changeAccount(projects::By by, std::string userId, std::string action, doc::Document details,
                                Accounts::Mutation mutation) {
  if (!identity::isId(UserTag::prefix, userId)) co_return fail(ErrorCode::notFound, "no such user");
  AccountChange change{.userId = userId,
                       .deadline = by.deadline,
                       .actor = policy::actorOf(by.caller),
                       .entries = entry(by, std::move(action), "users/" + userId, std::move(details)),
                       .byOperator = by.caller.id,
                       .mutation = std::move(mutation)};
  CO_RETURN_IF_ERROR(co_await deps_.accounts.change(std::move(change)));
  co_return Result<>();
}

Task<> PlanAdmin::grant(projects::By by, std::string userId, std::string plan) {
  if (Catalogue().find(plan) == nullptr) {
    const std::string problem = "is not a plan: use " + fmt::format("{}", fmt::join(planSlugs(), ", "));
    co_return fail(Error(ErrorCode::validation, "/plan " + problem).withDetail("/plan", problem));
  }
  doc::Document details = doc::encode(PlanBody{plan});
  co_return co_await changeAccount(by, std::move(userId), "plan.granted", std::move(details),
                                   [plan = std::move(plan), now = deps_.clock.now()](AccountRecord& account) {
                                     return applyGrant(account, plan, now);
                                   });
}

Task<> PlanAdmin::pin(projects::By by, std::string userId, LimitsPatch limits) {
  CO_RETURN_IF_ERROR(check(limits));
  doc::Document details = doc::encode(LimitsBody{limits});
  co_return co_await changeAccount(
      by, std::move(userId), "limits.pinned", std::move(details),
      [pinned = pinnedOf(limits)](AccountRecord& account) { return applyPins(account, pinned); });
}

Task<> PlanAdmin::unpin(projects::By by, std::string userId) {
  co_return co_await changeAccount(by, std::move(userId), "limits.cleared", {},
                                   [](AccountRecord& account) { return applyPins(account, {}); });
}

// ---- the catalogue

Task<std::vector<PlanView>> PlanAdmin::plans() {
  CO_TRY(const Catalogue catalogue, co_await readCatalogue(deps_.store));
  std::vector<PlanView> views;
  for (const PlanRecord& plan : catalogue.plans()) views.push_back(viewOf(plan));
  co_return views;
}

Task<> PlanAdmin::changePlan(projects::By by, std::string slug, PlanPatch patch) {
  const Catalogue ofTheCode;
  const PlanRecord* known = ofTheCode.find(slug);
  if (known == nullptr) co_return fail(ErrorCode::notFound, "no such plan");
  CO_RETURN_IF_ERROR(check(patch));
  CO_TRY(ProjectPage page, co_await projectPage(deps_.store, std::nullopt, "", kEpochPage));
  store::Write write(
      {.deadline = by.deadline, .actor = policy::actorOf(by.caller), .bumpEpochs = numbersOf(page.projects)});
  write.insert(entry(by, "plan.changed", "plans/" + slug, doc::encode(patch)));
  const store::Target plan = write.change(billingCollection(kPlans), slug);
  const store::Target caller = holdCaller(write, by);
  const auto callback = [plan, caller, now = deps_.clock.now(), &known = std::as_const(*known),
                         &patch = std::as_const(patch)](const store::PreImages& before,
                                                        store::Changes& changes) -> Result<> {
    RETURN_IF_ERROR(mustOperate(before[caller]));
    TRY(std::optional<PlanRecord> record, store::fromStore<PlanRecord>(before[plan]));
    if (!record) record = known;
    RETURN_IF_ERROR(apply(*record, patch, now));
    changes.put(plan, doc::encode(*record));
    return {};
  };
  CO_RETURN_IF_ERROR(co_await deps_.store.write(std::move(write), callback));
  // Ids ascend: projects that were created since the first page was read are in the pages after it.
  std::string after = page.next;
  if (after.empty() && !page.projects.empty()) after = page.projects.back().id.str();
  do {
    CO_TRY(page, co_await projectPage(deps_.store, std::nullopt, std::move(after), kEpochPage));
    CO_RETURN_IF_ERROR(co_await bumpEpochs(deps_.store, {billingCollection(kPlans), slug}, numbersOf(page.projects)));
    after = std::move(page.next);
  } while (!after.empty());
  co_return Result<>();
}

// ---- costs

Task<CostModel> PlanAdmin::costModel() {
  CO_TRY(const auto stored, co_await deps_.store.get(billingCollection(kCostModel), std::string(kCostModelId)));
  CO_TRY(std::optional<CostModel> model, store::fromStore<CostModel>(stored));
  co_return model.value_or(CostModel());
}

Task<> PlanAdmin::setCostModel(projects::By by, CostModel model) {
  CO_RETURN_IF_ERROR(check(model));
  doc::BsonWriter record;
  record.appendString("id", kCostModelId);
  doc::encodeFields(record, model);
  store::Write write({.deadline = by.deadline, .actor = policy::actorOf(by.caller), .bumpEpochs = {}});
  write.insert(entry(by, "costModel.changed", "cost-model", doc::encode(model)));
  const store::Target target = write.change(billingCollection(kCostModel), std::string(kCostModelId));
  const store::Target caller = holdCaller(write, by);
  CO_RETURN_IF_ERROR(co_await deps_.store.write(
      std::move(write),
      [target, caller, next = record.finish()](const store::PreImages& before, store::Changes& changes) -> Result<> {
        RETURN_IF_ERROR(mustOperate(before[caller]));
        changes.put(target, next);
        return {};
      }));
  co_return Result<>();
}

}  // namespace mb::billing
