// Blobs that somebody is making or reading without a record that names them, and that are not to be swept therefore.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_set>

#include "storage/blob_store.h"

namespace mb::storage {

class HeldBlobs {
 public:
  // One blob, until it goes.
  class Hold {
   public:
    Hold(HeldBlobs& held, BlobName name) : held_(held), name_(std::move(name)) {
      const std::lock_guard lock(held_.mutex_);
      held_.names_.insert(name_);
    }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;
    ~Hold() {
      const std::lock_guard lock(held_.mutex_);
      held_.names_.erase(name_);
    }

   private:
    HeldBlobs& held_;
    const BlobName name_;
  };
  bool holds(const BlobName& name) const {
    const std::lock_guard lock(mutex_);
    return names_.contains(name);
  }

  // All of them, until it goes: for a backup, which reads what was there when it began.
  class Pause {
   public:
    explicit Pause(HeldBlobs& held) : held_(held) { ++held_.pauses_; }
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;
    ~Pause() { --held_.pauses_; }

   private:
    HeldBlobs& held_;
  };
  bool paused() const { return pauses_ > 0; }

 private:
  mutable std::mutex mutex_;
  std::unordered_set<BlobName> names_;
  std::atomic<int> pauses_ = 0;
};

}  // namespace mb::storage
