#include "storage/uploads.h"

#include "base/log.h"
#include "storage/file_writes.h"
#include "storage/storage_rules.h"
#include "store/records.h"
#include "store/retry.h"

namespace mb::storage {

namespace {

constexpr auto kLimit = std::chrono::seconds(30);
constexpr size_t kUploadPage = 100;
constexpr int kCreateAttempts = 10;

Error noUpload() {
  return Error(ErrorCode::notFound, "no such upload");
}
Error elsewhere(int64_t offset) {
  return Error(ErrorCode::conflict, fmt::format("the upload is at byte {}", offset));
}

store::Deadline soon() {
  return std::chrono::steady_clock::now() + kLimit;
}

store::WriteOptions writing(store::Actor actor) {
  return {.deadline = soon(), .actor = std::move(actor), .bumpEpochs = {}};
}

// The pieces of an upload after the piece record `from`, in order.
store::Query piecesBehind(store::ProjectNo project, std::string_view from, std::string_view upload, uint64_t limit) {
  doc::BsonWriter filter;
  filter.beginDocument("id");
  filter.appendString("$gt", from);
  filter.appendString("$lt", behind(fmt::format("{}/", upload)));
  filter.end();
  store::Query query;
  query.collection = inProject(project, kPieces);
  query.filter = *doc::Filter::parse(filter.finish());
  query.limit = limit;
  query.deadline = soon();
  return query;
}

// The file that the upload becomes, as far as it is known; its size is.
FileRecord fileOf(const UploadRecord& upload) {
  FileRecord file;
  file.bucket = upload.bucket;
  file.path = upload.path;
  file.size = upload.length;
  file.contentType = upload.contentType;
  file.owner = upload.owner;
  file.metadata = upload.fileMetadata;
  return file;
}

// Checks in a write callback that the upload is as the caller read it.
Result<> isAt(const std::optional<doc::Document>& before, const UploadRecord& upload) {
  TRY(const std::optional<UploadRecord> now, store::fromStore<UploadRecord>(before));
  if (!now) return fail(noUpload());
  if (now->done || now->offset != upload.offset) return fail(elsewhere(now->offset));
  return {};
}

}  // namespace

// The result of receiving one piece.
struct Uploads::Piece {
  BlobName blob;
  int64_t size = 0;
  std::string sha256;
  bool ended = false;           // the end of the body was reached
  std::optional<Error> broken;  // the body was interrupted
};

// Reads the whole upload: its pieces, then the last one, which has no record.
class Uploads::Whole final : public Upload {
 public:
  Whole(const UploadsDeps& deps, store::ProjectNo project, std::string upload, const Piece& last)
      : deps_(deps), project_(project), upload_(std::move(upload)), from_(upload_ + "/"), last_(last) {}

  void setLimit(uint64_t) override {}
  Task<std::string_view> read() override {
    while (true) {
      if (source_) {
        CO_TRY(const std::string_view bytes, co_await source_->read());
        if (!bytes.empty()) co_return bytes;
        source_.reset();
      }
      if (ended_) co_return std::string_view();
      CO_RETURN_IF_ERROR(co_await next());
    }
  }

 private:
  Task<> next() {
    if (at_ == page_.size() && more_) {
      CO_TRY(const auto found, co_await deps_.store.find(piecesBehind(project_, from_, upload_, kUploadPage)));
      CO_TRY(page_, store::fromStore<PieceRecord>(found.documents));
      at_ = 0;
      more_ = page_.size() == kUploadPage;
    }
    if (at_ == page_.size()) {
      ended_ = true;
      source_ = deps_.blobs.source(last_.blob, 0, static_cast<uint64_t>(last_.size));
      co_return Result<>();
    }
    const PieceRecord& piece = page_[at_++];
    from_ = piece.id;
    source_ = deps_.blobs.source(piece.blob, 0, static_cast<uint64_t>(piece.size));
    co_return Result<>();
  }

