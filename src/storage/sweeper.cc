#include "storage/sweeper.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/cores.h"
#include "base/log.h"
#include "storage/buckets.h"
#include "storage/files.h"
#include "storage/storage_rules.h"
#include "storage/uploads.h"
#include "store/record_pages.h"
#include "store/records.h"

namespace mb::storage {

namespace {

constexpr auto kInterval = std::chrono::hours(1);
constexpr auto kFirstPassAfter = std::chrono::milliseconds(250);  // the first responses of the server go first
constexpr size_t kSweepPage = 100;
constexpr auto kReadLimit = std::chrono::seconds(10);
constexpr auto kWriteLimit = std::chrono::seconds(30);
constexpr std::chrono::seconds kBackoff[] = {std::chrono::seconds(1), std::chrono::seconds(10),
                                             std::chrono::seconds(60), std::chrono::seconds(600)};

store::Query queryOf(store::ProjectNo project, store::CollectionNo collection, const doc::Document& filter,
                     uint64_t limit) {
  store::Query query;
  query.collection = {project, collection, 0};
  query.filter = *doc::Filter::parse(filter);
  query.limit = limit;
  query.deadline = std::chrono::steady_clock::now() + kReadLimit;
  return query;
}

doc::Document unfinishedIn(std::string_view bucketId) {
  doc::BsonWriter filter;
  filter.appendString("bucket", bucketId);
  filter.appendBool("done", false);
  return filter.finish();
}

doc::Document keysOf(std::string_view bucketId) {
  const std::string from = fileKey(bucketId, "");
  doc::BsonWriter filter;
  filter.beginDocument("id");
  filter.appendString("$gte", from);
  filter.appendString("$lt", behind(from));
  filter.end();
  return filter.finish();
}

jobs::Kind kindOf(std::string_view name, jobs::Handler handler) {
  jobs::Kind kind;
  kind.name = name;
  kind.handler = std::move(handler);
  kind.backoff.assign(std::begin(kBackoff), std::end(kBackoff));
  kind.timeout = std::chrono::minutes(5);
  kind.concurrency = 16;
  kind.perProject = 8;
  kind.perGroup = 8;
  return kind;
}

store::WriteOptions asServer() {
  return {.deadline = std::chrono::steady_clock::now() + kWriteLimit,
          .actor = {store::ActorKind::server, ""},
          .priority = store::WritePriority::low,
          .bumpEpochs = {}};
}

}  // namespace

Sweeper::Sweeper(SweeperDeps deps) : deps_(std::move(deps)) {
  deps_.pinned.onResume([this] {
    // With others the next pass is an hour after the last one, in any case.
    if (missed_.exchange(false) && !deps_.shared) passes_.trigger();
  });
  deps_.queue.declare(kindOf(kBlobJob, [this](jobs::JobRun run) { return removeBlobs(std::move(run)); }));
  deps_.queue.declare(kindOf(kBucketJob, [this](jobs::JobRun run) { return removeBucket(std::move(run)); }));
}

// ---- jobs of commits

Task<> Sweeper::removeBlobs(jobs::JobRun run) {
  CO_TRY(UnreferencedBlobs gone, store::fromStore<UnreferencedBlobs>(run.payload.view()));
  // A backup may be about to read them; the pass after it removes them.
  if (postponed()) co_return Result<>();
  const size_t count = gone.blobs.size();
  CO_RETURN_IF_ERROR(co_await deps_.blobs.remove(std::move(gone.blobs)));
  removed_ += count;
  co_return Result<>();
}

Task<> Sweeper::removeBucket(jobs::JobRun run) {
  CO_TRY(const DeletedBucket gone, store::fromStore<DeletedBucket>(run.payload.view()));
  const auto project = static_cast<store::ProjectNo>(gone.project);
  while (true) {
    const auto found = co_await deps_.store.find(queryOf(project, kFiles, keysOf(gone.bucket), kSweepPage));
    // The project was purged since.
    if (!found && found.error().code() == ErrorCode::notFound) co_return Result<>();
    if (!found) co_return fail(found.error().clone());
    if (found->documents.empty()) break;
    CO_TRY(std::vector<FileRecord> records, store::fromStore<FileRecord>(found->documents));
    CO_RETURN_IF_ERROR(co_await removeRecords(project, std::move(records)));
  }
  CO_RETURN_IF_ERROR(co_await removeUploads(project, gone.bucket));
  while (true) {
    CO_TRY(const auto found, co_await deps_.store.find(queryOf(project, kFolders, keysOf(gone.bucket), kSweepPage)));
    if (found.documents.empty()) co_return Result<>();
    store::Write write(asServer());
    std::vector<store::Target> folders;
    for (const doc::Document& folder : found.documents) {
      folders.push_back(write.change({project, kFolders, 0}, std::string(folder.view().stringOr("id"))));
    }
    CO_RETURN_IF_ERROR(co_await deps_.store.write(std::move(write), store::removing(std::move(folders))));
  }
}

Task<> Sweeper::removeUploads(store::ProjectNo project, const std::string& bucket) {
  while (true) {
    CO_TRY(const auto found, co_await deps_.store.find(queryOf(project, kUploads, unfinishedIn(bucket), kSweepPage)));
    if (found.documents.empty()) co_return Result<>();
    store::Write write(asServer());
    std::vector<store::Target> uploads;
    std::vector<std::string> wakes;
    for (const doc::Document& upload : found.documents) {
      std::string id(upload.view().stringOr("id"));
      CO_TRY(store::Insert job, deps_.queue.insertOf(removalOfPieces(project, id)));
      wakes.push_back(job.id());
      write.insert(std::move(job));
      uploads.push_back(write.change({project, kUploads, 0}, std::move(id)));
    }
    CO_RETURN_IF_ERROR(co_await deps_.store.write(std::move(write), store::removing(std::move(uploads))));
    deps_.queue.wake(std::move(wakes));
  }
}

// Removes at most kSweepPage files, with their counts and the removal of their blobs, in one commit.
Task<> Sweeper::removeRecords(store::ProjectNo project, std::vector<FileRecord> records) {
  store::Write write(asServer());
  std::vector<BlobName> blobs;
  std::vector<store::Target> files;                           // in the order of the records
  std::vector<std::pair<std::string, store::Target>> counts;  // by countId
  std::set<std::string> countIds;
  for (const FileRecord& record : records) {
    blobs.push_back(record.blob);
    files.push_back(write.change({project, kFiles, 0}, record.id));
    countIds.insert(countIdOf(record.id));
  }
  for (const std::string& countId : countIds) {
    counts.emplace_back(countId, write.change({project, kStored, 0}, countId));
  }
  CO_TRY(store::Insert job, deps_.queue.insertOf(removalOf(project, std::move(blobs))));
  const std::string jobId = job.id();
  write.insert(std::move(job));
  CO_RETURN_IF_ERROR(co_await deps_.store.write(
      std::move(write),
      [&records = std::as_const(records), &files = std::as_const(files), &counts = std::as_const(counts)](
          const store::PreImages& before, store::Changes& changes) -> Result<> {
        std::map<std::string, StoredRecord> less;
        for (size_t i = 0; i < records.size(); ++i) {
          // A later write that replaced or removed the file has the blob removed itself.
          const auto& file = before[files[i]];
          if (!file || file->view().stringOr("blob") != records[i].blob) continue;
          changes.remove(files[i]);
          StoredRecord& sum = less[countIdOf(records[i].id)];
          ++sum.files;
          sum.bytes += records[i].size;
        }
        for (const auto& [countId, count] : counts) {
          const StoredRecord& sum = less[countId];
          changes.put(count, counted(before[count], countId, -sum.files, -sum.bytes));
        }
        return {};
      }));
  deps_.queue.wake({jobId});
  co_return Result<>();
}

// ---- passes over all blobs

void Sweeper::start(const Executor& executor, TaskGroup& tasks) {
  passes_.start(executor, tasks, {.interval = kInterval, .firstAfter = kFirstPassAfter},
                [this] { return loggedPass(); });
}

bool Sweeper::postponed() {
  if (!deps_.pinned.paused()) return false;
  missed_ = true;
  // The pins may have ended before the flag was set.
  return deps_.pinned.paused() || !missed_.exchange(false);
}

Async<void> Sweeper::loggedPass() {
  if (postponed()) co_return;
  const Result<uint64_t> removed = co_await pass();
  if (!removed)
    logWarn("sweep of unreferenced files failed; the next pass retries", {{"error", removed.error().message()}});
  if (removed && *removed > 0) logInfo("unreferenced files removed", {{"count", *removed}});
}

Task<uint64_t> Sweeper::pass() {
  uint64_t gone = 0;
  std::string from;
  std::unordered_set<BlobName> found;
  while (!passes_.stopping() && !deps_.pinned.paused()) {
    CO_TRY(BlobPage page, co_await deps_.blobs.list(std::move(from)));
    CO_TRY(const auto infos, co_await deps_.projects());
    std::set<store::ProjectNo> projects;
    for (const auto& info : infos) projects.insert(info.number);
    std::map<store::ProjectNo, std::vector<BlobName>> byProject;
    std::vector<BlobName> orphans;
    for (BlobInfo& blob : page.blobs) {
      const auto project = projectOf(blob.name);
      // Names that are not of blobs belong to others. A pinned blob gets its record later; the commit of one that is
      // not pinned any more has ended, so the search sees its record if there is one.
      if (!project || deps_.pinned.holds(blob.name)) continue;
      (projects.contains(*project) ? byProject[*project] : orphans).push_back(std::move(blob.name));
    }
    for (auto& [project, blobs] : byProject) {
      CO_TRY(std::vector<BlobName> more, co_await orphansOf(project, std::move(blobs)));
      std::ranges::move(more, std::back_inserter(orphans));
    }
    if (deps_.shared) orphans = foundBefore(std::move(orphans), found);
    gone += orphans.size();
    CO_RETURN_IF_ERROR(co_await removeOrphans(std::move(orphans)));
    if (page.next.empty()) break;
    from = std::move(page.next);
  }
  found_ = std::move(found);
  co_return gone;
}

std::vector<BlobName> Sweeper::foundBefore(std::vector<BlobName> orphans, std::unordered_set<BlobName>& found) const {
  std::vector<BlobName> before;
  for (BlobName& blob : orphans) {
    if (found_.contains(blob)) {
      before.push_back(std::move(blob));
    } else if (found.size() < kMaxFound) {
      found.insert(std::move(blob));
    }
  }
  return before;
}

Task<std::vector<BlobName>> Sweeper::orphansOf(store::ProjectNo project, std::vector<BlobName> blobs) {
  std::vector<BlobName> orphans;
  for (size_t at = 0; at < blobs.size(); at += kSweepPage) {
    const size_t end = std::min(at + kSweepPage, blobs.size());
    std::set<std::string> unnamed(blobs.begin() + static_cast<std::ptrdiff_t>(at),
                                  blobs.begin() + static_cast<std::ptrdiff_t>(end));
    doc::BsonWriter filter;
    filter.beginDocument("blob");
    filter.beginArray("$in");
    size_t place = 0;
    for (const std::string& name : unnamed) filter.appendString(doc::arrayKey(place++), name);
    filter.end();
    filter.end();
    const doc::Document named = filter.finish();
    const auto found = co_await deps_.store.find(queryOf(project, kFiles, named, 2 * kSweepPage));
    // The project is being purged: a later pass finds them.
    if (!found && found.error().code() == ErrorCode::notFound) co_return std::vector<BlobName>();
    if (!found) co_return fail(found.error().clone());
    CO_TRY(std::vector<FileRecord> records, store::fromStore<FileRecord>(found->documents));
    for (const FileRecord& record : records) unnamed.erase(record.blob);
    CO_TRY(const auto pieces, co_await deps_.store.find(queryOf(project, kPieces, named, 2 * kSweepPage)));
    for (const doc::Document& piece : pieces.documents) unnamed.erase(std::string(piece.view().stringOr("blob")));
    // An upload may end just after its bucket was deleted: its record is then unreachable and unreferenced.
    CO_TRY(const auto buckets, co_await store::allRecords(deps_.store, {project, kBuckets, 0}));
    std::erase_if(records, [&](const FileRecord& record) {
      return std::ranges::any_of(
          buckets, [&](const doc::Document& bucket) { return bucket.view().stringOr("bucketId") == record.bucket; });
    });
    for (size_t i = 0; i < records.size(); i += kSweepPage) {
      const auto first = records.begin() + static_cast<std::ptrdiff_t>(i);
      const auto last = records.begin() + static_cast<std::ptrdiff_t>(std::min(i + kSweepPage, records.size()));
      CO_RETURN_IF_ERROR(co_await removeRecords(project, std::vector<FileRecord>(first, last)));
    }
    orphans.insert(orphans.end(), unnamed.begin(), unnamed.end());
  }
  co_return orphans;
}

Task<> Sweeper::removeOrphans(std::vector<BlobName> blobs) {
  if (blobs.empty() || postponed()) co_return Result<>();
  const size_t count = blobs.size();
  CO_RETURN_IF_ERROR(co_await deps_.blobs.remove(std::move(blobs)));
  removed_ += count;
  orphans_ += count;
  co_return Result<>();
}

}  // namespace mb::storage
