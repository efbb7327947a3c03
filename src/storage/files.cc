#include "storage/files.h"

#include "base/log.h"
#include "identity/api_keys.h"
#include "policy/required_permission.h"
#include "storage/storage_rules.h"
#include "store/records.h"
#include "store/retry.h"

namespace mb::storage {

namespace {

constexpr std::string_view kDefaultRole = "user";
constexpr auto kCommitLimit = std::chrono::seconds(30);
constexpr int kMaxAttempts = 10;

Error missingBucket() {
  return Error(ErrorCode::notFound, "no such bucket");
}
Error noFile() {
  return Error(ErrorCode::notFound, "no such file");
}
Error otherWrites() {
  return Error(ErrorCode::conflict, "the file is being changed concurrently: try again");
}
constexpr policy::RequiredPermission kRead = "storage:read";
constexpr policy::RequiredPermission kWrite = "storage:write";

Error lacks(policy::RequiredPermission permission) {
  return Error(ErrorCode::forbidden, fmt::format("this needs the permission {}", std::string_view(permission)));
}

// End users who have only the built-in role.
bool reachesOwnOnly(const policy::Caller& caller) {
  return caller.kind == policy::CallerKind::endUser && caller.role == kDefaultRole;
}

store::CollectionRef in(store::ProjectNo project, store::CollectionNo collection) {
  return {project, collection, 0};
}

store::Write writeOf(const Access& access) {
  return store::Write({.deadline = access.deadline, .actor = policy::actorOf(access.caller), .bumpEpochs = {}});
}

// The blob of a stored file; nullopt without a record.
std::optional<std::string> blobOf(const std::optional<doc::Document>& file) {
  return file ? std::optional(std::string(file->view().stringOr("blob"))) : std::nullopt;
}

}  // namespace

Result<BucketRecord> Files::require(const Access& access, std::string_view bucket, std::string_view path) const {
  const BucketRecord* found = access.project->get(deps_.slot).find(bucket);
  if (found == nullptr) return fail(missingBucket());
  RETURN_IF_ERROR(checkPath(path));
  return *found;
}

// ---- reading

Result<BucketRecord> Files::readable(const Access& access, std::string_view bucket, std::string_view path,
                                     const std::optional<Signature>& signature, bool& own) const {
  const policy::Caller& caller = access.caller;
  const bool anonymous = caller.kind == policy::CallerKind::anonymous;
  auto found = require(access, bucket, path);
  if (!found && anonymous) return fail(noFile());
  if (!found) return found;
  own = false;
  if (found->access == "public") return found;
  if (signature) {
    const bool live = signature->expires >= deps_.clock.now().ms / 1000;
    const bool ours =
        links_.verify(access.project->info().id.str(), found->bucketId, path, signature->expires, signature->signature);
    if (live && ours) return found;
  }
  if (anonymous) return fail(noFile());
  if (!caller.may(kRead)) return fail(lacks(kRead));
  own = reachesOwnOnly(caller);
  return found;
}

Task<OpenFile> Files::open(Access access, std::string bucket, std::string path, std::optional<Signature> signature) {
  bool own = false;
  CO_TRY(const BucketRecord found, readable(access, bucket, path, signature, own));
  const store::CollectionRef files = in(access.project->info().number, kFiles);
  const std::string key = fileKey(found.bucketId, path);
  // Between the reads of the record and the blob the file may be replaced: then the record has changed too, and both
  // are read again.
  std::string missing;
  while (true) {
    CO_TRY(const auto stored, co_await deps_.store.get(files, key));
    if (!stored) co_return fail(noFile());
    OpenFile opened;
    CO_TRY(opened.record, store::fromStore<FileRecord>(stored->view()));
    if (own && opened.record.owner != access.caller.id) co_return fail(noFile());
    opened.isPublic = found.access == "public";
    auto file = co_await deps_.blobs.open(opened.record.blob);
    if (file) {
      opened.file = *std::move(file);
      co_return opened;
    }
    if (file.error().code() != ErrorCode::notFound) co_return fail(std::move(file).error());
    if (missing == opened.record.blob) {
      co_return fail(Error(ErrorCode::internal, "something went wrong on the server")
                         .withCause(fmt::format("the blob {} is missing", missing)));
    }
    missing = opened.record.blob;
  }
}

// Limited to the end of the signing key's life: links have whole seconds, and each is valid until its last second has
// passed.
Task<int64_t> Files::linkExpiry(Access access, int64_t seconds) const {
  const int64_t wanted = deps_.clock.now().ms / 1000 + seconds;
  if (access.caller.kind != policy::CallerKind::apiKey) co_return wanted;
  CO_TRY(const std::optional<Timestamp> end,
         co_await identity::keyExpiry(deps_.store, access.project->info().number, access.caller.id));
  co_return end ? std::min(wanted, end->ms / 1000 - 1) : wanted;
}

Task<SignedLink> Files::sign(Access access, std::string bucket, std::string path, int64_t seconds) {
  if (access.caller.kind == policy::CallerKind::anonymous) {
    co_return fail(ErrorCode::unauthenticated, "this needs a bearer token");
  }
  if (seconds < 1 || seconds > kLongestLink) {
    co_return fail(ErrorCode::invalidParam, fmt::format("sign must be between 1 and {}", kLongestLink));
  }
  bool own = false;
  CO_TRY(const BucketRecord found, readable(access, bucket, path, std::nullopt, own));
  CO_TRY(const auto stored,
         co_await deps_.store.get(in(access.project->info().number, kFiles), fileKey(found.bucketId, path)));
  if (!stored || (own && stored->view().stringOr("owner") != access.caller.id)) co_return fail(noFile());
  const std::string& project = access.project->info().id.str();
  CO_TRY(const int64_t expires, co_await linkExpiry(access, seconds));
  SignedLink link;
  link.expiresAt.ms = expires * 1000;
  link.url = fmt::format("{}/api/v1/storage/{}/{}?project={}&expires={}&signature={}", deps_.baseUrl, found.name,
                         encodedPath(path), project, expires, links_.sign(project, found.bucketId, path, expires));
  co_return link;
}

Task<std::vector<doc::Document>> Files::range(store::CollectionRef collection, const BucketRecord& bucket,
                                              const std::string& owner, const FilePage& page,
                                              store::Deadline deadline) {
  const bool all = owner.empty();
  const std::string from = all ? fileKey(bucket.bucketId, page.prefix) : page.prefix;
  doc::BsonWriter filter;
  if (!all) {
    filter.appendString("bucket", bucket.bucketId);
    filter.appendString("owner", owner);
  }
  filter.beginDocument(all ? "id" : "path");
  filter.appendString("$gte", from);
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

Task<FileList> Files::list(Access access, std::string bucket, FilePage page) {
  const BucketRecord* known = access.project->get(deps_.slot).find(bucket);
  if (known == nullptr) co_return fail(missingBucket());
  const BucketRecord found = *known;
  if (!access.caller.may(kRead)) co_return fail(lacks(kRead));
  FileList list;
  // A longer prefix matches no path.
  if (page.prefix.size() > kMaxPathBytes) co_return list;
  const store::ProjectNo project = access.project->info().number;
  const std::string owner = reachesOwnOnly(access.caller) ? access.caller.id : "";
  CO_TRY(const auto files, co_await range(in(project, kFiles), found, owner, page, access.deadline));
  CO_TRY(const std::vector<FileRecord> records, store::fromStore<FileRecord>(files));
  for (const FileRecord& record : records) list.files.push_back(viewOf(record));
  if (page.skip > 0) co_return list;
  page.limit = kMaxFolders;
  CO_TRY(const auto folders, co_await range(in(project, kFolders), found, owner, page, access.deadline));
  CO_TRY(std::vector<FolderRecord> named, store::fromStore<FolderRecord>(folders));
  for (FolderRecord& folder : named) list.folders.push_back(std::move(folder.path));
  co_return list;
}

// ---- writing

Task<UploadTarget> Files::uploadTarget(Access access, std::string bucket, std::string path) {
  CO_TRY(const BucketRecord found, require(access, bucket, path));
  if (!access.caller.may(kWrite)) co_return fail(lacks(kWrite));
  CO_RETURN_IF_ERROR(deps_.store.healthy());
  if (reachesOwnOnly(access.caller)) {
    // An early check before the upload is read; only the check in the commit counts.
    CO_TRY(const auto there,
           co_await deps_.store.get(in(access.project->info().number, kFiles), fileKey(found.bucketId, path)));
    if (there && there->view().stringOr("owner") != access.caller.id) {
      co_return fail(ErrorCode::forbidden, "this file belongs to another user");
    }
  }
  co_return UploadTarget{found, access.project->get(deps_.record).maxFileSize};
}

Task<FileView> Files::put(Access access, std::string bucket, std::string path, std::string contentType,
                          Upload& upload) {
  CO_TRY(const UploadTarget place, co_await uploadTarget(access, std::move(bucket), path));
  FileRecord record;
  record.bucket = place.bucket.bucketId;
  record.path = std::move(path);
  record.contentType = std::move(contentType);
  record.owner = access.caller.id;
  record.blob = newBlobName(access.project->info().number);
  const PinnedBlobs::Pin pin(deps_.pinned, record.blob);
  CO_RETURN_IF_ERROR(co_await receive(record, upload, place.maxSize));
  co_return co_await publish(std::move(access), place.bucket, std::move(record), nullptr);
}

Task<> Files::receive(FileRecord& record, Upload& upload, int64_t max) {
  upload.setLimit(static_cast<uint64_t>(max));
  const std::unique_ptr<BlobWriter> writer = deps_.blobs.create(record.blob);
  auto received = co_await receiveInto(*writer, upload, max, record.size);
  if (received) {
    record.sha256 = *std::move(received);
    co_return Result<>();
  }
  const Result<> gone = co_await writer->abandon();
  if (!gone) {
    logWarn("partial upload not removed; a lifecycle rule of the S3 bucket must remove it",
            {{"cause", gone.error().message()}});
  }
  co_return fail(std::move(received).error());
}

Task<std::string> Files::receiveInto(BlobWriter& writer, Upload& upload, int64_t max, int64_t& size) {
  size = 0;
  while (true) {
    CO_TRY(const std::string_view piece, co_await upload.read());
    if (piece.empty()) break;
    size += static_cast<int64_t>(piece.size());
    if (size > max) co_return fail(ErrorCode::payloadTooLarge, "this file is larger than the project allows");
    CO_RETURN_IF_ERROR(co_await writer.write(piece));
  }
  co_return co_await writer.finish();
}

// The upload may have taken long: checks again whether the project accepts files.
Task<FileView> Files::publish(Access access, BucketRecord bucket, FileRecord record, ExtraWriteFactory makeExtra) {
  access.deadline = std::chrono::steady_clock::now() + kCommitLimit;
  CO_TRY(access.project, co_await deps_.snapshots.byNumber(access.project->info().number));
  if (!access.project) co_return fail(missingBucket());
  if (access.project->info().status == snapshot::ProjectStatus::suspended) {
    co_return fail(ErrorCode::projectSuspended, "this project is suspended");
  }
  if (!access.project->get(deps_.slot).holds(bucket.bucketId)) co_return fail(missingBucket());
  record.id = fileKey(bucket.bucketId, record.path);
  co_return co_await store::retryWrite(kMaxAttempts, otherWrites(),
                                       [&] { return commit(access, bucket, record, makeExtra); });
}

jobs::JobSpec removalOf(store::ProjectNo project, std::vector<BlobName> blobs) {
  jobs::JobSpec job;
  job.kind = kBlobJob;
  job.project = project;
  job.payload = doc::encode(UnreferencedBlobs{std::move(blobs)});
  return job;
}

Result<store::Insert> Files::removal(store::ProjectNo project, std::string blob) {
  jobs::JobSpec job = removalOf(project, {std::move(blob)});
  if (deps_.blobs.lingers().count() > 0)
    job.notBefore = Timestamp{deps_.clock.now().ms + deps_.blobs.lingers().count()};
  return deps_.queue.insertOf(std::move(job));
}

// The job that removes the previous blob is created before the commit, for the record as read then; if the commit finds
// another record it is created again.
Task<FileView> Files::commit(Access access, BucketRecord bucket, FileRecord record, ExtraWriteFactory makeExtra) {
  const store::ProjectNo project = access.project->info().number;
  CO_TRY(const auto stored, co_await deps_.store.get(in(project, kFiles), record.id));
  CO_TRY(const std::optional<FileRecord> old, store::fromStore<FileRecord>(stored));
  record.updatedAt = deps_.clock.now();
  record.createdAt = old ? old->createdAt : record.updatedAt;
  store::Write write = writeOf(access);
  const std::string countId = countIdOf(record.id);
  const store::Target file = write.change(in(project, kFiles), record.id);
  const store::Target count = write.change(in(project, kStored), countId);
  std::vector<store::Insert> jobs;
  if (old) {
    CO_TRY(jobs.emplace_back(), removal(project, old->blob));
  }
  if (follower_ != nullptr) {
    CO_TRY(std::vector<store::Insert> following, co_await follower_->fileUploaded(project, bucket.name, record));
    std::ranges::move(following, std::back_inserter(jobs));
  }
  std::vector<std::string> wakes = store::idsOf(jobs);
  write.insert(std::move(jobs));
  ExtraWrite extra;
  if (makeExtra) {
    CO_TRY(extra, makeExtra(write));
    std::ranges::move(extra.jobs, std::back_inserter(wakes));
  }
  CO_RETURN_IF_ERROR(co_await deps_.store.write(
      std::move(write),
      [file, count, countId, own = reachesOwnOnly(access.caller), oldBlob = blobOf(stored),
       &record = std::as_const(record),
       &extra = std::as_const(extra)](const store::PreImages& before, store::Changes& changes) -> Result<> {
        TRY(const std::optional<FileRecord> now, store::fromStore<FileRecord>(before[file]));
        if (own && now && now->owner != record.owner) {
          return fail(ErrorCode::forbidden, "this file belongs to another user");
        }
        if (blobOf(before[file]) != oldBlob) return fail(ErrorCode::retry, "the file was changed concurrently");
        changes.put(file, doc::encode(record));
        changes.put(count, counted(before[count], countId, now ? 0 : 1, record.size - (now ? now->size : 0)));
        return extra.callback ? extra.callback(before, changes) : Result<>();
      }));
  if (!wakes.empty()) deps_.queue.wake(std::move(wakes));
  co_return viewOf(record);
}

Task<> Files::remove(Access access, std::string bucket, std::string path) {
  CO_TRY(const BucketRecord found, require(access, bucket, path));
  if (!access.caller.may(kWrite)) co_return fail(lacks(kWrite));
  co_return co_await store::retryWrite(kMaxAttempts, otherWrites(), [&] { return removeFile(access, found, path); });
}

Task<> Files::removeFile(Access access, BucketRecord bucket, std::string path) {
  const store::ProjectNo project = access.project->info().number;
  const std::string key = fileKey(bucket.bucketId, path);
  CO_TRY(const auto stored, co_await deps_.store.get(in(project, kFiles), key));
  if (!stored) co_return co_await removeFolder(std::move(access), std::move(bucket), std::move(path));
  CO_TRY(const FileRecord old, store::fromStore<FileRecord>(stored->view()));
  if (reachesOwnOnly(access.caller) && old.owner != access.caller.id) {
    if (bucket.access == "public") co_return fail(ErrorCode::forbidden, "this file belongs to another user");
    co_return fail(noFile());
  }
  CO_TRY(store::Insert job, removal(project, old.blob));
  const std::string jobId = job.id();
  store::Write write = writeOf(access);
  const std::string countId = countIdOf(key);
  const store::Target file = write.change(in(project, kFiles), key);
  const store::Target count = write.change(in(project, kStored), countId);
  write.insert(std::move(job));
  CO_RETURN_IF_ERROR(
      co_await deps_.store.write(std::move(write),
                                 [file, count, countId, oldBlob = blobOf(stored), size = old.size](
                                     const store::PreImages& before, store::Changes& changes) -> Result<> {
                                   if (blobOf(before[file]) != oldBlob)
                                     return fail(ErrorCode::retry, "the file was changed concurrently");
                                   changes.remove(file);
                                   changes.put(count, counted(before[count], countId, -1, -size));
                                   return {};
                                 }));
  deps_.queue.wake({jobId});
  co_return Result<>();
}

// ---- folders

Task<std::string> Files::createFolder(Access access, std::string bucket, std::string folder) {
  while (folder.ends_with('/')) folder.pop_back();
  auto found = require(access, bucket, folder);
  if (!found && found.error().code() == ErrorCode::invalidParam) {
    co_return fail(
        Error(ErrorCode::validation, "/folder must be a valid path").withDetail("/folder", found.error().message()));
  }
  if (!found) co_return fail(std::move(found).error());
  if (!access.caller.may(kWrite)) co_return fail(lacks(kWrite));
  const FolderRecord record{fileKey(found->bucketId, folder), found->bucketId, folder, access.caller.id,
                            deps_.clock.now()};
  store::Write write = writeOf(access);
  write.insert({in(access.project->info().number, kFolders), doc::encode(record), store::Insert::IfPresent::keep});
  CO_RETURN_IF_ERROR(co_await deps_.store.write(std::move(write), nullptr));
  co_return folder;
}

Task<> Files::removeFolder(Access access, BucketRecord bucket, std::string path) {
  const store::ProjectNo project = access.project->info().number;
  const std::string key = fileKey(bucket.bucketId, path);
  const auto theirs = [own = reachesOwnOnly(access.caller),
                       caller = access.caller.id](const std::optional<doc::Document>& folder) {
    return folder && (!own || folder->view().stringOr("owner") == caller);
  };
  CO_TRY(const auto stored, co_await deps_.store.get(in(project, kFolders), key));
  if (!theirs(stored)) co_return fail(noFile());
  const FilePage inside{path + "/", 1, 0};
  for (const store::CollectionNo kind : {kFiles, kFolders}) {
    CO_TRY(const auto held, co_await range(in(project, kind), bucket, "", inside, access.deadline));
    if (!held.empty()) co_return fail(ErrorCode::conflict, "this folder is not empty");
  }
  store::Write write = writeOf(access);
  const store::Target folder = write.change(in(project, kFolders), key);
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
  CO_TRY(const auto found, co_await deps_.store.getMany(in(project, kStored), std::move(ids)));
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
