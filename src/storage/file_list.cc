// Listings, folders and counts.
#include "base/cancellation.h"
#include "base/work_budget.h"
#include "data/visible_documents.h"
#include "storage/file_writes.h"
#include "storage/files.h"
#include "storage/storage_rules.h"
#include "store/records.h"

namespace mb::storage {

namespace {

constexpr uint64_t kEvaluatedAtOnce = 500;  // a file's record has some KiB

// Evaluates a grant on the files of a listing, within the cost that one may have.
class ListedFiles {
 public:
  ListedFiles(const FileGrant& grant, const policy::Caller& caller, Timestamp now)
      : grant_(grant), caller_(caller), now_(now) {}

  // Fails with queryTooCostly.
  Result<bool> covers(const FileRecord& file) {
    if (++evaluated_ > kMaxListed) {
      return fail(
          ErrorCode::queryTooCostly,
          fmt::format("the bucket's rule would be evaluated on more than {} files: use a longer prefix", kMaxListed));
    }
    const WorkBudget budget(std::min(left_, kCoreWork));
    const Result<> covered = evaluate(grant_, caller_, &file, file, now_);
    RETURN_IF_ERROR(budget.check());
    left_ -= budget.spent();
    if (covered) return true;
    if (covered.error().code() == ErrorCode::queryTooCostly) return fail(covered.error().clone());
    return false;
  }
  // Whether the core was held for some milliseconds since the last such result.
  bool shouldYield() {
    const auto now = std::chrono::steady_clock::now();
    if (now - since_ < kHeld) return false;
    since_ = now;
    return true;
  }

