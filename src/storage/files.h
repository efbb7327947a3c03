// The files of a project: the only path to them. FileAccess decides on access, before the first byte of an upload on
// what is known then, and in the commit. A file's record, the counts, the removal of the previous blob and further
// effects are one commit, so a reader sees either the old file or the new one.
#pragma once

#include "base/crypto.h"
#include "projects/project_types.h"
#include "storage/blob_store.h"
#include "storage/file_access.h"
#include "storage/file_follower.h"
#include "storage/pinned_blobs.h"
#include "storage/signed_links.h"
#include "storage/storage_quota.h"

namespace mb::storage {

inline constexpr std::string_view kBlobJob = "storage.blob";
inline constexpr size_t kMaxFolders = 1000;     // of one listing
inline constexpr uint64_t kMaxListed = 10'000;  // files that a listing evaluates a rule on

// Unreferenced blobs: the payload of a kBlobJob.
struct UnreferencedBlobs {
  std::vector<std::string> blobs;
  static constexpr auto shape() {
    return doc::shape<UnreferencedBlobs>("GoneBlobs", doc::field("blobs", &UnreferencedBlobs::blobs));
  }
};
// A job that removes the blobs, due at once.
jobs::JobSpec removalOf(store::ProjectNo project, std::vector<BlobName> blobs);

// The incoming bytes of an upload.
class Upload {
 public:
  virtual ~Upload() = default;
  // Valid until the next call; empty at the end. Fails with payloadTooLarge past the limit.
  virtual Task<std::string_view> read() = 0;
  virtual void setLimit(uint64_t max) = 0;
  // The number of bytes, if the client declared it.
  virtual std::optional<uint64_t> size() const { return std::nullopt; }
};

// The query parameters of a signed link.
struct Signature {
  int64_t expires = 0;
  std::string signature;
};

// A file that the caller may read.
struct OpenFile {
  FileRecord record;
  bool isPublic = false;                   // readable by any client
  std::shared_ptr<const Descriptor> file;  // null: read it by source()
};

// What a client says about a file that it uploads.
struct NewFile {
  std::string contentType;
  std::optional<doc::Document> metadata = {};  // nullopt: that of the file that it replaces
};

// A location where the caller may put a file.
struct UploadTarget {
  BucketPtr bucket;
  int64_t maxSize = 0;
};

// Additional changes in the commit of a file's record.
struct ExtraWrite {
  store::WriteCallback callback;
  std::vector<std::string> jobs;  // ids of jobs to wake after the commit
};
// Adds the targets that `callback` changes; called for each attempt.
using ExtraWriteFactory = std::function<Result<ExtraWrite>(store::Write& write)>;

struct FilePage {
  std::string prefix;
  uint64_t limit = 50;
  uint64_t skip = 0;
};

// References outlive it.
struct FilesDeps {
  store::DocumentStore& store;
  snapshot::Snapshots& snapshots;
  snapshot::SlotKey<BucketTable> slot;
  snapshot::SlotKey<projects::ProjectRecord> record;
  FileAccess access;
  jobs::Queue& queue;
  BlobStore& blobs;
  PinnedBlobs& pinned;
  StorageQuota& quota;
  const Clock& clock;
  const MasterSecret& master;
  std::string baseUrl;
};

class Files {
 public:
  explicit Files(FilesDeps deps) : deps_(std::move(deps)), links_(deps_.master) {}
  // Called before the first upload.
  void setFollower(FileFollower& follower) { follower_ = &follower; }

  // All fail with notFound for a missing bucket, invalidParam for an invalid path, and as FileAccess and evaluate() do.

