#include "store/embedded/housekeeper.h"

#include "base/log.h"

namespace mb::store::embedded {

namespace {
constexpr std::chrono::seconds kTick{1};
constexpr int kTicksBetweenTrims = 60;
// Longer than the lifetime of any iterator or snapshot, so the sweep may delete the files of a range.
constexpr std::chrono::seconds kSweepAfter{4};
}  // namespace

Housekeeper::Housekeeper(Database& database, const Catalogue& catalogue, const EmbeddedSettings& settings,
                         const Clock& clock, std::filesystem::path directory)
    : database_(database),
      clock_(clock),
      directory_(std::move(directory)),
      minFreeBytes_(static_cast<uint64_t>(settings.minFreeDiskBytes)),
      sweeper_(database),
      trimmer_(database, catalogue, settings) {
  for (const Tombstone& tombstone : catalogue.tombstones) sweeper_.add(tombstone, std::chrono::steady_clock::now());
}

void Housekeeper::start() {
  checkDiskSpace();
  thread_ = std::thread([this] { run(); });
}

void Housekeeper::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Housekeeper::enqueueTombstone(Tombstone tombstone) {
  sweeper_.add(std::move(tombstone), std::chrono::steady_clock::now() + kSweepAfter);
}

void Housekeeper::run() {
  for (int tick = 1;; ++tick) {
    {
      std::unique_lock lock(mutex_);
      if (wake_.wait_for(lock, kTick, [this] { return stopping_.load(); })) return;
    }
    checkDiskSpace();
    sweeper_.sweepDue([this] { return stopping_.load(); });
    if (tick % kTicksBetweenTrims == 0) trimmer_.run(clock_.now());
  }
}

void Housekeeper::checkDiskSpace() {
  uint64_t free = 0;
  if (!database_.db().GetFileSystem()->GetFreeSpace(directory_.string(), {}, &free, nullptr).ok()) return;
  admittedBefore_ = admitted_.exchange(0);
  const bool low = free < minFreeBytes_;
  spare_ = low ? 0 : free - minFreeBytes_;
  if (low == diskIsLow_.exchange(low)) return;
  if (low) {
    logError("the disk is nearly full: writes are refused until space is free");
  } else {
    logInfo("the disk has free space again: writes are accepted");
  }
}

}  // namespace mb::store::embedded
