#include "billing/plan_types.h"

#include <algorithm>
#include <cmath>

#include "projects/project_rules.h"

namespace mb::billing {

namespace {

std::string pointer(std::string_view field) {
  return "/" + std::string(field);
}

void addProblems(const LimitsPatch& limits, std::vector<ErrorDetail>& problems) {
  for (const plans::Limit limit : plans::kAllLimits) {
    const doc::Patch<int64_t>& given = limits.at(limit);
    if (given.state != doc::Patch<int64_t>::State::value) continue;
    if (given.value < 0 || given.value > kMaxLimit) {
      problems.push_back({"/limits/" + std::string(plans::nameOf(limit)),
                          fmt::format("must be an integer from 0 to {}, or null for unlimited", kMaxLimit)});
    }
  }
}

void addPriceProblem(double price, std::string path, std::vector<ErrorDetail>& problems) {
  if (std::isfinite(price) && price >= 0 && price <= kMaxPrice) return;
  problems.push_back({std::move(path), fmt::format("must be a number from 0 to {:.0f}", kMaxPrice)});
}

bool isCurrency(std::string_view text) {
  return text.size() == 3 && std::ranges::all_of(text, [](char c) { return c >= 'A' && c <= 'Z'; });
}

bool isSame(const plans::Limits& a, const plans::Limits& b) {
  return std::ranges::all_of(plans::kAllLimits, [&](plans::Limit limit) { return a.at(limit) == b.at(limit); });
}

}  // namespace

const doc::Patch<int64_t>& LimitsPatch::at(plans::Limit limit) const {
  return plans::memberOf(limit, maxProjects, storageBytes, functionRunsPerMonth, vectors, realtimeConnections,
                         environmentsPerProject);
}

Result<> check(const LimitsPatch& limits) {
  std::vector<ErrorDetail> problems;
  addProblems(limits, problems);
  return projects::refuseIfAny(std::move(problems));
}

Result<> check(const PlanPatch& patch) {
  std::vector<ErrorDetail> problems;
  if (patch.name && !projects::checkName(*patch.name)) problems.push_back({"/name", "must be 1 to 100 characters"});
  if (patch.priceUsdMonthly) addPriceProblem(*patch.priceUsdMonthly, "/priceUsdMonthly", problems);
  if (patch.limits) addProblems(*patch.limits, problems);
  return projects::refuseIfAny(std::move(problems));
}

Result<> check(const CostModel& model) {
  std::vector<ErrorDetail> problems;
  if (!isCurrency(model.currency)) {
    problems.push_back({"/currency", "must be three capital letters, such as USD (ISO 4217)"});
  }
  const CostUnits& costs = model.unitCosts;
  for (const auto& [field, cost] : {std::pair("storageGiBMonth", costs.storageGiBMonth),
                                    std::pair("millionFunctionRuns", costs.millionFunctionRuns),
                                    std::pair("millionVectorsMonth", costs.millionVectorsMonth),
                                    std::pair("thousandConnectionHours", costs.thousandConnectionHours)}) {
    addPriceProblem(cost, "/unitCosts" + pointer(field), problems);
  }
  addPriceProblem(model.margin, "/margin", problems);
  return projects::refuseIfAny(std::move(problems));
}

std::vector<PinnedLimit> pinnedOf(const LimitsPatch& limits) {
  std::vector<PinnedLimit> pinned;
  for (const plans::Limit limit : plans::kAllLimits) {
    const doc::Patch<int64_t>& given = limits.at(limit);
    if (!given.given()) continue;
    PinnedLimit& pin = pinned.emplace_back(std::string(plans::nameOf(limit)));
    if (given.state == doc::Patch<int64_t>::State::value) pin.max.value = given.value;
  }
  return pinned;
}

Result<> apply(PlanRecord& plan, const PlanPatch& patch, Timestamp now) {
  const plans::Limits before = plan.limits;
  if (patch.name) {
    TRY(plan.name, projects::checkName(*patch.name));
  }
  if (patch.priceUsdMonthly) plan.priceUsdMonthly = *patch.priceUsdMonthly;
  if (patch.grandfather) plan.grandfather = *patch.grandfather;
  if (patch.limits) {
    for (const PinnedLimit& given : pinnedOf(*patch.limits)) {
      for (const plans::Limit limit : plans::kAllLimits) {
        if (given.limit == plans::nameOf(limit)) plan.limits.at(limit) = given.max.value;
      }
    }
  }
  if (!plan.grandfather) {
    plan.earlier.reset();
    return {};
  }
  if (isSame(before, plan.limits)) return {};
  if (!plan.earlier) plan.earlier.emplace();
  if (plan.earlier->size() >= kMaxEarlierLimits) {
    return fail(ErrorCode::conflict,
                fmt::format("{} earlier changes left holders of this plan out: end that with grandfather: false first",
                            kMaxEarlierLimits));
  }
  // Later than each holder's start, also one in this millisecond: a plan that begins after this change starts at
  // `until` or later.
  int64_t until = now.ms + 1;
  if (!plan.earlier->empty()) until = std::max(until, plan.earlier->back().until.ms + 1);
  plan.earlier->push_back({{until}, before});
  return {};
}

}  // namespace mb::billing
