#include "cli/billing_views.h"

#include "cli/text_table.h"

namespace mb::cli {

namespace {

// Those that every project has by itself.
constexpr std::array kOfProjects = {plans::Limit::storageBytes, plans::Limit::functionRunsPerMonth,
                                    plans::Limit::vectors, plans::Limit::realtimeConnections,
                                    plans::Limit::environmentsPerProject};

// "1.2 GiB of 50.0 GiB", "7 (unlimited)".
std::string useOf(plans::Limit limit, int64_t use, std::optional<int64_t> max) {
  return fmt::format("{} {}", amountOf(limit, use), max ? "of " + amountOf(limit, max) : "(unlimited)");
}

// "Pro (pro), 25 USD a month, by a subscription"
std::string describePlan(const BilledAccount& account) {
  const std::string_view source = account.source == "subscription" ? ", by a subscription"
                                  : account.source == "grant"      ? ", granted by an operator"
                                                                   : "";
  return fmt::format("{} ({}), {} USD a month{}", account.plan.name, account.plan.slug, account.plan.priceUsdMonthly,
                     source);
}

// "active (pro), until 2026-12-27", "past_due (pro)"
std::string describeSubscription(const std::optional<BilledSubscription>& subscription) {
  if (!subscription) return "none";
  std::string out = fmt::format("{} ({})", subscription->status, subscription->plan);
  const std::optional<std::string>& end = subscription->currentPeriodEnd.value;
  if (!end) return out;
  const std::string_view day = std::string_view(*end).substr(0, 10);
  return out + fmt::format(", {} {}", subscription->cancelAtPeriodEnd ? "ends" : "paid until", day);
}

}  // namespace

std::string textOf(const BilledAccount& account) {
  const std::optional<int64_t>& max = account.limits.at(plans::Limit::maxProjects);
  const std::string projects = account.projects.empty()
                                   ? fmt::format("none (at most {})", amountOf(plans::Limit::maxProjects, max))
                                   : useOf(plans::Limit::maxProjects, account.projects.front().usage.projects, max);
  std::string out = tableOf({{"plan", describePlan(account)},
                             {"subscription", describeSubscription(account.subscription.value)},
                             {"projects", projects}});
  std::vector<std::vector<std::string>> rows = {{"project"}, {"(limit of each)"}};
  for (const plans::Limit limit : kOfProjects) {
    rows[0].emplace_back(plans::nameOf(limit));
    rows[1].push_back(amountOf(limit, account.limits.at(limit)));
  }
  for (const BilledProject& project : account.projects) {
    std::vector<std::string>& row = rows.emplace_back();
    row.push_back(project.name);
    for (const plans::Limit limit : kOfProjects) row.push_back(amountOf(limit, project.usage.at(limit)));
  }
  return out + "\n" + tableOf(rows);
}

std::string textOf(const ProjectPlan& project) {
  std::vector<std::vector<std::string>> rows = {{"plan", *project.plan.value}};
  for (const plans::Limit limit : plans::kAllLimits) {
    rows.push_back({std::string(plans::nameOf(limit)),
                    useOf(limit, project.usage.value->at(limit), project.limits.value->at(limit))});
  }
  return tableOf(rows);
}

std::string textOf(const BilledPlans& plans) {
  std::vector<std::vector<std::string>> rows = {{"plan", "name", "USD a month"}};
  for (const plans::Limit limit : plans::kAllLimits) rows[0].emplace_back(plans::nameOf(limit));
  rows[0].emplace_back("grandfather");
  for (const BilledPlan& plan : plans.plans) {
    std::vector<std::string>& row = rows.emplace_back();
    row = {plan.slug, plan.name, fmt::format("{}", plan.priceUsdMonthly)};
    const plans::Limits limits = plan.limits.value_or(plans::Limits());
    for (const plans::Limit limit : plans::kAllLimits) row.push_back(amountOf(limit, limits.at(limit)));
    row.emplace_back(plan.grandfather.value_or(false) ? "on" : "off");
  }
  return tableOf(rows);
}

std::string textOf(const CostTable& costs) {
  std::vector<std::vector<std::string>> rows = {{"project", "name", "owner", "cost", "price"}};
  for (const CostRow& row : costs.projects) {
    rows.push_back({row.id, row.name, row.ownerId.value.value_or("-"), fmt::format("{:.6f}", row.cost),
                    fmt::format("{:.6f}", row.price)});
  }
  return tableOf(rows) + fmt::format("total {:.6f} {}\n", costs.total, costs.currency);
}

}  // namespace mb::cli
