#include "data/vector_quota.h"

namespace mb::data {

std::optional<int64_t> VectorQuota::max(const snapshot::ProjectSnapshot& project) const {
  return plan_ ? project.get(*plan_).max(plans::Limit::vectors) : std::nullopt;
}

std::vector<store::CounterLimit> VectorQuota::limits(const snapshot::ProjectSnapshot& project) const {
  const std::optional<int64_t> vectors = max(project);
  if (!vectors) return {};
  return {{vectorCounterOf(project.info().number), *vectors}};
}

Error VectorQuota::exceeded(const snapshot::ProjectSnapshot& project, int64_t use) const {
  return plans::exceeded(project.get(*plan_), plans::Limit::vectors, max(project).value_or(0), use);
}

bool VectorQuota::refused(const Error& error) {
  const Violation* violation = error.violation();
  return violation != nullptr && violation->kind == Violation::Kind::limit;
}

Async<Error> VectorQuota::explained(snapshot::SnapshotPtr project, Error error) const {
  if (!refused(error) || !project || !max(*project)) co_return error;
  const Result<int64_t> now = co_await use(project->info().number);
  if (!now) co_return now.error().clone();
  co_return exceeded(*project, *now);
}

}  // namespace mb::data
