// The limit storageBytes of a project's plan. The commit that adds a file or an upload decides: it limits kStoredBytes.
// Before that, the uploads in progress of this process reserve what they would add, so that those which cannot fit are
// refused before they are received; one whose declared size is small reserves nothing while half of the limit is free.
// Where the plan has no such limit nothing is read or reserved.
#pragma once

#include <mutex>
#include <unordered_map>

#include "plans/plans.h"
#include "storage/storage_types.h"

namespace mb::storage {

// Any core. References outlive it.
class StorageQuota {
 public:
  StorageQuota(store::DocumentStore& store, plans::PlanSlot plan) : store_(store), plan_(plan) {}

  // What one upload in progress has reserved; ends with it.
  class Permit {
   public:
    Permit(StorageQuota& quota, store::ProjectNo project) : quota_(quota), project_(project) {}
    Permit(const Permit&) = delete;
    Permit& operator=(const Permit&) = delete;
    ~Permit() { release(); }
    // Raises what is reserved to `bytes`. False, without any change, where the project would then pass `max`: with the
    // bytes `use` that it has stored, and with what other uploads have reserved.
    bool raise(int64_t bytes, int64_t use, int64_t max);
    void release();
    int64_t bytes() const { return bytes_; }

   private:
    StorageQuota& quota_;
    const store::ProjectNo project_;
    int64_t bytes_ = 0;
  };
  int64_t reserved(store::ProjectNo project) const;
  // Whether a file of `size` bytes is received without a reservation: it is small, and half of `max` would stay free,
  // with the bytes `use` that are stored.
  bool fitsEasily(store::ProjectNo project, int64_t size, int64_t use, int64_t max) const;

  // In bytes; nullopt: unlimited.
  std::optional<int64_t> max(const snapshot::ProjectSnapshot& project) const {
    return project.get(plan_).max(plans::Limit::storageBytes);
  }
  // Of a write that adds to the project's files, at most `max` in all.
  static std::vector<store::CounterLimit> limits(store::ProjectNo project, int64_t max) {
    return {{counterOf(project), max}};
  }
  // Of a write that adds to the project's files; empty: unlimited.
  std::vector<store::CounterLimit> limits(const snapshot::ProjectSnapshot& project) const;

  struct Use {
    int64_t bytes = 0;     // of the project: its files, and the declared lengths of its unfinished uploads
    int64_t replaced = 0;  // of the file that an upload would replace; 0 if it does not exist
  };
  // Both at one time, where the file is not changed again and again.
  Task<Use> useWith(store::ProjectNo project, std::string file);
  Task<int64_t> use(store::ProjectNo project);

  // The error of an upload that does not fit; `use` is without it. REQUIRES: max().
  Error exceeded(const snapshot::ProjectSnapshot& project, int64_t use) const;
  // The error of a failed write with limits(): as exceeded() where the limit refused it, else as it is.
  Async<Error> explained(const snapshot::ProjectSnapshot& project, Error error);

 private:
  static store::CounterKey counterOf(store::ProjectNo project) { return {project, kStoredBytes, ""}; }
  Task<int64_t> sizeOf(store::ProjectNo project, std::string file);

  store::DocumentStore& store_;
  const plans::PlanSlot plan_;
  mutable std::mutex mutex_;
  std::unordered_map<store::ProjectNo, int64_t> reserved_;  // only projects with permits of more than 0 bytes
};

// The space of one upload to a file in a project whose plan is limited.
class UploadReservation {
 public:
  // `file` is its key, `max` the plan's limit.
  UploadReservation(StorageQuota& quota, snapshot::SnapshotPtr project, std::string file, int64_t max)
      : quota_(quota),
        project_(std::move(project)),
        file_(std::move(file)),
        max_(max),
        permit_(quota, project_->info().number) {}

  // Reserves what the project grows by once the file has `size` bytes; nothing where that is less than the file that it
  // replaces has. Fails with planLimit.
  Task<> cover(int64_t size);
  // The same before the first byte of a file of a known size, which reserves nothing where it fits easily.
  Task<> coverDeclared(int64_t size);

 private:
  StorageQuota& quota_;
  const snapshot::SnapshotPtr project_;
  const std::string file_;
  const int64_t max_;
  StorageQuota::Permit permit_;
  int64_t covered_ = 0;
  std::optional<StorageQuota::Use> use_;  // as last read
};

}  // namespace mb::storage
