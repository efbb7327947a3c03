#include "storage/buckets.h"

#include <algorithm>

#include "identity/audited_write.h"
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

Task<BucketView> Buckets::create(Access access, NewBucket input) {
  CO_RETURN_IF_ERROR(check(input));
  BucketRecord record;
  record.id = bucketKey(input.name);
  record.name = std::move(input.name);
  record.bucketId = "bkt_" + deps_.ids.next();
  record.access = input.access.value_or("private");
  record.createdAt = deps_.clock.now();
  store::Write write = identity::auditedWrite(deps_.auditor, access,
                                              {"bucket.created", "buckets/" + record.name, detailsOf(record.access)});
  const store::Target bucket = write.change(in(access), record.id);
  CO_RETURN_IF_ERROR(co_await deps_.store.write(
      std::move(write),
      [bucket, &record = std::as_const(record)](const store::PreImages& before, store::Changes& changes) -> Result<> {
        if (before[bucket]) return fail(ErrorCode::conflict, "a bucket of this name exists: use another name");
        changes.put(bucket, doc::encode(record));
        return {};
      }));
  co_return viewOf(record);
}

Task<> Buckets::change(Access access, std::string name, BucketPatch patch) {
  CO_RETURN_IF_ERROR(checkAccess(patch.access));
  store::Write write =
      identity::auditedWrite(deps_.auditor, access, {"bucket.changed", "buckets/" + name, detailsOf(patch.access)});
  const store::Target bucket = write.change(in(access), bucketKey(name));
  CO_RETURN_IF_ERROR(co_await deps_.store.write(
      std::move(write),
      [bucket, name, to = patch.access](const store::PreImages& before, store::Changes& changes) -> Result<> {
        TRY(BucketRecord record, existing(before[bucket], name));
        record.access = to;
        changes.put(bucket, doc::encode(record));
        return {};
      }));
  co_return Result<>();
}

Task<> Buckets::remove(Access access, std::string name) {
  const BucketRecord* known = access.project->get(deps_.slot).find(name);
  if (known == nullptr) co_return fail(noBucket());
  const std::string bucketId = known->bucketId;
  const store::ProjectNo project = access.project->info().number;
  CO_TRY(store::Insert job, deps_.queue.insertOf({.kind = std::string(kBucketJob),
                                                  .project = project,
                                                  .payload = doc::encode(DeletedBucket{project, bucketId})}));
  const std::string jobId = job.id();
  store::Write write = identity::auditedWrite(deps_.auditor, access, {"bucket.deleted", "buckets/" + name, {}});
  const store::Target bucket = write.change(in(access), bucketKey(name));
  write.insert(std::move(job));
  CO_RETURN_IF_ERROR(co_await deps_.store.write(
      std::move(write), [bucket, name, bucketId](const store::PreImages& before, store::Changes& changes) -> Result<> {
        TRY(const BucketRecord record, existing(before[bucket], name));
        if (record.bucketId != bucketId) return fail(noBucket());
        changes.remove(bucket);
        return {};
      }));
  deps_.queue.wake({jobId});
  co_return Result<>();
}

}  // namespace mb::storage
