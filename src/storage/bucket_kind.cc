#include "storage/bucket_kind.h"

#include "storage/storage_rules.h"
#include "store/configuration_limits.h"

namespace mb::storage {

BucketKind::BucketKind(Buckets& buckets)
    : NamedKind({.section = "buckets",
                 .permission = "storage:manage",
                 .name = &NewBucket::name,
                 .fold = bucketKey,
                 .limit = store::kMaxBuckets,
                 .plural = "buckets"}),
      buckets_(buckets) {}

std::vector<NewBucket> BucketKind::stored(const snapshot::ProjectSnapshot& project) const {
  std::vector<NewBucket> all;
  for (BucketView& view : buckets_.list(project)) all.push_back({std::move(view.name), std::move(view.access)});
  return all;
}

std::vector<ErrorDetail> BucketKind::problemsIn(const NewBucket& bucket) const {
  return problemsOf(bucket);
}

void BucketKind::complete(NewBucket& bucket, const Incoming& incoming) const {
  if (!bucket.access) bucket.access = incoming.current ? incoming.current->access : "private";
}

Task<> BucketKind::save(configuration::Target target, NewBucket bucket, bool exists) {
  const Access access{target.caller, target.project, target.deadline};
  if (exists) co_return co_await buckets_.change(access, bucket.name, BucketPatch{bucket.access.value_or("private")});
  const auto made = co_await buckets_.create(access, std::move(bucket));
  if (!made) co_return fail(made.error().clone());
  co_return Result<>();
}

}  // namespace mb::storage
