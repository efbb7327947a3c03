// The files of a project: THE way to them, whoever asks. Who may reach whose: decisions 3. Metadata changes in one
// commit, with the counts, the removal of what was there before, and what follows; so a file is always the old one or
// the new one.
#pragma once

#include "base/crypto.h"
#include "projects/project_types.h"
#include "storage/access.h"
#include "storage/blob_store.h"
#include "storage/bucket_table.h"
#include "storage/file_follower.h"
#include "storage/pinned_blobs.h"
#include "storage/signed_links.h"

namespace mb::storage {

inline constexpr std::string_view kBlobJob = "storage.blob";
inline constexpr size_t kMaxFolders = 1000;  // of one listing

// Blobs that nothing names any more: the payload of a kBlobJob.
struct GoneBlobs {
  std::vector<std::string> blobs;
  static constexpr auto shape() { return doc::shape<GoneBlobs>("GoneBlobs", doc::field("blobs", &GoneBlobs::blobs)); }
};
// The job that removes them, at once.
jobs::JobSpec removalOf(store::ProjectNo project, std::vector<BlobName> blobs);

// What is uploaded, as it comes in.
class Upload {
 public:
  virtual ~Upload() = default;
  // Valid until the next call; empty at the end. Fails with payloadTooLarge past the limit.
  virtual Task<std::string_view> read() = 0;
  virtual void setLimit(uint64_t max) = 0;
};

// What a signed link says of itself.
struct Signature {
  int64_t expires = 0;
  std::string signature;
};

// A file that may be read.
struct OpenFile {
  FileRecord record;
  bool isPublic = false;                   // anybody may
  std::shared_ptr<const Descriptor> file;  // null: by source()
};

// Where a caller may put a file.
struct Place {
  BucketRecord bucket;
  int64_t maxSize = 0;
};

// What goes with a file's record, in its commit.
struct ExtraWrite {
  store::WriteCallback callback;
  std::vector<std::string> jobs;  // to be woken
};
// Adds the targets that `callback` changes, for each attempt.
using ExtraWriteFactory = std::function<Result<ExtraWrite>(store::Write& write)>;

struct FilePage {
  std::string prefix;
  uint64_t limit = 50;
  uint64_t skip = 0;
};

class Files {
 public:
  // References outlive it.
  struct Deps {
    store::DocumentStore& store;
    snapshot::Snapshots& snapshots;
    snapshot::SlotKey<BucketTable> slot;
    snapshot::SlotKey<projects::ProjectRecord> record;
    jobs::Queue& queue;
    BlobStore& blobs;
    PinnedBlobs& pinned;
    const Clock& clock;
    const MasterSecret& master;
    std::string baseUrl;
  };
  explicit Files(Deps deps) : deps_(std::move(deps)), links_(deps_.master) {}
  // Before the first upload.
  void setFollower(FileFollower& follower) { follower_ = &follower; }

  // All fail with notFound for a bucket that is not there, invalidParam for a path that cannot be one, and forbidden
  // without the permission.

  // Nothing of the upload is read before the caller may; `upload` lives until it returns. Fails with payloadTooLarge
  // past the project's maxFileSize, forbidden for another's file, unavailable without module.
  Task<FileView> put(Access access, std::string bucket, std::string path, std::string contentType, Upload& upload);
  // The steps of put(), for a file that comes otherwise. First whether the caller may put one there.
  Task<Place> placeFor(Access access, std::string bucket, std::string path);
  // Then its bytes, as the blob that the record names, which the caller holds: size and sum are noted in the record.
  // Where it fails nothing is left.
  Task<> receive(FileRecord& record, Upload& upload, int64_t max);
  // Then the record, of which bucket, path, content type, owner and blob are known, with what `makeExtra` adds (null
  // for none).
  Task<FileView> publish(Access access, BucketRecord bucket, FileRecord record, ExtraWriteFactory makeExtra);

  // Fails with notFound for all that the caller may not read. An anonymous caller is told nothing else, whatever it is.
  Task<OpenFile> open(Access access, std::string bucket, std::string path, std::optional<Signature> signature);
  std::shared_ptr<BlobSource> source(const OpenFile& file, uint64_t offset, uint64_t length) const {
    return deps_.blobs.source(file.record.blob, offset, length);
  }
  // A folder where there is no file of the name, as long as nothing is in it (else conflict).
  Task<> remove(Access access, std::string bucket, std::string path);
  Task<FileList> list(Access access, std::string bucket, FilePage page);
  // Gives its path; that it is there already is well.
  Task<std::string> createFolder(Access access, std::string bucket, std::string folder);
  // The link ends with the API key that signs it, where that ends first. Fails with notFound where there is nothing to
  // read, invalidParam for a time outside 1 to kLongestLink.
  Task<SignedLink> sign(Access access, std::string bucket, std::string path, int64_t seconds);

  // What a project has stored: all counts together.
  Task<StoredRecord> stored(store::ProjectNo project);

 private:
  Result<BucketRecord> require(const Access& access, std::string_view bucket, std::string_view path) const;
  Result<BucketRecord> readable(const Access& access, std::string_view bucket, std::string_view path,
                                const std::optional<Signature>& signature, bool& own) const;
  static Task<std::string> receiveInto(BlobWriter& writer, Upload& upload, int64_t max, int64_t& size);
  // One attempt each. Fails with ErrorCode::retry where another write was first.
  Task<FileView> commit(Access access, BucketRecord bucket, FileRecord record, ExtraWriteFactory makeExtra);
  Task<> removeFile(Access access, BucketRecord bucket, std::string path);
  Task<> removeFolder(Access access, BucketRecord bucket, std::string path);
  Result<store::Insert> removal(store::ProjectNo project, std::string blob);
  // In seconds since 1970.
  Task<int64_t> linkExpiry(Access access, int64_t seconds) const;
  Task<std::vector<doc::Document>> range(store::CollectionRef collection, const BucketRecord& bucket,
                                         const std::string& owner, const FilePage& page, store::Deadline deadline);

  const Deps deps_;
  const SignedLinks links_;
  FileFollower* follower_ = nullptr;
};

}  // namespace mb::storage