  const UploadsDeps& deps_;
  const store::ProjectNo project_;
  const std::string upload_;
  std::string from_;
  const Piece& last_;
  std::vector<PieceRecord> page_;
  size_t at_ = 0;
  bool more_ = true;
  bool ended_ = false;
  std::shared_ptr<BlobSource> source_;
};

Uploads::Uploads(UploadsDeps deps) : deps_(deps) {
  jobs::Kind kind;
  kind.name = kUploadJob;
  kind.handler = [this](jobs::JobRun run) { return clean(std::move(run)); };
  kind.backoff = {std::chrono::seconds(1), std::chrono::seconds(10), std::chrono::seconds(60),
                  std::chrono::seconds(600)};
  kind.timeout = std::chrono::minutes(5);
  deps_.queue.declare(std::move(kind));
}

// ---- requests

Task<UploadRecord> Uploads::require(const Access& access, std::string id, std::string_view bucket,
                                    std::string_view path) {
  CO_TRY(const BucketPtr place, deps_.files.writableBucket(access, bucket, path));
  CO_TRY(const auto stored,
         co_await deps_.store.get(inProject(access.project->info().number, kUploads), std::move(id)));
  CO_TRY(std::optional<UploadRecord> upload, store::fromStore<UploadRecord>(stored));
  const bool theirs = upload && upload->owner == access.caller.id && upload->bucket == place->record.bucketId &&
                      upload->path == path && upload->expiresAt > deps_.clock.now();
  if (!theirs) co_return fail(noUpload());
  if (upload->done) co_return *std::move(upload);
  CO_RETURN_IF_ERROR(co_await deps_.files.uploadTarget(access, place->record.name, fileOf(*upload), Known::all));
  co_return *std::move(upload);
}

Task<UploadRecord> Uploads::create(Access access, std::string bucket, std::string path, NewUpload input) {
  if (input.file.metadata) CO_RETURN_IF_ERROR(checkMetadata(*input.file.metadata));
  UploadRecord upload;
  upload.path = std::move(path);
  upload.owner = access.caller.id;
  upload.contentType = std::move(input.file.contentType);
  upload.fileMetadata = std::move(input.file.metadata);
  upload.length = input.length;
  CO_TRY(const UploadTarget place,
         co_await deps_.files.uploadTarget(access, std::move(bucket), fileOf(upload), Known::all));
  if (input.length > place.maxSize) {
    co_return fail(ErrorCode::payloadTooLarge, "this file is larger than the project allows");
  }
  const store::ProjectNo project = access.project->info().number;
  doc::BsonWriter filter;
  filter.appendString("owner", access.caller.id);
  filter.appendBool("done", false);
  CO_TRY(doc::Filter unfinished, doc::Filter::parse(filter.finish()));
  CO_TRY(const uint64_t count,
         co_await deps_.store.count(inProject(project, kUploads), std::move(unfinished), access.deadline));
  if (count >= kMaxUploads) {
    co_return fail(ErrorCode::conflict, fmt::format("{} uploads are unfinished: finish or delete one", count));
  }
  upload.id = "upl_" + deps_.ids.next();
  upload.bucket = place.bucket->record.bucketId;
  upload.metadata = std::move(input.metadata);
  upload.createdAt = deps_.clock.now();
  upload.expiresAt = {upload.createdAt.ms + kUploadLives};
  if (upload.length > 0) upload.reserved = upload.length;
  CO_RETURN_IF_ERROR(co_await store::retryWrite(
      kCreateAttempts, Error(ErrorCode::conflict, "the file is being changed concurrently: try again"),
      [&] { return insert(access, upload); }));
  if (upload.length > 0) co_return upload;
  const BlobName blob = newBlobName(project);
  const PinnedBlobs::Pin pin(deps_.pinned, blob);
  Piece empty;
  empty.blob = blob;
  const std::unique_ptr<BlobWriter> writer = deps_.blobs.create(blob);
  CO_TRY(empty.sha256, co_await writer->finish());
  co_return co_await finish(std::move(access), std::move(upload), empty);
}

Task<UploadRecord> Uploads::find(Access access, std::string bucket, std::string path, std::string id) {
  co_return co_await require(access, std::move(id), bucket, path);
}

Task<UploadRecord> Uploads::append(Access access, std::string bucket, std::string path, std::string id, int64_t offset,
                                   Upload& body) {
  CO_TRY(UploadRecord upload, co_await require(access, std::move(id), bucket, path));
  if (offset != upload.offset) co_return fail(elsewhere(upload.offset));
  body.setLimit(static_cast<uint64_t>(upload.length - upload.offset));
  if (upload.done) {
    CO_TRY(const std::string_view more, co_await body.read());
    if (more.empty()) co_return upload;
    co_return fail(ErrorCode::payloadTooLarge, "the body is longer than the rest of the upload");
  }
  while (true) {
    const BlobName blob = newBlobName(access.project->info().number);
    const PinnedBlobs::Pin pin(deps_.pinned, blob);
    CO_TRY(Piece piece, co_await take(blob, body, upload.length - upload.offset));
    if (upload.offset + piece.size == upload.length) {
      co_return co_await finish(std::move(access), std::move(upload), piece);
    }
    if (piece.size > 0) {
      CO_TRY(upload, co_await keep(access, std::move(upload), piece));
    }
    if (piece.broken) co_return fail(*std::move(piece.broken));
    if (piece.ended) co_return upload;
  }
}

Task<> Uploads::remove(Access access, std::string bucket, std::string path, std::string id) {
  CO_TRY(const UploadRecord upload, co_await require(access, std::move(id), bucket, path));
  const store::ProjectNo project = access.project->info().number;
  CO_TRY(const store::Insert job, cleaning(project, upload.id));
  store::Write write(writing(access.actor()));
  const store::Target row = write.change(inProject(project, kUploads), upload.id);
  const store::Target jobRow = write.change(job.collection, job.id());
  CO_RETURN_IF_ERROR(co_await deps_.store.write(
      std::move(write),
      [row, jobRow, &job = std::as_const(job)](const store::PreImages& before, store::Changes& changes) -> Result<> {
        if (!before[row]) return fail(noUpload());
        changes.remove(row);
        changes.replace(jobRow, job.document);
        return {};
      }));
  deps_.queue.wake({job.id()});
  co_return Result<>();
}

// ---- receiving

// A piece ends with the body, on interruption, or once it is large enough; its bytes are then durable. After the
// upload's last byte the body must end too: a longer one is refused, with all of the piece.
Task<Uploads::Piece> Uploads::take(BlobName blob, Upload& body, int64_t max) {
  Piece piece;
  piece.blob = blob;
  const std::unique_ptr<BlobWriter> writer = deps_.blobs.create(std::move(blob));
  Result<> taken;
  while (taken && (piece.size < kPieceBytes || piece.size == max)) {
    auto bytes = co_await body.read();
    if (!bytes && bytes.error().code() == ErrorCode::payloadTooLarge) {
      taken = fail(std::move(bytes).error());
      break;
    }
    if (!bytes) {
      piece.broken = std::move(bytes).error();
      break;
    }
    piece.ended = bytes->empty();
    if (piece.ended) break;
    piece.size += static_cast<int64_t>(bytes->size());
    taken = piece.size > max
                ? Result<>(fail(ErrorCode::payloadTooLarge, "the body is longer than the rest of the upload"))
                : co_await writer->write(*bytes);
  }
  if (taken && piece.size == 0) co_return piece;
  if (taken) {
    auto sum = co_await writer->finish();
    if (sum) {
      piece.sha256 = *std::move(sum);
      co_return piece;
    }
    taken = fail(std::move(sum).error());
  }
  const Result<> gone = co_await writer->abandon();
  if (!gone) {
    logWarn("partial upload not removed; a lifecycle rule of the S3 bucket must remove it",
            {{"cause", gone.error().message()}});
  }
  co_return fail(std::move(taken).error());
}

Task<UploadRecord> Uploads::keep(Access access, UploadRecord upload, const Piece& piece) {
  const store::ProjectNo project = access.project->info().number;
  const int64_t pieces = upload.pieces.value_or(0);
  if (pieces >= kMaxPieces) {
    co_return fail(ErrorCode::conflict, "this upload has too many pieces: start a new upload, with larger ones");
  }
  UploadRecord next = upload;
  next.offset += piece.size;
  next.pieces = pieces + 1;
  next.expiresAt = {deps_.clock.now().ms + kUploadLives};
  const PieceRecord record{pieceKey(upload.id, upload.offset), upload.id, piece.blob, piece.size};
  CO_TRY(const store::Insert job, expiry(project, next));
  store::Write write(writing(access.actor()));
  const store::Target row = write.change(inProject(project, kUploads), upload.id);
  const store::Target pieceRow = write.change(inProject(project, kPieces), record.id);
  const store::Target jobRow = write.change(job.collection, job.id());
  CO_RETURN_IF_ERROR(co_await deps_.store.write(
      std::move(write),
      [row, pieceRow, jobRow, &upload = std::as_const(upload), &next = std::as_const(next),
       &record = std::as_const(record),
       &job = std::as_const(job)](const store::PreImages& before, store::Changes& changes) -> Result<> {
        RETURN_IF_ERROR(isAt(before[row], upload));
        changes.put(row, doc::encode(next));
        changes.put(pieceRow, doc::encode(record));
        changes.replace(jobRow, job.document);
        return {};
      }));
  co_return next;
}

// If there is one piece its blob becomes the file's; several are copied into one.
Task<UploadRecord> Uploads::finish(Access access, UploadRecord upload, const Piece& piece) {
  const store::ProjectNo project = access.project->info().number;
  FileRecord file = fileOf(upload);
  file.blob = upload.offset == 0 ? piece.blob : newBlobName(project);
  file.size = piece.size;
  file.sha256 = piece.sha256;
  const PinnedBlobs::Pin pin(deps_.pinned, file.blob);
  std::vector<BlobName> gone;
  if (upload.offset > 0) {
    Whole whole(deps_, project, upload.id, piece);
    CO_RETURN_IF_ERROR(co_await deps_.files.receive(file, whole, upload.length));
    if (file.size != upload.length) co_return fail(noUpload());
    gone.push_back(piece.blob);
  }
  CO_RETURN_IF_ERROR(co_await deps_.files.publish(
      std::move(access), std::move(file), [&](store::Write& write) { return ending(write, project, upload, gone); }));
  upload.offset = upload.length;
  upload.done = true;
  upload.reserved.reset();
  co_return upload;
}

// The record stays until it expires, so that a client that got no response can learn of the success.
Result<ExtraWrite> Uploads::ending(store::Write& write, store::ProjectNo project, const UploadRecord& upload,
                                   std::vector<BlobName> gone) {
  TRY(store::Insert clean, cleaning(project, upload.id));
  ExtraWrite extra;
  extra.jobs.push_back(clean.id());
  if (!gone.empty()) {
    TRY(store::Insert removal, deps_.queue.insertOf(removalOf(project, std::move(gone))));
    extra.jobs.push_back(removal.id());
    write.insert(std::move(removal));
  }
  const store::Target row = write.change(inProject(project, kUploads), upload.id);
  const store::Target jobRow = write.change(clean.collection, clean.id());
  extra.callback = [row, jobRow, upload, clean = std::move(clean)](const store::PreImages& before,
                                                                   store::Changes& changes) -> Result<> {
    RETURN_IF_ERROR(isAt(before[row], upload));
    UploadRecord done = upload;
    done.offset = done.length;
    done.done = true;
    done.reserved.reset();  // the file counts from now on
    changes.put(row, doc::encode(done));
    changes.replace(jobRow, clean.document);
    return {};
  };
  return extra;
}

// ---- cleanup

namespace {

jobs::JobSpec jobOf(store::ProjectNo project, const std::string& upload, std::string_view what) {
  jobs::JobSpec spec;
  spec.kind = kUploadJob;
  spec.project = project;
  spec.id = fmt::format("upload/{}/{}/{}", project, upload, what);
  spec.payload = doc::encode(UploadJob{upload});
  return spec;
}

}  // namespace

jobs::JobSpec removalOfPieces(store::ProjectNo project, const std::string& upload) {
  return jobOf(project, upload, "end");
}

// Each piece postpones it.
Result<store::Insert> Uploads::expiry(store::ProjectNo project, const UploadRecord& upload) {
  jobs::JobSpec spec = jobOf(project, upload.id, "expiry");
  spec.notBefore = upload.expiresAt;
  return deps_.queue.insertOf(std::move(spec));
}

Result<store::Insert> Uploads::cleaning(store::ProjectNo project, const std::string& upload) {
  return deps_.queue.insertOf(removalOfPieces(project, upload));
}

Task<> Uploads::clean(jobs::JobRun run) {
  CO_TRY(const UploadJob job, store::fromStore<UploadJob>(run.payload.view()));
  const store::CollectionRef uploads = inProject(run.project, kUploads);
  const auto stored = co_await deps_.store.get(uploads, job.upload);
  // The project was purged since; the sweeper removes its blobs.
  if (!stored && stored.error().code() == ErrorCode::notFound) co_return Result<>();
  if (!stored) co_return fail(stored.error().clone());
  CO_TRY(const std::optional<UploadRecord> upload, store::fromStore<UploadRecord>(*stored));
  const auto expired = [now = deps_.clock.now()](const UploadRecord& each) { return each.expiresAt <= now; };
  if (upload && !upload->done && !expired(*upload)) co_return Result<>();
  // The record is removed before its pieces, so that the upload cannot be continued.
  if (upload && expired(*upload)) {
    store::Write write(writing({store::ActorKind::server, ""}));
    const store::Target row = write.change(uploads, job.upload);
    auto callback = [row, expired](const store::PreImages& before, store::Changes& changes) -> Result<bool> {
      TRY(const std::optional<UploadRecord> current, store::fromStore<UploadRecord>(before[row]));
      if (current && !expired(*current)) return false;
      changes.remove(row);
      return true;
    };
    CO_TRY(const bool goes, co_await store::writeReturning(deps_.store, std::move(write), std::move(callback)));
    if (!goes) co_return Result<>();
  }
  while (true) {
    CO_TRY(const bool more, co_await removePieces(run.project, job.upload));
    if (!more) co_return Result<>();
  }
}

// Removes a page of pieces and inserts the job that removes their blobs, in one commit. Returns whether there may be
// more.
Task<bool> Uploads::removePieces(store::ProjectNo project, const std::string& upload) {
  CO_TRY(const auto found, co_await deps_.store.find(piecesBehind(project, upload + "/", upload, kUploadPage)));
  CO_TRY(const std::vector<PieceRecord> pieces, store::fromStore<PieceRecord>(found.documents));
  if (pieces.empty()) co_return false;
  store::Write write(writing({store::ActorKind::server, ""}));
  std::vector<BlobName> blobs;
  std::vector<store::Target> rows;
  for (const PieceRecord& piece : pieces) {
    blobs.push_back(piece.blob);
    rows.push_back(write.change(inProject(project, kPieces), piece.id));
  }
  CO_TRY(store::Insert job, deps_.queue.insertOf(removalOf(project, std::move(blobs))));
  const std::string jobId = job.id();
  write.insert(std::move(job));
  CO_RETURN_IF_ERROR(co_await deps_.store.write(std::move(write), store::removing(std::move(rows))));
  deps_.queue.wake({jobId});
  co_return pieces.size() == kUploadPage;
}

}  // namespace mb::storage
