// Stored files in backups, restores and checks: the blobs that an image of the store refers to. In a backup they are
// files/<blob>. Blobs in S3 are not read by these commands: a backup of the whole deployment includes their records,
// one of a single project is refused.
#pragma once

#include "app/backup_manifest.h"
#include "app/command.h"
#include "storage/pinned_blobs.h"
#include "storage/storage_types.h"
#include "store/image.h"

namespace mb::app {

// Pins all blobs, so that the sweeper of a running server keeps them, from before the image is taken until its end.
class BlobPin {
 public:
  explicit BlobPin(const Deployment& deployment) {
    if (deployment.pinnedBlobs != nullptr) pin_.emplace(*deployment.pinnedBlobs);
  }

 private:
  std::optional<storage::PinnedBlobs::PinAll> pin_;
};

// Copies all blobs of the project, or of all projects, into a backup's directory and manifest, and compares each with
// the checksum in its record. Fails with a message to print where one is missing or corrupt.
Result<> backUpFiles(const Deployment& deployment, const store::Image& image, std::optional<store::ProjectNo> project,
                     const std::filesystem::path& into, Manifest& manifest, Progress& progress);
// Fails with unavailable where the project has files whose bytes are not in the data directory.
Result<> checkFilesHere(const Deployment& deployment, const store::Image& image, store::ProjectNo project);
// The sum of their sizes in the records.
Result<uint64_t> bytesOfFiles(const store::Image& image, std::optional<store::ProjectNo> project);

// The path below a data directory's `files` of a file in a backup's manifest; nullopt for any other file.
std::optional<std::filesystem::path> storedFilePath(std::string_view path);

// Where the bytes of a blob are.
using BlobFinder = std::function<std::filesystem::path(const std::string& blob)>;
BlobFinder blobsOfBackup(std::filesystem::path backup);
// The deployment outlives it.
BlobFinder blobsOfDeployment(const Deployment& deployment);

// The record of a file whose blob `from` finds, changed to the project's new number; the blob is copied into the data
// directory, durably. Fails with a message to print.
Result<doc::Document> restoreFile(const Deployment& deployment, const BlobFinder& from, store::ProjectNo number,
                                  doc::DocumentView record);
// Fails unless the bytes of a record in this deployment are those that it names.
Result<> compareBlob(const Deployment& deployment, doc::DocumentView record);

struct FilesReport {
  uint64_t files = 0;
  uint64_t bytes = 0;
  uint64_t orphans = 0;  // unreferenced blobs, which the sweeper removes
  std::vector<std::string> problems;
};
// Reads and checks every blob.
Result<FilesReport> checkFiles(const Deployment& deployment, const store::Image& image, Progress& progress);

}  // namespace mb::app
