// Files that are uploaded in several requests and can be resumed after an interruption: the state of the tus protocol
// (headers: api/tus.h; tus resumable upload protocol 1.0.0). Received bytes are pieces: durable blobs with a record
// each. The last piece, the file made of all pieces and the end of the upload are one commit.
#pragma once

#include "base/id.h"
#include "storage/files.h"

namespace mb::storage {

inline constexpr std::string_view kUploadJob = "storage.upload";
inline constexpr size_t kMaxUploads = 1000;          // unfinished ones of one owner
inline constexpr int64_t kMaxPieces = 10'000;        // of one upload
inline constexpr int64_t kPieceBytes = 64 << 20;     // of each piece of a request: a crash loses no more
inline constexpr int64_t kUploadLives = 86'400'000;  // ms, since the last byte

// The payload of a kUploadJob: removes leftovers of an upload.
struct UploadJob {
  std::string upload;
  static constexpr auto shape() { return doc::shape<UploadJob>("UploadJob", doc::field("upload", &UploadJob::upload)); }
};

// A job that removes the pieces of an upload whose record is removed.
jobs::JobSpec removalOfPieces(store::ProjectNo project, const std::string& upload);

struct NewUpload {
  int64_t length = 0;
  NewFile file;
  std::string metadata;  // the header as the client gave it
};

// References outlive it.
struct UploadsDeps {
  store::DocumentStore& store;
  Files& files;
  jobs::Queue& queue;
  BlobStore& blobs;
  PinnedBlobs& pinned;
  StorageQuota& quota;
  IdGenerator& ids;
  const Clock& clock;
};

class Uploads {
 public:
  // Declares the module's kind of job.
  explicit Uploads(UploadsDeps deps);

  // All fail as Files::put() does, and with notFound where the caller has no such upload at this path. Each checks
  // whether the caller may put the file there, as the bucket and its files are then, unless the upload is done.

  // Fails with payloadTooLarge past the project's maxFileSize, conflict past kMaxUploads, planLimit past the plan's
  // storageBytes. Its whole length counts there until it ends. An empty upload becomes a file at once.
  Task<UploadRecord> create(Access access, std::string bucket, std::string path, NewUpload input);
  Task<UploadRecord> find(Access access, std::string bucket, std::string path, std::string id);
  // Appends `body` at `offset`, which must be the upload's current offset (else conflict); `body` lives until the call
  // returns. On interruption the received bytes are kept. With its last byte the upload becomes the file.
  Task<UploadRecord> append(Access access, std::string bucket, std::string path, std::string id, int64_t offset,
                            Upload& body);
  // Deletes the upload.
  Task<> remove(Access access, std::string bucket, std::string path, std::string id);

 private:
  struct Piece;
  class Whole;
  struct Admission {
    std::vector<store::CounterLimit> limits = {};  // of the write that creates the upload
    int64_t replaced = 0;                          // bytes of the file that it replaces
  };

  Task<Admission> admit(const Access& access, const UploadRecord& upload);
  // One attempt. Fails with ErrorCode::retry where the file that it replaces was changed concurrently.
  Task<> insert(const Access& access, const UploadRecord& upload);
  Task<UploadRecord> require(const Access& access, std::string id, std::string_view bucket, std::string_view path);
  Task<Piece> take(BlobName blob, Upload& body, int64_t max);
  Task<UploadRecord> keep(Access access, UploadRecord upload, const Piece& piece);
  Task<UploadRecord> finish(Access access, UploadRecord upload, const Piece& piece);
  Result<ExtraWrite> ending(store::Write& write, store::ProjectNo project, const UploadRecord& upload,
                            std::vector<BlobName> gone);
  // Their rows replace those of an earlier request to the same upload.
  Result<store::Insert> expiry(store::ProjectNo project, const UploadRecord& upload);
  Result<store::Insert> cleaning(store::ProjectNo project, const std::string& upload);
  Task<> clean(jobs::JobRun run);
  Task<bool> removePieces(store::ProjectNo project, const std::string& upload);

  const UploadsDeps deps_;
};

}  // namespace mb::storage