  // The upload is read only once the caller is known to have access; `upload` lives until the call returns. Fails with
  // validation for metadata (storage_rules.h), payloadTooLarge past the project's maxFileSize, planLimit past the
  // plan's storageBytes (for a declared size before the first byte is read), unavailable where the blob store has no
  // space.
  Task<FileView> put(Access access, std::string bucket, std::string path, NewFile file, Upload& upload);
  // The steps of put(), for files uploaded by other means. First: checks whether the caller may put the file there,
  // whose path, content type, owner and metadata are set, and its size if it is known.
  Task<UploadTarget> uploadTarget(Access access, std::string bucket, FileRecord file, Known known);
  // The part of that check that needs no file.
  Result<BucketPtr> writableBucket(const Access& access, std::string_view bucket, std::string_view path) const;
  // Second: writes the bytes to the blob that the record names, which the caller holds, and sets the record's size and
  // checksum. They are reserved in `space` as they arrive; null: they count already, or the plan has no limit. On
  // failure no blob remains.
  Task<> receive(FileRecord& record, Upload& upload, int64_t max, UploadReservation* space = nullptr);
  // Third: publishes the record, whose bucket, path, content type, owner, metadata and blob are set, with the changes
  // of `makeExtra` (null for none). A file that it replaces passes on its metadata, if none is set, and in a bucket
  // with rules its owner. Fails with planLimit where all of the commit's changes would pass the plan's storageBytes.
  Task<FileView> publish(Access access, FileRecord record, ExtraWriteFactory makeExtra);

  // Fails with notFound for files that the caller may not read. An anonymous caller gets no other error.
  Task<OpenFile> open(Access access, std::string bucket, std::string path, std::optional<Signature> signature);
  std::shared_ptr<BlobSource> source(const OpenFile& file, uint64_t offset, uint64_t length) const {
    return deps_.blobs.source(file.record.blob, offset, length);
  }
  // Replaces the metadata of a file. Fails with validation.
  Task<> setMetadata(Access access, std::string bucket, std::string path, doc::Document metadata);
  // Removes the file, or the folder of that name if it is empty (else conflict).
  Task<> remove(Access access, std::string bucket, std::string path);
  // Fails with queryTooCostly where a rule would be evaluated on more than kMaxListed files.
  Task<FileList> list(Access access, std::string bucket, FilePage page);
  // Returns the folder's path; succeeds if the folder exists.
  Task<std::string> createFolder(Access access, std::string bucket, std::string folder);
  // The link expires with the API key that signs it, if that is earlier. Fails with notFound where the file does not
  // exist, invalidParam for a time outside 1 to kLongestLink.
  Task<SignedLink> sign(Access access, std::string bucket, std::string path, int64_t seconds);

  const FilesDeps& deps() const { return deps_; }

  // The project's totals: the sum of all counts.
  Task<StoredRecord> stored(store::ProjectNo project);

 private:
  Result<BucketPtr> require(const Access& access, std::string_view bucket, std::string_view path) const;
  Task<FileGrant> grantOf(const Access& access, BucketPtr bucket, policy::Operation operation) const;
  // The grant of a reader: of any operation, with a link for the file.
  Task<FileGrant> readGrant(const Access& access, std::string_view bucket, std::string_view path,
                            const std::optional<Signature>& signature) const;
  bool opensByLink(const Access& access, const Bucket& bucket, std::string_view path, const Signature& signature) const;
  static Task<std::string> receiveInto(BlobWriter& writer, Upload& upload, int64_t max, int64_t& size,
                                       UploadReservation* space);
  // Removes the blob of a file that was refused in its commit.
  Task<> discard(BlobName blob);
  // One attempt each. Fails with ErrorCode::retry where the file or the caller's sets were changed concurrently.
  Task<FileView> commit(const Access& access, BucketPtr bucket, FileRecord record, const ExtraWriteFactory& makeExtra);
  Task<> changeMetadata(const Access& access, BucketPtr bucket, const std::string& path, const doc::Document& metadata);
  Task<> removeFile(const Access& access, BucketPtr bucket, const std::string& path);
  Task<> removeFolder(const Access& access, BucketPtr bucket, const std::string& path);
  Result<store::Insert> removal(store::ProjectNo project, std::string blob);
  // In seconds since 1970.
  Task<int64_t> linkExpiry(const Access& access, int64_t seconds) const;
  // The files or folders of a page, by path: those of the owner if that is not "", and those after the path `after` if
  // that is not "".
  Task<std::vector<doc::Document>> range(store::CollectionRef collection, const BucketRecord& bucket,
                                         const std::string& owner, const FilePage& page, std::string after,
                                         store::Deadline deadline);
  // The files of a page, by a grant that depends on each file.
  Task<std::vector<FileRecord>> evaluated(const Access& access, const FileGrant& grant, const FilePage& page);

  const FilesDeps deps_;
  const SignedLinks links_;
  FileFollower* follower_ = nullptr;
};

}  // namespace mb::storage
