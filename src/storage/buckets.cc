#include "storage/buckets.h"

#include <algorithm>

#include "identity/records.h"
#include "storage/storage_rules.h"
#include "store/records.h"

namespace mb::storage {

namespace {

Error noBucket() {
  return Error(ErrorCode::notFound, "no such bucket");
}

store::CollectionRef in(const Access& access) {
  return {access.project->info().number, kBuckets, 0};
}

Result<BucketRecord> existing(const std::optional<doc::Document>& before, std::string_view name) {
  if (!before) return fail(noBucket());
  TRY(BucketRecord record, store::fromStore<BucketRecord>(before->view()));
  if (record.name != name) return fail(noBucket());
  return record;
}

doc::Document detailsOf(std::string_view access) {
  doc::BsonWriter out;
  out.appendString("access", access);
  return out.finish();
}

}  // namespace

std::vector<BucketView> Buckets::list(const snapshot::ProjectSnapshot& project) const {
  std::vector<BucketView> views;
  for (const auto& [key, record] : project.get(deps_.slot).byKey) views.push_back(viewOf(record));
  std::ranges::sort(views, {}, &BucketView::name);
  return views;
}

Task<> Buckets::commit(const Access& access, std::vector<store::WriteTarget> targets, store::Judge judge,
                       std::string action, std::string name, doc::Document details) {
  const policy::Caller& by = access.caller;
  const store::ProjectNo project = access.project->info().number;
  std::vector<store::Insert> entries = deps_.auditor.entry(project, std::move(action), identity::auditActorOf(by),
                                                           "buckets/" + name, by.ip, by.requestId, std::move(details));
  for (const store::Insert& entry : entries) {
    targets.push_back({entry.collection, std::string(entry.document.view().stringOr("id")), true});
  }
  store::Judge whole = [judge = std::move(judge),
                        entries = std::move(entries)](Before before) mutable -> Result<Changes> {
    TRY(Changes changes, judge(before));
    for (store::Insert& entry : entries) changes.push_back(store::Change::put(std::move(entry.document)));
    return changes;
  };
  store::WriteOptions options{.deadline = access.deadline, .actor = policy::actorOf(by), .bumpEpochs = {project}};
  CO_CHECK(co_await deps_.store.write(std::move(targets), std::move(whole), std::move(options)));
  co_return Result<>();
}

Task<BucketView> Buckets::create(Access access, NewBucket input) {
  CO_CHECK(check(input));
  BucketRecord record;
  record.id = bucketKey(input.name);
  record.name = std::move(input.name);
  record.bucketId = "bkt_" + deps_.ids.next();
  record.access = input.access.value_or("private");
  record.createdAt = deps_.clock.now();
  store::Judge judge = [&](Before before) -> Result<Changes> {
    if (before[0]) return fail(ErrorCode::conflict, "there is a bucket of this name already");
    Changes changes;
    changes.push_back(store::Change::put(doc::encode(record)));
    return changes;
  };
  CO_CHECK(co_await commit(access, {{in(access), record.id}}, std::move(judge), "bucket.created", record.name,
                           detailsOf(record.access)));
  co_return viewOf(record);
}

Task<> Buckets::change(Access access, std::string name, BucketPatch patch) {
  CO_CHECK(checkAccess(patch.access));
  store::Judge judge = [&](Before before) -> Result<Changes> {
    TRY(BucketRecord record, existing(before[0], name));
    record.access = patch.access;
    Changes changes;
    changes.push_back(store::Change::put(doc::encode(record)));
    return changes;
  };
  co_return co_await commit(access, {{in(access), bucketKey(name)}}, std::move(judge), "bucket.changed", name,
                            detailsOf(patch.access));
}

Task<> Buckets::remove(Access access, std::string name) {
  const BucketRecord* known = access.project->get(deps_.slot).find(name);
  if (known == nullptr) co_return fail(noBucket());
  const std::string bucketId = known->bucketId;
  const store::ProjectNo project = access.project->info().number;
  CO_TRY(auto job, deps_.queue.asChange({.kind = std::string(kBucketJob),
                                         .project = project,
                                         .payload = doc::encode(GoneBucket{project, bucketId})}));
  const std::string jobId = job.first.id;
  std::vector<store::WriteTarget> targets{{in(access), bucketKey(name)}, std::move(job.first)};
  store::Judge judge = [&](Before before) -> Result<Changes> {
    TRY(const BucketRecord record, existing(before[0], name));
    if (record.bucketId != bucketId) return fail(noBucket());
    Changes changes;
    changes.push_back(store::Change::remove());
    changes.push_back(std::move(job.second));
    return changes;
  };
  CO_CHECK(co_await commit(access, std::move(targets), std::move(judge), "bucket.deleted", name, {}));
  deps_.queue.wake({jobId});
  co_return Result<>();
}

}  // namespace mb::storage
