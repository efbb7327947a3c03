// Blobs as files below one directory:
//
//   blobs/<2 hex digits>/<name>   whole and durable
//   incoming/<name>               while they come; at the start all of these go
#pragma once

#include <filesystem>
#include <mutex>

#include "base/lru_cache.h"
#include "base/worker_pool.h"
#include "storage/blob_store.h"

namespace mb::storage {

inline constexpr std::string_view kBlobsFolder = "blobs";

// Where a blob stands below the store's directory.
std::filesystem::path blobPath(std::string_view name);
// Makes the folders of a store that is not open, durably.
Result<> makeBlobFolders(const std::filesystem::path& directory);

class LocalStore final : public BlobStore {
 public:
  // Makes the folders where they are missing, and removes what was coming when the process before this one ended.
  static Result<std::unique_ptr<LocalStore>> open(std::filesystem::path directory);

  std::unique_ptr<BlobWriter> create(BlobName name) override;
  Task<std::shared_ptr<const Descriptor>> open(BlobName name) override;
  std::shared_ptr<BlobSource> source(BlobName name, uint64_t offset, uint64_t length) override;
  Task<> remove(std::vector<BlobName> names) override;
  // From "" or a folder's name: a page is a folder.
  Task<BlobPage> list(std::string from) override;
  // Who reads one holds its file open.
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
  // Blobs do not change, so an open one is as good as a fresh one; one that is removed leaves here first.
  LruCache<std::shared_ptr<const Descriptor>> open_{kMaxOpen};
};

}  // namespace mb::storage
