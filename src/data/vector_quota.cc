#include "data/vector_quota.h"

#include "data/data_deps.h"

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

Task<std::vector<store::CounterLimit>> vectorLimits(const DataDeps& deps, const Collection& collection) {
  if (collection.manualVectors.empty() || !deps.plan) co_return std::vector<store::CounterLimit>();
  CO_TRY(const snapshot::SnapshotPtr project, co_await deps.snapshots.byNumber(collection.ref.project));
  if (!project) co_return fail(ErrorCode::notFound, "no such project");
  co_return VectorQuota(deps.store, deps.plan).limits(*project);
}

Async<Error> vectorRefusal(const DataDeps& deps, const Collection& collection, Error error) {
  if (!VectorQuota::refused(error)) co_return error;
  const auto project = co_await deps.snapshots.byNumber(collection.ref.project);
  if (!project) co_return project.error().clone();
  co_return co_await VectorQuota(deps.store, deps.plan).explained(*project, std::move(error));
}

}  // namespace mb::data
