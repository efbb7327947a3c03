#include "billing/billing_types.h"

namespace mb::billing {

namespace {

store::IndexSpec index(std::string name, std::vector<std::string> paths, bool sparse = false) {
  store::IndexSpec spec;
  spec.name = std::move(name);
  for (std::string& path : paths) spec.keys.push_back({std::move(path), 1});
  spec.sparse = sparse;
  return spec;
}

}  // namespace

std::vector<store::SystemCollection> systemCollections() {
  // Events are found by the customer whose user was not known yet, and removed by age.
  return {
      {kPlans, "__billing_plans", {}},
      {kAccounts, "__billing_accounts", {index("customer", {"customer"}, true)}},
      {kEvents, "__billing_events", {index("customer", {"customer", "applied"}), index("received", {"receivedAt"})}},
      {kCostModel, "__billing_cost_model", {}},
      {.number = kUsageDays,
       .name = "__billing_usage_days",
       .indexes = {index("project", {"projectId", "day"})},
       .projectField = "projectId"},
      {.number = kLimitMails,
       .name = "__billing_limit_mails",
       .indexes = {index("project", {"projectId"}, true)},
       .projectField = "projectId"}};
}

}  // namespace mb::billing
