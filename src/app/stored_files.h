// Stored files in backups, restores and checks: the blobs that a picture of the store names. In a backup they stand as
// files/<blob>. Where they are kept in S3 these commands do not read them: a backup of the whole deployment holds their
// records, one of a project is refused.
#pragma once

#include "app/backup_manifest.h"
#include "app/command.h"
#include "storage/pinned_blobs.h"
#include "storage/storage_types.h"
#include "store/embedded/backup.h"

namespace mb::app {

// Keeps the sweeper of a running server from blobs, from before the picture is taken until it goes.
class BlobPin {
 public:
  explicit BlobPin(const Deployment& deployment) {
    if (deployment.pinnedBlobs != nullptr) pin_.emplace(*deployment.pinnedBlobs);
  }

 private:
  std::optional<storage::PinnedBlobs::PinAll> pin_;
};

// Copies all blobs of the project, or of all projects, into a backup's directory and manifest, each held to the sum in
// its record. Fails with the line to show where one is missing or damaged.
Result<> backUpFiles(const Deployment& deployment, const store::StoreImage& image,
                     std::optional<store::ProjectNo> project, const std::filesystem::path& into, Manifest& manifest,
                     Progress& progress);
// Their bytes, as the records say.
Result<uint64_t> bytesOfFiles(const store::StoreImage& image, std::optional<store::ProjectNo> project);

// Where the file of a backup's manifest goes below a data directory's `files`; nullopt for one that is none of them.
std::optional<std::filesystem::path> placeOfFile(std::string_view path);

// A file's record out of a backup at `from`, bound to the project's new number; its blob is copied into the data
// directory, durably. Fails with the line to show.
Result<doc::Document> restoreFile(const Deployment& deployment, const std::filesystem::path& from,
                                  store::ProjectNo number, doc::DocumentView record);

struct FilesReport {
  uint64_t files = 0;
  uint64_t bytes = 0;
  uint64_t orphans = 0;  // blobs that no record names; the sweeper's
  std::vector<std::string> problems;
};
// Reads every blob.
Result<FilesReport> checkFiles(const Deployment& deployment, const store::StoreImage& image, Progress& progress);

}  // namespace mb::app
