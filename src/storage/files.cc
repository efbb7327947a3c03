#include "storage/files.h"

#include "base/log.h"
#include "identity/api_keys.h"
#include "storage/file_writes.h"
#include "storage/storage_rules.h"
#include "store/records.h"
#include "store/retry.h"

namespace mb::storage {

namespace {

using policy::Operation;

constexpr auto kCommitLimit = std::chrono::seconds(30);
constexpr int kMaxAttempts = 10;

Error missingBucket() {
  return Error(ErrorCode::notFound, "no such bucket");
}
Error otherWrites() {
  return Error(ErrorCode::conflict, "the file is being changed concurrently: try again");
}

// Checks in a write callback that what the write was evaluated with has not changed.
Result<> isUnchanged(const FileGrant& grant, const std::optional<doc::Document>& seen,
                     const std::optional<doc::Document>& now) {
  if (now != seen) return fail(ErrorCode::retry, "the file was changed concurrently");
  if (grant.sets.changed()) return fail(ErrorCode::retry, "the caller's sets changed");
  return {};
}

}  // namespace

void inherit(FileRecord& record, const std::optional<FileRecord>& old, bool keepsOwner) {
  record.createdAt = old ? old->createdAt : record.updatedAt;
  if (old && !record.metadata) record.metadata = old->metadata;
  if (record.metadata && record.metadata->view().empty()) record.metadata.reset();
  if (old && keepsOwner) record.owner = old->owner;
}

Result<BucketPtr> Files::require(const Access& access, std::string_view bucket, std::string_view path) const {
  BucketPtr found = access.project->get(deps_.slot).find(bucket);
  if (found == nullptr) return fail(missingBucket());
  RETURN_IF_ERROR(checkPath(path));
  return found;
}

Result<BucketPtr> Files::writableBucket(const Access& access, std::string_view bucket, std::string_view path) const {
  TRY(BucketPtr found, require(access, bucket, path));
  RETURN_IF_ERROR(FileAccess::mayWrite(access.caller));
  return found;
}

Task<FileGrant> Files::grantOf(const Access& access, BucketPtr bucket, Operation operation) const {
  CO_TRY(FileGrant grant, deps_.access.find(access, std::move(bucket), operation));
  if (grant.awaitsSets) CO_RETURN_IF_ERROR(co_await deps_.access.complete(grant, access));
  co_return grant;
}

// ---- reading

bool Files::opensByLink(const Access& access, const Bucket& bucket, std::string_view path,
                        const Signature& signature) const {
  const bool live = signature.expires >= deps_.clock.now().ms / 1000;
  return live && links_.verify(access.project->info().id.str(), bucket.record.bucketId, path, signature.expires,
                               signature.signature);
}

Task<FileGrant> Files::readGrant(const Access& access, std::string_view bucket, std::string_view path,
                                 const std::optional<Signature>& signature) const {
  const bool anonymous = access.caller.kind == policy::CallerKind::anonymous;
  auto found = require(access, bucket, path);
  if (!found && anonymous) co_return fail(noFile());
  if (!found) co_return fail(std::move(found).error());
  const bool isPublic = (*found)->record.access == "public";
  if (!isPublic && signature && opensByLink(access, **found, path, *signature)) {
    FileGrant byLink;
    byLink.bucket = *std::move(found);
    co_return byLink;
  }
  co_return co_await grantOf(access, *std::move(found), Operation::read);
}

Task<OpenFile> Files::open(Access access, std::string bucket, std::string path, std::optional<Signature> signature) {
  CO_TRY(const FileGrant grant, co_await readGrant(access, bucket, path, signature));
  const store::CollectionRef files = inProject(access, kFiles);
  const std::string key = fileKey(grant.bucket->record.bucketId, path);
  // Between the reads of the record and the blob the file may be replaced: then the record has changed too, and both
  // are read again.
  std::string missing;
  while (true) {
    CO_TRY(const auto stored, co_await deps_.store.get(files, key));
    if (!stored) co_return fail(noFile());
    OpenFile opened;
    CO_TRY(opened.record, store::fromStore<FileRecord>(stored->view()));
    CO_RETURN_IF_ERROR(evaluate(grant, access.caller, &opened.record, opened.record, deps_.clock.now()));
    opened.isPublic = grant.bucket->record.access == "public";
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
Task<int64_t> Files::linkExpiry(const Access& access, int64_t seconds) const {
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
  CO_TRY(const FileGrant grant, co_await readGrant(access, bucket, path, std::nullopt));
  const BucketRecord& found = grant.bucket->record;
  CO_TRY(const auto stored, co_await deps_.store.get(inProject(access, kFiles), fileKey(found.bucketId, path)));
  if (!stored) co_return fail(noFile());
  CO_TRY(const FileRecord file, store::fromStore<FileRecord>(stored->view()));
  CO_RETURN_IF_ERROR(evaluate(grant, access.caller, &file, file, deps_.clock.now()));
  const std::string& project = access.project->info().id.str();
  CO_TRY(const int64_t expires, co_await linkExpiry(access, seconds));
  SignedLink link;
  link.expiresAt.ms = expires * 1000;
  link.url = fmt::format("{}/api/v1/storage/{}/{}?project={}&expires={}&signature={}", deps_.baseUrl, found.name,
                         encodedPath(path), project, expires, links_.sign(project, found.bucketId, path, expires));
  co_return link;
}

// ---- writing

// An early check before the upload is read; only the check in the commit counts.
Task<UploadTarget> Files::uploadTarget(Access access, std::string bucket, FileRecord file, Known known) {
  CO_TRY(BucketPtr found, writableBucket(access, bucket, file.path));
  CO_RETURN_IF_ERROR(deps_.store.healthy());
  std::optional<FileRecord> old;
  if (FileAccess::readsBeforeWrite(*found, access.caller)) {
    CO_TRY(const auto stored,
           co_await deps_.store.get(inProject(access, kFiles), fileKey(found->record.bucketId, file.path)));
    CO_TRY(old, store::fromStore<FileRecord>(stored));
  }
  CO_TRY(const FileGrant grant, co_await grantOf(access, found, old ? Operation::update : Operation::create));
  file.updatedAt = deps_.clock.now();
  inherit(file, old, found->rules != nullptr);
  CO_RETURN_IF_ERROR(evaluate(grant, access.caller, old ? &*old : nullptr, file, file.updatedAt, known));
  co_return UploadTarget{std::move(found), access.project->get(deps_.record).maxFileSize};
}

Task<FileView> Files::put(Access access, std::string bucket, std::string path, NewFile file, Upload& upload) {
  if (file.metadata) CO_RETURN_IF_ERROR(checkMetadata(*file.metadata));
  FileRecord record;
  record.path = std::move(path);
  record.contentType = std::move(file.contentType);
  record.metadata = std::move(file.metadata);
  record.owner = access.caller.id;
  record.size = static_cast<int64_t>(upload.size().value_or(0));
  const Known known = upload.size() ? Known::all : Known::allButSize;
  CO_TRY(const UploadTarget place, co_await uploadTarget(access, std::move(bucket), record, known));
  record.bucket = place.bucket->record.bucketId;
  std::optional<UploadReservation> space;
  // A declared size that the project does not allow at all is refused as such, by the read.
  if (const auto max = deps_.quota.max(*access.project); max && record.size <= place.maxSize) {
    space.emplace(deps_.quota, access.project, fileKey(record.bucket, record.path), *max);
    if (upload.size()) CO_RETURN_IF_ERROR(co_await space->coverDeclared(record.size));
  }
  record.blob = newBlobName(access.project->info().number);
  const std::string blob = record.blob;
  const PinnedBlobs::Pin pin(deps_.pinned, blob);
  CO_RETURN_IF_ERROR(co_await receive(record, upload, place.maxSize, space ? &*space : nullptr));
  // From the commit on the file counts itself: reserved as well it would count twice, and other uploads be refused.
  space.reset();
  auto published = co_await publish(std::move(access), std::move(record), nullptr);
  if (published || published.error().code() != ErrorCode::planLimit) co_return published;
  const Result<> discarded = co_await discard(blob);
  if (!discarded) logWarn("refused upload not removed; the sweeper retries", {{"cause", discarded.error().message()}});
  co_return published;
}

Task<> Files::discard(BlobName blob) {
  // A backup may be about to read it: then the sweeper removes it.
  if (deps_.pinned.paused()) co_return Result<>();
  std::vector<BlobName> blobs;
  blobs.push_back(std::move(blob));
  co_return co_await deps_.blobs.remove(std::move(blobs));
}

Task<> Files::receive(FileRecord& record, Upload& upload, int64_t max, UploadReservation* space) {
  upload.setLimit(static_cast<uint64_t>(max));
  const std::unique_ptr<BlobWriter> writer = deps_.blobs.create(record.blob);
  auto received = co_await receiveInto(*writer, upload, max, record.size, space);
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

Task<std::string> Files::receiveInto(BlobWriter& writer, Upload& upload, int64_t max, int64_t& size,
                                     UploadReservation* space) {
  size = 0;
  while (true) {
    CO_TRY(const std::string_view piece, co_await upload.read());
    if (piece.empty()) break;
    size += static_cast<int64_t>(piece.size());
    if (size > max) co_return fail(ErrorCode::payloadTooLarge, "this file is larger than the project allows");
    if (space != nullptr) CO_RETURN_IF_ERROR(co_await space->cover(size));
    CO_RETURN_IF_ERROR(co_await writer.write(piece));
  }
  co_return co_await writer.finish();
}

// The upload may have taken long: checks again whether the project accepts files, and takes the bucket as it is now.
Task<FileView> Files::publish(Access access, FileRecord record, ExtraWriteFactory makeExtra) {
  access.deadline = std::chrono::steady_clock::now() + kCommitLimit;
  CO_TRY(access.project, co_await deps_.snapshots.byNumber(access.project->info().number));
  if (!access.project) co_return fail(missingBucket());
  if (access.project->info().status == snapshot::ProjectStatus::suspended) {
    co_return fail(ErrorCode::projectSuspended, "this project is suspended");
  }
  const BucketPtr bucket = access.project->get(deps_.slot).withId(record.bucket);
  if (!bucket) co_return fail(missingBucket());
  record.id = fileKey(record.bucket, record.path);
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

// The grant and the job that removes the previous blob are for the record as read before the commit; if the commit
// finds another record they are created again.
Task<FileView> Files::commit(const Access& access, BucketPtr bucket, FileRecord record,
                             const ExtraWriteFactory& makeExtra) {
  const store::ProjectNo project = access.project->info().number;
  CO_TRY(const auto stored, co_await deps_.store.get(inProject(project, kFiles), record.id));
  CO_TRY(const std::optional<FileRecord> old, store::fromStore<FileRecord>(stored));
  CO_TRY(const FileGrant grant, co_await grantOf(access, bucket, old ? Operation::update : Operation::create));
  record.updatedAt = deps_.clock.now();
  inherit(record, old, bucket->rules != nullptr || access.function);
  CO_RETURN_IF_ERROR(evaluate(grant, access.caller, old ? &*old : nullptr, record, record.updatedAt));
  store::Write write = writeOf(access);
  write.options.limits = deps_.quota.limits(*access.project);
  const std::string countId = countIdOf(record.id);
  const store::Target file = write.change(inProject(project, kFiles), record.id);
  const store::Target count = write.change(inProject(project, kStored), countId);
  std::vector<store::Insert> jobs;
  if (old) {
    CO_TRY(jobs.emplace_back(), removal(project, old->blob));
  }
  if (follower_ != nullptr) {
    CO_TRY(std::vector<store::Insert> following,
           co_await follower_->fileUploaded(project, bucket->record.name, record, access.actor()));
    std::ranges::move(following, std::back_inserter(jobs));
  }
  std::vector<std::string> wakes = store::idsOf(jobs);
  write.insert(std::move(jobs));
  ExtraWrite extra;
  if (makeExtra) {
    CO_TRY(extra, makeExtra(write));
    std::ranges::move(extra.jobs, std::back_inserter(wakes));
  }
  const auto written = co_await deps_.store.write(
      std::move(write),
      [file, count, countId, added = old ? 0 : 1, grown = record.size - (old ? old->size : 0),
       &stored = std::as_const(stored), &grant = std::as_const(grant), &record = std::as_const(record),
       &extra = std::as_const(extra)](const store::PreImages& before, store::Changes& changes) -> Result<> {
        RETURN_IF_ERROR(isUnchanged(grant, stored, before[file]));
        changes.put(file, doc::encode(record));
        changes.put(count, counted(before[count], countId, added, grown));
        return extra.callback ? extra.callback(before, changes) : Result<>();
      });
  if (!written) co_return fail(co_await deps_.quota.explained(*access.project, written.error().clone()));
  if (!wakes.empty()) deps_.queue.wake(std::move(wakes));
  co_return viewOf(record);
}

Task<> Files::setMetadata(Access access, std::string bucket, std::string path, doc::Document metadata) {
  CO_TRY(const BucketPtr found, writableBucket(access, bucket, path));
  CO_RETURN_IF_ERROR(checkMetadata(metadata));
  co_return co_await store::retryWrite(kMaxAttempts, otherWrites(),
                                       [&] { return changeMetadata(access, found, path, metadata); });
}

Task<> Files::changeMetadata(const Access& access, BucketPtr bucket, const std::string& path,
                             const doc::Document& metadata) {
  CO_TRY(const FileGrant grant, co_await grantOf(access, std::move(bucket), Operation::update));
  const store::CollectionRef files = inProject(access, kFiles);
  const std::string key = fileKey(grant.bucket->record.bucketId, path);
  CO_TRY(const auto stored, co_await deps_.store.get(files, key));
  CO_TRY(const std::optional<FileRecord> old, store::fromStore<FileRecord>(stored));
  if (!old) co_return fail(noFile());
  FileRecord record = *old;
  record.metadata = metadata;
  record.updatedAt = deps_.clock.now();
  inherit(record, old, true);
  CO_RETURN_IF_ERROR(evaluate(grant, access.caller, &*old, record, record.updatedAt));
  store::Write write = writeOf(access);
  const store::Target file = write.change(files, key);
  CO_RETURN_IF_ERROR(co_await deps_.store.write(
      std::move(write),
      [file, &stored = std::as_const(stored), &grant = std::as_const(grant), &record = std::as_const(record)](
          const store::PreImages& before, store::Changes& changes) -> Result<> {
        RETURN_IF_ERROR(isUnchanged(grant, stored, before[file]));
        changes.put(file, doc::encode(record));
        return {};
      }));
  co_return Result<>();
}

Task<> Files::remove(Access access, std::string bucket, std::string path) {
  CO_TRY(const BucketPtr found, writableBucket(access, bucket, path));
  co_return co_await store::retryWrite(kMaxAttempts, otherWrites(), [&] { return removeFile(access, found, path); });
}

Task<> Files::removeFile(const Access& access, BucketPtr bucket, const std::string& path) {
  const store::ProjectNo project = access.project->info().number;
  const std::string key = fileKey(bucket->record.bucketId, path);
  CO_TRY(const FileGrant grant, co_await grantOf(access, bucket, Operation::remove));
  CO_TRY(const auto stored, co_await deps_.store.get(inProject(project, kFiles), key));
  if (!stored) co_return co_await removeFolder(access, std::move(bucket), path);
  CO_TRY(const FileRecord old, store::fromStore<FileRecord>(stored->view()));
  CO_RETURN_IF_ERROR(evaluate(grant, access.caller, &old, old, deps_.clock.now()));
  CO_TRY(store::Insert job, removal(project, old.blob));
  const std::string jobId = job.id();
  store::Write write = writeOf(access);
  const std::string countId = countIdOf(key);
  const store::Target file = write.change(inProject(project, kFiles), key);
  const store::Target count = write.change(inProject(project, kStored), countId);
  write.insert(std::move(job));
  CO_RETURN_IF_ERROR(co_await deps_.store.write(
      std::move(write),
      [file, count, countId, size = old.size, &stored = std::as_const(stored), &grant = std::as_const(grant)](
          const store::PreImages& before, store::Changes& changes) -> Result<> {
        RETURN_IF_ERROR(isUnchanged(grant, stored, before[file]));
        changes.remove(file);
        changes.put(count, counted(before[count], countId, -1, -size));
        return {};
      }));
  deps_.queue.wake({jobId});
  co_return Result<>();
}

}  // namespace mb::storage
