// Buckets and files of projects. Created once by app/ before the queue starts; absent where SERVICE_STORAGE is off.
#pragma once

#include "data/data.h"
#include "storage/buckets.h"
#include "storage/file_trial.h"
#include "storage/files.h"
#include "storage/storage_settings.h"
#include "storage/sweeper.h"
#include "storage/uploads.h"

namespace mb::storage {

inline constexpr std::string_view kDirectory = "files";  // in the data directory

// Collections of projects that this module owns.
std::vector<store::SystemCollection> systemCollections();

// References outlive the module.
struct StorageDeps {
  store::DocumentStore& store;
  snapshot::Snapshots& snapshots;
  data::Data& data;
  snapshot::SlotKey<projects::ProjectRecord> record;
  plans::PlanSlot plan;
  std::function<Task<std::vector<snapshot::ProjectInfo>>()> projects;  // see Sweeper
  jobs::Queue& queue;
  IdGenerator& ids;
  const Clock& clock;
  audit::Auditor& auditor;
  const MasterSecret& master;
  std::string baseUrl;
  bool shared = false;  // other processes use the same store and blobs
};

class Storage {
 public:
  // Adds the module's slot and its kinds of job, and its buckets to the users of sets.
  Storage(StorageDeps deps, std::unique_ptr<BlobStore> blobs);

  Buckets& buckets() { return buckets_; }
  Files& files() { return files_; }
  const FileTrials& fileTrials() const { return fileTrials_; }
  Uploads& uploads() { return uploads_; }
  Sweeper& sweeper() { return sweeper_; }
  snapshot::SlotKey<BucketTable> slot() const { return slot_; }
  BlobStore& blobs() { return *blobs_; }
  PinnedBlobs& pinnedBlobs() { return pinned_; }
  StorageQuota& quota() { return quota_; }

 private:
  const std::unique_ptr<BlobStore> blobs_;
  PinnedBlobs pinned_;
  StorageQuota quota_;
  BucketTables tables_;
  const snapshot::SlotKey<BucketTable> slot_;
  Buckets buckets_;
  Files files_;
  FileTrials fileTrials_{files_.deps()};
  Uploads uploads_;
  Sweeper sweeper_;
};

}  // namespace mb::storage
