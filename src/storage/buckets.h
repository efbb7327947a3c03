// The buckets of a project. Permissions are the routes' business; every change is audited in its own commit.
#pragma once

#include "audit/audit.h"
#include "jobs/jobs.h"
#include "storage/access.h"
#include "storage/bucket_table.h"

namespace mb::storage {

inline constexpr std::string_view kBucketJob = "storage.bucket";

// What a bucket that is gone leaves to do: the payload of a kBucketJob.
struct GoneBucket {
  int64_t project = 0;
  std::string bucket;
  static constexpr auto shape() {
    return doc::shape<GoneBucket>("GoneBucket", doc::field("project", &GoneBucket::project),
                                  doc::field("bucket", &GoneBucket::bucket));
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
  // Both fail with notFound where there is none of the name; change with validation.
  Task<> change(Access access, std::string name, BucketPatch patch);
  // With all its files: they are out of reach at once, and a job removes them.
  Task<> remove(Access access, std::string name);

 private:
  const Deps deps_;
};

}  // namespace mb::storage
