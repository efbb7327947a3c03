// FileAccess decides what callers may do with files, and nothing else does: the rules of the bucket where it has some
// and they hold for the caller, else permissions and the owner of the file (docs/storage.md, "Access"). A FileGrant is
// its decision about an operation in a bucket; evaluate() decides about one file.
#pragma once

#include "data/caller_sets.h"
#include "storage/access.h"
#include "storage/bucket_table.h"

namespace mb::storage {

struct FileGrant {
  BucketPtr bucket;
  policy::Operation operation = policy::Operation::read;
  bool ownOnly = false;                // only files whose owner is the caller
  const policy::Rule* rule = nullptr;  // of `bucket`; null: none holds for the caller
  doc::Filter filter;                  // of the rule, with the caller's values
  policy::SetValues sets;              // of the caller, those that the rule names
  bool awaitsSets = false;             // `sets` and `filter` are missing: FileAccess::complete()
  policy::Trace* trace = nullptr;

  // Whether each file has to be evaluated.
  bool dependsOnFile() const { return rule != nullptr && (!rule->unrestricted() || rule->validates()); }
};

// The fields of a new record that are known.
enum class Known { all, allButSize };

// Whether the grant covers the change of a file from `before` (null: a new file) to `after`; both are the file where it
// is read or removed. Fails with notFound for a file that the caller must not know of, forbidden, queryTooCostly.
Result<> evaluate(const FileGrant& grant, const policy::Caller& caller, const FileRecord* before,
                  const FileRecord& after, Timestamp now, Known known = Known::all);

// The owner that each file has that matches the filter; "" if it names none.
std::string ownerOf(const doc::Filter& filter);

// What a caller who must not know of a file gets.
Error noFile();

class FileAccess {
 public:
  FileAccess(snapshot::SlotKey<data::CollectionTable> collections, data::CallerSets& sets)
      : collections_(collections), sets_(sets) {}

  // Fails with forbidden: the permission, no rule, a placeholder without a value; for a caller without a token, who
  // only reads public buckets, with notFound and unauthenticated. Where values of the caller's sets are not cached, the
  // grant `awaitsSets`.
  Result<FileGrant> find(const Access& access, BucketPtr bucket, policy::Operation operation) const;
  // Reads the sets of a grant that awaits them. Fails with forbidden, and as a read of the store does.
  Task<> complete(FileGrant& grant, const Access& access) const;

  const data::CollectionTable& collections(const snapshot::ProjectSnapshot& project) const {
    return project.get(collections_);
  }

  // Whether a write depends on the file that it replaces, or on being the first.
  static bool readsBeforeWrite(const Bucket& bucket, const policy::Caller& caller);
  // Whether the caller sees and changes the bucket's folders; by the folders' owners, where it has no rules.
  static bool reachesFolders(const Bucket& bucket, const policy::Caller& caller);
  // End users who have only the built-in role, which reaches their own files in buckets without rules.
  static bool reachesOwnOnly(const policy::Caller& caller);
  // Fails with forbidden without the permission to write files.
  static Result<> mayWrite(const policy::Caller& caller);

 private:
  snapshot::SlotKey<data::CollectionTable> collections_;
  data::CallerSets& sets_;
};

}  // namespace mb::storage
