// Blobs as files below one directory:
//
//   blobs/<2 hex digits>/<name>   complete and durable
//   incoming/<name>               uploads in progress; the start removes all of these
#pragma once

#include <filesystem>
#include <mutex>

#include "base/lru_cache.h"
#include "base/worker_pool.h"
#include "storage/blob_store.h"

namespace mb::storage {

inline constexpr std::string_view kBlobsFolder = "blobs";

// The path of a blob below the store's directory.
std::filesystem::path blobPath(std::string_view name);
// Creates the folders of a store that is not open, durably.
Result<> makeBlobFolders(const std::filesystem::path& directory);

class LocalStore final : public BlobStore {
 public:
  // Creates missing folders, and removes incomplete uploads of an earlier process.
  static Result<std::unique_ptr<LocalStore>> open(std::filesystem::path directory);

  std::unique_ptr<BlobWriter> create(BlobName name) override;
  Task<std::shared_ptr<const Descriptor>> open(BlobName name) override;
  std::shared_ptr<BlobSource> source(BlobName name, uint64_t offset, uint64_t length) override;
  Task<> remove(std::vector<BlobName> names) override;
  // `from` is "" or a folder's name: a page is a folder.
  Task<BlobPage> list(std::string from) override;
  // A reader holds the file open.
  std::chrono::milliseconds lingers() const override { return std::chrono::milliseconds(0); }
  void stop() override { pool_.stop(); }

 private:
  class Writer;
  class Source;
  static constexpr int kThreads = 4;
  static constexpr size_t kMaxQueued = 4096;
  static constexpr size_t kMaxOpen = 512;

  explicit LocalStore(std::filesystem::path directory) : directory_(std::move(directory)) {}

  const std::filesystem::path directory_;
  WorkerPool pool_{"files", kThreads, kMaxQueued};
  std::mutex mutex_;
  // Blobs are immutable, so open files can be cached; a removed blob is evicted first.
  LruCache<std::shared_ptr<const Descriptor>> open_{kMaxOpen};
};

}  // namespace mb::storage
