#include "billing/catalogue.h"

#include <algorithm>

#include "store/records.h"

namespace mb::billing {

namespace {

constexpr int64_t kGiB = int64_t{1} << 30;
constexpr int64_t kTiB = int64_t{1} << 40;

PlanRecord planOf(std::string slug, std::string name, double price, plans::Limits limits) {
  return {.id = std::move(slug), .name = std::move(name), .priceUsdMonthly = price, .limits = limits};
}

std::vector<PlanRecord> plansOfTheCode() {
  return {planOf(std::string(kFree), "Free", 0, {{3}, {kGiB}, {100'000}, {50'000}, {100}, {2}}),
          planOf("pro", "Pro", 25, {{20}, {50 * kGiB}, {5'000'000}, {1'000'000}, {5'000}, {5}}),
          planOf("scale", "Scale", 199, {{200}, {kTiB}, {100'000'000}, {20'000'000}, {50'000}, {20}})};
}

const PinnedLimit* pinnedOf(const AccountRecord& account, plans::Limit limit) {
  if (!account.pinned) return nullptr;
  const auto found = std::ranges::find(*account.pinned, plans::nameOf(limit), &PinnedLimit::limit);
  return found == account.pinned->end() ? nullptr : &*found;
}

struct Choice {
  Source source = Source::free;
  const PlanRecord* plan = nullptr;
};

Choice chosenPlan(const Catalogue& catalogue, const AccountRecord& account) {
  const bool subscriptionIsLast =
      account.subscription && (!account.grant || account.subscription->appliedAt >= account.grant->at);
  if (subscriptionIsLast) {
    const PlanRecord* plan = account.subscription->counts() ? catalogue.find(account.subscription->plan) : nullptr;
    if (plan != nullptr) return {Source::subscription, plan};
  } else if (account.grant) {
    if (const PlanRecord* plan = catalogue.find(account.grant->plan)) return {Source::grant, plan};
  }
  return {Source::free, &catalogue.free()};
}

}  // namespace

std::string_view nameOf(Source source) {
  switch (source) {
    case Source::free:
      return "free";
    case Source::subscription:
      return "subscription";
    case Source::grant:
      return "grant";
  }
  return "";
}

Catalogue::Catalogue() : plans_(plansOfTheCode()) {}

const PlanRecord* Catalogue::find(std::string_view slug) const {
  const auto found = std::ranges::find(plans_, slug, &PlanRecord::id);
  return found == plans_.end() ? nullptr : &*found;
}

const PlanRecord& Catalogue::free() const {
  return *find(kFree);
}

std::vector<std::string> planSlugs() {
  std::vector<std::string> slugs;
  for (const PlanRecord& plan : Catalogue().plans()) slugs.push_back(plan.id);
  return slugs;
}

Catalogue catalogueOf(std::vector<PlanRecord> stored) {
  std::vector<PlanRecord> plans = plansOfTheCode();
  for (PlanRecord& record : stored) {
    const auto known = std::ranges::find(plans, record.id, &PlanRecord::id);
    if (known != plans.end()) *known = std::move(record);
  }
  std::ranges::sort(plans, {}, [](const PlanRecord& plan) { return std::pair(plan.priceUsdMonthly, plan.id); });
  return Catalogue(std::move(plans));
}

Task<Catalogue> readCatalogue(store::DocumentStore& store) {
  CO_TRY(const auto found, co_await store.getMany(billingCollection(kPlans), planSlugs()));
  std::vector<PlanRecord> records;
  for (const std::optional<doc::Document>& document : found) {
    CO_TRY(std::optional<PlanRecord> record, store::fromStore<PlanRecord>(document));
    if (record) records.push_back(*std::move(record));
  }
  co_return catalogueOf(std::move(records));
}

const plans::Limits& limitsOf(const PlanRecord& plan, std::optional<Timestamp> since) {
  if (since && plan.earlier) {
    const auto held = std::ranges::find_if(*plan.earlier, [&](const EarlierLimits& one) { return *since < one.until; });
    if (held != plan.earlier->end()) return held->limits;
  }
  return plan.limits;
}

AccountPlan planInForce(const Catalogue& catalogue, const AccountRecord* account) {
  if (account == nullptr) {
    const PlanRecord& free = catalogue.free();
    return {Source::free, {free.id, free.name, free.limits}};
  }
  const auto [source, plan] = chosenPlan(catalogue, *account);
  const bool isHeld = account->held && account->held->plan == plan->id;
  AccountPlan result{
      source, {plan->id, plan->name, limitsOf(*plan, isHeld ? std::optional(account->held->since) : std::nullopt)}};
  for (const plans::Limit limit : plans::kAllLimits) {
    if (const PinnedLimit* pinned = pinnedOf(*account, limit)) result.plan.limits.at(limit) = pinned->max.value;
  }
  return result;
}

}  // namespace mb::billing
