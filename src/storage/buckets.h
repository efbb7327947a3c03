// The buckets of a project. The routes check permissions; every change is audited in its own commit.
#pragma once

#include "audit/audit.h"
#include "jobs/jobs.h"
#include "storage/access.h"
#include "storage/bucket_table.h"

namespace mb::storage {

inline constexpr std::string_view kBucketJob = "storage.bucket";

// The cleanup after a bucket was deleted: the payload of a kBucketJob.
struct DeletedBucket {
  int64_t project = 0;
  std::string bucket;
  static constexpr auto shape() {
    return doc::shape<DeletedBucket>("GoneBucket", doc::field("project", &DeletedBucket::project),
                                     doc::field("bucket", &DeletedBucket::bucket));
  }
};

class Buckets {
 public:
  // References outlive it.
  struct Deps {
    store::DocumentStore& store;
    snapshot::SlotKey<BucketTable> slot;
    jobs::Queue& queue;
    IdGenerator& ids;
    const Clock& clock;
    audit::Auditor& auditor;
  };
  explicit Buckets(Deps deps) : deps_(deps) {}

  std::vector<BucketView> list(const snapshot::ProjectSnapshot& project) const;  // by name
  // Fails with validation; conflict for a taken name (without regard to case), or past store::kMaxBuckets.
  Task<BucketView> create(Access access, NewBucket input);
  // Both fail with notFound where the bucket does not exist; change also with validation.
  Task<> change(Access access, std::string name, BucketPatch patch);
  // Deletes the bucket with all its files: they are inaccessible at once, and a job removes them.
  Task<> remove(Access access, std::string name);

 private:
  const Deps deps_;
};

}  // namespace mb::storage
