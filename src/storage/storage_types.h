// Types of buckets and files: stored records, request bodies, responses.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "document/shape.h"
#include "store/store.h"

namespace mb::storage {

// Numbers 120 to 129 of the system collections belong to this module.
inline constexpr store::CollectionNo kBuckets = 120;  // id: the name in lower case
inline constexpr store::CollectionNo kFiles = 121;    // id: fileKey()
inline constexpr store::CollectionNo kFolders = 122;  // id: fileKey()
inline constexpr store::CollectionNo kStored = 123;   // stored totals, in kCountRecords count records
// Of the project's files, and the declared lengths of its unfinished uploads.
inline constexpr store::CounterNo kStoredBytes = 1;
inline constexpr store::CollectionNo kUploads = 124;  // resumable ones
inline constexpr store::CollectionNo kPieces = 125;   // received pieces of these; id: pieceKey()

struct BucketRecord {
  std::string id;
  std::string name;
  std::string bucketId;  // "bkt_…": a new bucket of the same name has another id
  std::string access;    // public, private
  Timestamp createdAt;
  std::optional<doc::Document> rules = {};  // bucket_rules.h; never empty
  static constexpr auto shape() {
    return doc::shape<BucketRecord>(
        "BucketRecord", doc::field("id", &BucketRecord::id), doc::field("name", &BucketRecord::name),
        doc::field("bucketId", &BucketRecord::bucketId), doc::field("access", &BucketRecord::access),
        doc::field("createdAt", &BucketRecord::createdAt), doc::field("rules", &BucketRecord::rules));
  }
  bool operator==(const BucketRecord&) const = default;
};

struct BucketView {
  std::string name;
  std::string access;
  Timestamp createdAt;
  std::optional<doc::Document> rules = {};
  static constexpr auto shape() {
    return doc::shape<BucketView>(
        "Bucket", doc::field("name", &BucketView::name), doc::field("access", &BucketView::access),
        doc::field("createdAt", &BucketView::createdAt), doc::field("rules", &BucketView::rules));
  }
};

struct NewBucket {
  std::string name;
  std::optional<std::string> access;  // private if absent
  doc::Patch<doc::Document> rules = {};
  static constexpr auto shape() {
    return doc::shape<NewBucket>("NewBucket", doc::field("name", &NewBucket::name),
                                 doc::field("access", &NewBucket::access), doc::field("rules", &NewBucket::rules));
  }
};

// Absent fields stay as they are.
struct BucketPatch {
  std::optional<std::string> access;
  doc::Patch<doc::Document> rules = {};  // null or empty: the bucket has none
  static constexpr auto shape() {
    return doc::shape<BucketPatch>("BucketPatch", doc::field("access", &BucketPatch::access),
                                   doc::field("rules", &BucketPatch::rules));
  }
};

struct FileRecord {
  std::string id;
  std::string bucket;  // bucketId
  std::string path;
  int64_t size = 0;
  std::string contentType;
  std::string sha256;  // hex
  std::string blob;
  std::string owner;  // user_…, key_…: the uploader; "" for a function
  Timestamp createdAt;
  Timestamp updatedAt;
  std::optional<doc::Document> metadata = {};  // nullopt: {}
  static constexpr auto shape() {
    return doc::shape<FileRecord>(
        "FileRecord", doc::field("id", &FileRecord::id), doc::field("bucket", &FileRecord::bucket),
        doc::field("path", &FileRecord::path), doc::field("size", &FileRecord::size),
        doc::field("contentType", &FileRecord::contentType), doc::field("sha256", &FileRecord::sha256),
        doc::field("blob", &FileRecord::blob), doc::field("owner", &FileRecord::owner),
        doc::field("createdAt", &FileRecord::createdAt), doc::field("updatedAt", &FileRecord::updatedAt),
        doc::field("metadata", &FileRecord::metadata));
  }
};

struct FileView {
  std::string path;
  int64_t size = 0;
  std::string contentType;
  std::string etag;  // the header's value
  Timestamp createdAt;
  Timestamp updatedAt;
  std::optional<std::string> ownerId = {};  // nullopt for a file of a function
  doc::Document metadata = {};
  static constexpr auto shape() {
    return doc::shape<FileView>("File", doc::field("path", &FileView::path), doc::field("size", &FileView::size),
                                doc::field("contentType", &FileView::contentType), doc::field("etag", &FileView::etag),
                                doc::field("createdAt", &FileView::createdAt),
                                doc::field("updatedAt", &FileView::updatedAt),
                                doc::field("ownerId", &FileView::ownerId), doc::field("metadata", &FileView::metadata));
  }
};

struct FilePatch {
  doc::Document metadata;
  static constexpr auto shape() {
    return doc::shape<FilePatch>("FilePatch", doc::field("metadata", &FilePatch::metadata));
  }
};

struct FolderRecord {
  std::string id;
  std::string bucket;
  std::string path;
  std::string owner;
  Timestamp createdAt;
  static constexpr auto shape() {
    return doc::shape<FolderRecord>("FolderRecord", doc::field("id", &FolderRecord::id),
                                    doc::field("bucket", &FolderRecord::bucket),
                                    doc::field("path", &FolderRecord::path), doc::field("owner", &FolderRecord::owner),
                                    doc::field("createdAt", &FolderRecord::createdAt));
  }
};

struct FolderBody {
  std::string folder;
  static constexpr auto shape() { return doc::shape<FolderBody>("Folder", doc::field("folder", &FolderBody::folder)); }
};

struct FileList {
  std::vector<FileView> files;       // by path
  std::vector<std::string> folders;  // those that were created by name
  static constexpr auto shape() {
    return doc::shape<FileList>("FileList", doc::field("files", &FileList::files),
                                doc::field("folders", &FileList::folders));
  }
};

struct SignedLink {
  std::string url;
  Timestamp expiresAt;
  static constexpr auto shape() {
    return doc::shape<SignedLink>("SignedLink", doc::field("url", &SignedLink::url),
                                  doc::field("expiresAt", &SignedLink::expiresAt));
  }
};

// One of a project's count records; the file's key selects it, so that uploads rarely wait for each other.
struct StoredRecord {
  std::string id;
  int64_t files = 0;
  int64_t bytes = 0;
  static constexpr auto shape() {
    return doc::shape<StoredRecord>("StoredRecord", doc::field("id", &StoredRecord::id),
                                    doc::field("files", &StoredRecord::files),
                                    doc::field("bytes", &StoredRecord::bytes));
  }
};

// A file that is uploaded in several requests.
struct UploadRecord {
  std::string id;      // "upl_…"
  std::string bucket;  // bucketId
  std::string path;
  std::string owner;  // user_…, key_…: only the owner may continue it
  std::string contentType;
  std::string metadata;  // as the client gave it
  int64_t length = 0;
  int64_t offset = 0;  // durable bytes received; equals the length only once the upload is done
  bool done = false;   // the file exists; its pieces are unreferenced
  Timestamp createdAt;
  Timestamp expiresAt;
  std::optional<doc::Document> fileMetadata = {};  // of the file; nullopt: that of the file that it replaces
  // What it counts in kStoredBytes: the length; nullopt once it is done.
  std::optional<int64_t> reserved = {};
  std::optional<int64_t> pieces = {};  // records; absent before the first
  static constexpr auto shape() {
    return doc::shape<UploadRecord>(
        "UploadRecord", doc::field("id", &UploadRecord::id), doc::field("bucket", &UploadRecord::bucket),
        doc::field("path", &UploadRecord::path), doc::field("owner", &UploadRecord::owner),
        doc::field("contentType", &UploadRecord::contentType), doc::field("metadata", &UploadRecord::metadata),
        doc::field("length", &UploadRecord::length), doc::field("offset", &UploadRecord::offset),
        doc::field("done", &UploadRecord::done), doc::field("createdAt", &UploadRecord::createdAt),
        doc::field("expiresAt", &UploadRecord::expiresAt), doc::field("fileMetadata", &UploadRecord::fileMetadata),
        doc::field("reserved", &UploadRecord::reserved), doc::field("pieces", &UploadRecord::pieces));
  }
};

// Bytes of an upload, from the end of the previous piece.
struct PieceRecord {
  std::string id;
  std::string upload;
  std::string blob;
  int64_t size = 0;
  static constexpr auto shape() {
    return doc::shape<PieceRecord>("PieceRecord", doc::field("id", &PieceRecord::id),
                                   doc::field("upload", &PieceRecord::upload), doc::field("blob", &PieceRecord::blob),
                                   doc::field("size", &PieceRecord::size));
  }
};

FileView viewOf(const FileRecord& record);
BucketView viewOf(const BucketRecord& record);

}  // namespace mb::storage
