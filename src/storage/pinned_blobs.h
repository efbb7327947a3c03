// Blobs that are being written or read and have no record yet: the sweeper must not remove them.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_set>

#include "storage/blob_store.h"

namespace mb::storage {

class PinnedBlobs {
 public:
  // Pins one blob for its lifetime.
  class Pin {
   public:
    Pin(PinnedBlobs& pinned, BlobName name) : pinned_(pinned), name_(std::move(name)) {
      const std::lock_guard lock(pinned_.mutex_);
      pinned_.names_.insert(name_);
    }
    Pin(const Pin&) = delete;
    Pin& operator=(const Pin&) = delete;
    ~Pin() {
      const std::lock_guard lock(pinned_.mutex_);
      pinned_.names_.erase(name_);
    }

   private:
    PinnedBlobs& pinned_;
    const BlobName name_;
  };
  bool holds(const BlobName& name) const {
    const std::lock_guard lock(mutex_);
    return names_.contains(name);
  }

  // Pins all blobs for its lifetime: for a backup, which reads the blobs that existed when it began.
  class PinAll {
   public:
    explicit PinAll(PinnedBlobs& pinned) : pinned_(pinned) { ++pinned_.pauses_; }
    PinAll(const PinAll&) = delete;
    PinAll& operator=(const PinAll&) = delete;
    ~PinAll() {
      if (--pinned_.pauses_ == 0 && pinned_.resumed_) pinned_.resumed_();
    }

   private:
    PinnedBlobs& pinned_;
  };
  bool paused() const { return pauses_ > 0; }
  // `resumed` is called on any thread when the last PinAll ends. Set before the first PinAll.
  void onResume(std::function<void()> resumed) { resumed_ = std::move(resumed); }

 private:
  mutable std::mutex mutex_;
  std::unordered_set<BlobName> names_;
  std::atomic<int> pauses_ = 0;
  std::function<void()> resumed_;
};

}  // namespace mb::storage
