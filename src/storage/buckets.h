// The buckets of a project. The routes check permissions; every change is audited in its own commit.
#pragma once

#include "audit/audit.h"
#include "data/policy_sets.h"
#include "jobs/jobs.h"
#include "projects/claim_dependent.h"
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

// References outlive it.
struct BucketsDeps {
  store::DocumentStore& store;
  snapshot::Snapshots& snapshots;
  snapshot::SlotKey<BucketTable> slot;
  snapshot::SlotKey<data::CollectionTable> collections;
  jobs::Queue& queue;
  IdGenerator& ids;
  const Clock& clock;
  audit::Auditor& auditor;
};

class Buckets final : public data::SetUser, public projects::ClaimDependent {
 public:
  explicit Buckets(BucketsDeps deps) : deps_(deps) {}

  std::vector<BucketView> list(const snapshot::ProjectSnapshot& project) const;  // by name
  // Fails with validation (also for rules that name a set which the project does not have); conflict for a taken name
  // (without regard to case), or past store::kMaxBuckets.
  Task<BucketView> create(Access access, NewBucket input);
  // Both fail with notFound where the bucket does not exist; change also with validation.
  Task<> change(Access access, std::string name, BucketPatch patch);
  // Deletes the bucket with all its files: they are inaccessible at once, and a job removes them.
  Task<> remove(Access access, std::string name);

  // The buckets whose rules name the set.
  std::vector<std::string> usersOf(const snapshot::ProjectSnapshot& project, std::string_view set) const override;
  // For rules that name one of the claims.
  Task<std::vector<projects::ClaimUse>> claimUses(snapshot::SnapshotPtr project,
                                                  std::vector<std::string> claims) override;

 private:
  // Fails with validation. Rules are checked against the project's sets and claims as they are now.
  Task<> checkRulesNow(const Access& access, std::string readers, const std::optional<doc::Document>& rules) const;

  const BucketsDeps deps_;
};

}  // namespace mb::storage
