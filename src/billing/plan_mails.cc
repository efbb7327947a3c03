#include "billing/plan_mails.h"

#include "base/log.h"
#include "billing/calendar.h"
#include "identity/realm.h"
#include "identity/user_types.h"
#include "store/records.h"

namespace mb::billing {

namespace {

bool hasFailed(const Subscription& subscription) {
  return subscription.status == "past_due" || subscription.status == "unpaid";
}

bool isEnding(const Subscription& subscription) {
  return subscription.counts() && subscription.cancelAtPeriodEnd;
}

// The plan in force without the subscription.
std::string planWithout(const Catalogue& catalogue, AccountRecord account) {
  account.subscription.reset();
  return planInForce(catalogue, &account).plan.name;
}

// nullopt for a subscription to a plan that the catalogue does not have, which never was in force.
std::optional<mail::PlanFacts> factsOf(const Catalogue& catalogue, PlanNotice notice, const Subscription& subscription,
                                       const AccountRecord& after) {
  const PlanRecord* plan = catalogue.find(subscription.plan);
  if (plan == nullptr) return std::nullopt;
  mail::PlanFacts facts{.plan = plan->name, .next = planWithout(catalogue, after)};
  if (notice != PlanNotice::planEnding) return facts;
  if (!subscription.currentPeriodEnd.value) return std::nullopt;  // a second mail follows when it has ended
  facts.ends = textOf(dayOf(*subscription.currentPeriodEnd.value));
  return facts;
}

}  // namespace

std::optional<PlanNotice> noticeOf(const AccountRecord* before, const AccountRecord& after) {
  const Subscription* was = before != nullptr && before->subscription ? &*before->subscription : nullptr;
  const Subscription* is = after.subscription ? &*after.subscription : nullptr;
  const bool same = was != nullptr && is != nullptr && was->id == is->id;
  if (is != nullptr && hasFailed(*is)) {
    return same && hasFailed(*was) ? std::nullopt : std::optional(PlanNotice::paymentFailed);
  }
  if (is != nullptr && isEnding(*is)) {
    return same && isEnding(*was) ? std::nullopt : std::optional(PlanNotice::planEnding);
  }
  if (is != nullptr && is->counts()) return std::nullopt;
  if (was != nullptr && (was->counts() || hasFailed(*was))) return PlanNotice::planEnded;
  return std::nullopt;
}

mail::TemplatedMail planMail(mail::MailTemplate kind, std::string to, std::string_view baseUrl) {
  mail::TemplatedMail out;
  out.kind = kind;
  out.to = std::move(to);
  out.brand = {std::string(mail::kServiceName), ""};
  while (baseUrl.ends_with('/')) baseUrl.remove_suffix(1);
  out.link = std::string(baseUrl) + "/auth/login?plane=control";
  return out;
}

Task<std::vector<store::Insert>> PlanMails::insertsOf(std::optional<AccountRecord> before, AccountRecord after) {
  const std::optional<PlanNotice> notice = noticeOf(before ? &*before : nullptr, after);
  std::vector<store::Insert> inserts;
  if (!notice) co_return inserts;
  // Of a plan that has ended, what was: the subscription may have been removed or replaced.
  const bool ended = *notice == PlanNotice::planEnded;
  const Subscription& subscription = ended ? *before->subscription : *after.subscription;
  CO_TRY(const auto stored, co_await deps_.store.get({store::kControlProject, identity::kUsers, 0}, after.id));
  CO_TRY(const auto user, store::fromStore<identity::UserRecord>(stored));
  if (!user || !user->active()) co_return inserts;
  CO_TRY(const Catalogue catalogue, co_await readCatalogue(deps_.store));
  std::optional<mail::PlanFacts> facts = factsOf(catalogue, *notice, subscription, after);
  if (!facts) co_return inserts;
  const bool failed = *notice == PlanNotice::paymentFailed;
  mail::TemplatedMail mail =
      planMail(failed ? mail::MailTemplate::paymentFailed : mail::MailTemplate::planEnded, user->email, deps_.baseUrl);
  mail.facts = *std::move(facts);
  Result<store::Insert> job = deps_.mailer.insertOf(mail, store::kControlProject);
  if (job) {
    inserts.push_back(*std::move(job));
  } else {
    logInfo("mail about a plan not sent", {{"message", job.error().message()}});
  }
  co_return inserts;
}

void PlanMails::wake(std::vector<std::string> jobs) {
  for (std::string& job : jobs) deps_.mailer.wake(std::move(job));
}

}  // namespace mb::billing