 private:
  static constexpr std::chrono::milliseconds kHeld{2};
  const FileGrant& grant_;
  const policy::Caller& caller_;
  const Timestamp now_;
  uint64_t evaluated_ = 0;
  int64_t left_ = data::kMatchWork;
  std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
};

}  // namespace

// ---- listings

Task<std::vector<doc::Document>> Files::range(store::CollectionRef collection, const BucketRecord& bucket,
                                              const std::string& owner, const FilePage& page, std::string after,
                                              store::Deadline deadline) {
  const bool all = owner.empty();
  const std::string from = all ? fileKey(bucket.bucketId, page.prefix) : page.prefix;
  doc::BsonWriter filter;
  if (!all) {
    filter.appendString("bucket", bucket.bucketId);
    filter.appendString("owner", owner);
  }
  filter.beginDocument(all ? "id" : "path");
  if (after.empty()) {
    filter.appendString("$gte", from);
  } else {
    filter.appendString("$gt", all ? fileKey(bucket.bucketId, after) : after);
  }
  filter.appendString("$lt", behind(from));
  filter.end();
  store::Query query;
  query.collection = collection;
  CO_TRY(query.filter, doc::Filter::parse(filter.finish()));
  query.limit = page.limit;
  query.skip = page.skip;
  if (!all) query.sort = {{"path", 1}};
  query.deadline = deadline;
  CO_TRY(store::QueryResult found, co_await deps_.store.find(std::move(query)));
  co_return std::move(found.documents);
}

Task<std::vector<FileRecord>> Files::evaluated(const Access& access, const FileGrant& grant, const FilePage& page) {
  std::vector<FileRecord> listed;
  if (page.limit == 0) co_return listed;
  const std::string owner = ownerOf(grant.filter);
  const store::CollectionRef files = inProject(access, kFiles);
  const FilePage part{page.prefix, kEvaluatedAtOnce, 0};
  ListedFiles candidates(grant, access.caller, deps_.clock.now());
  uint64_t skip = page.skip;
  std::string after;
  while (true) {
    CO_TRY(const auto found,
           co_await range(files, grant.bucket->record, owner, part, std::move(after), access.deadline));
    CO_TRY(std::vector<FileRecord> records, store::fromStore<FileRecord>(found));
    if (records.empty()) co_return listed;
    after = records.back().path;
    const bool last = records.size() < kEvaluatedAtOnce;
    for (FileRecord& record : records) {
      if (candidates.shouldYield()) CO_RETURN_IF_ERROR(co_await yieldCore());
      CO_TRY(const bool covered, candidates.covers(record));
      if (!covered) continue;
      if (skip > 0) {
        --skip;
        continue;
      }
      listed.push_back(std::move(record));
      if (listed.size() == page.limit) co_return listed;
    }
    if (last) co_return listed;
  }
}

Task<FileList> Files::list(Access access, std::string bucket, FilePage page) {
  BucketPtr known = access.project->get(deps_.slot).find(bucket);
  if (known == nullptr) co_return fail(ErrorCode::notFound, "no such bucket");
  CO_TRY(const FileGrant grant, co_await grantOf(access, std::move(known), policy::Operation::list));
  FileList list;
  // A longer prefix matches no path.
  if (page.prefix.size() > kMaxPathBytes) co_return list;
  const BucketRecord& found = grant.bucket->record;
  const store::ProjectNo project = access.project->info().number;
  const std::string owner = grant.ownOnly ? access.caller.id : "";
  std::vector<FileRecord> records;
  if (grant.dependsOnFile()) {
    CO_TRY(records, co_await evaluated(access, grant, page));
  } else {
    CO_TRY(const auto files, co_await range(inProject(project, kFiles), found, owner, page, "", access.deadline));
    CO_TRY(records, store::fromStore<FileRecord>(files));
  }
  for (const FileRecord& record : records) list.files.push_back(viewOf(record));
  if (page.skip > 0 || !FileAccess::reachesFolders(*grant.bucket, access.caller)) co_return list;
  page.limit = kMaxFolders;
  CO_TRY(const auto folders, co_await range(inProject(project, kFolders), found, owner, page, "", access.deadline));
  CO_TRY(std::vector<FolderRecord> named, store::fromStore<FolderRecord>(folders));
  for (FolderRecord& folder : named) list.folders.push_back(std::move(folder.path));
  co_return list;
}

// ---- folders

Task<std::string> Files::createFolder(Access access, std::string bucket, std::string folder) {
  while (folder.ends_with('/')) folder.pop_back();
  auto found = writableBucket(access, bucket, folder);
  if (!found && found.error().code() == ErrorCode::invalidParam) {
    co_return fail(
        Error(ErrorCode::validation, "/folder must be a valid path").withDetail("/folder", found.error().message()));
  }
  if (!found) co_return fail(std::move(found).error());
  const Bucket& place = **found;
  if (!FileAccess::reachesFolders(place, access.caller)) {
    co_return fail(ErrorCode::forbidden, "in a bucket with rules this needs the permission storage:manage");
  }
  const std::string& bucketId = place.record.bucketId;
  const FolderRecord record{fileKey(bucketId, folder), bucketId, folder, access.caller.id, deps_.clock.now()};
  store::Write write = writeOf(access);
  write.insert({inProject(access, kFolders), doc::encode(record), store::Insert::IfPresent::keep});
  CO_RETURN_IF_ERROR(co_await deps_.store.write(std::move(write), nullptr));
  co_return folder;
}

Task<> Files::removeFolder(const Access& access, BucketPtr bucket, const std::string& path) {
  if (!FileAccess::reachesFolders(*bucket, access.caller)) co_return fail(noFile());
  const store::ProjectNo project = access.project->info().number;
  const std::string key = fileKey(bucket->record.bucketId, path);
  const auto theirs = [own = bucket->rules == nullptr && FileAccess::reachesOwnOnly(access.caller),
                       caller = access.caller.id](const std::optional<doc::Document>& folder) {
    return folder && (!own || folder->view().stringOr("owner") == caller);
  };
  CO_TRY(const auto stored, co_await deps_.store.get(inProject(project, kFolders), key));
  if (!theirs(stored)) co_return fail(noFile());
  const FilePage inside{path + "/", 1, 0};
  for (const store::CollectionNo kind : {kFiles, kFolders}) {
    CO_TRY(const auto held, co_await range(inProject(project, kind), bucket->record, "", inside, "", access.deadline));
    if (!held.empty()) co_return fail(ErrorCode::conflict, "this folder is not empty");
  }
  store::Write write = writeOf(access);
  const store::Target folder = write.change(inProject(project, kFolders), key);
  CO_RETURN_IF_ERROR(co_await deps_.store.write(
      std::move(write), [folder, theirs](const store::PreImages& before, store::Changes& changes) -> Result<> {
        if (!theirs(before[folder])) return fail(noFile());
        changes.remove(folder);
        return {};
      }));
  co_return Result<>();
}

// ---- counts

Task<StoredRecord> Files::stored(store::ProjectNo project) {
  std::vector<std::string> ids;
  for (int i = 0; i < kCountRecords; ++i) ids.push_back(std::to_string(i));
  CO_TRY(const auto found, co_await deps_.store.getMany(inProject(project, kStored), std::move(ids)));
  StoredRecord sum;
  for (const auto& each : found) {
    CO_TRY(const std::optional<StoredRecord> count, store::fromStore<StoredRecord>(each));
    if (!count) continue;
    sum.files += count->files;
    sum.bytes += count->bytes;
  }
  co_return sum;
}

}  // namespace mb::storage
