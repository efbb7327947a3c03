// The Housekeeper is a background thread: it checks the disk space each second, sweeps dropped ranges and trims the
// change logs.
#pragma once

#include <thread>

#include "store/embedded/log_trim.h"
#include "store/embedded/sweeper.h"

namespace mb::store::embedded {

class Housekeeper {
 public:
  Housekeeper(Database& database, const Catalogue& catalogue, const EmbeddedSettings& settings, const Clock& clock,
              std::filesystem::path directory);
  ~Housekeeper() { stop(); }
  void start();
  void stop();

  // Sweeps the range after a delay, once no read can be running in it. Any thread.
  void enqueueTombstone(Tombstone tombstone);
  // Whether the free space at the last check was below the setting: the store is then not healthy. Any thread.
  bool diskIsLow() const { return diskIsLow_; }
  // Whether writes other than removals are accepted; bytes admitted since the last check count as used. Any thread.
  bool takesWrites() const { return !diskIsLow_ && kDiskBytesPerByte * (admitted_ + admittedBefore_) <= spare_.load(); }
  // Counts the bytes of a write that enters the commit queue. Any thread.
  void admitted(size_t bytes) { admitted_.fetch_add(bytes, std::memory_order_relaxed); }

 private:
  // The disk space per byte of a commit until it is compacted: once in the log, once in a table.
  static constexpr uint64_t kDiskBytesPerByte = 2;

  void run();
  void checkDiskSpace();

  Database& database_;
  const Clock& clock_;
  const std::filesystem::path directory_;
  const uint64_t minFreeBytes_;
  Sweeper sweeper_;
  LogTrimmer trimmer_;
  std::atomic<bool> diskIsLow_{false};
  std::atomic<uint64_t> spare_{UINT64_MAX};  // free bytes above the reserve at the last check
  // Bytes admitted since the last check, and between the two checks before; the last check may have missed the latter.
  std::atomic<uint64_t> admitted_{0};
  std::atomic<uint64_t> admittedBefore_{0};
  std::atomic<bool> stopping_{false};
  std::mutex mutex_;
  std::condition_variable wake_;
  std::thread thread_;
};

}  // namespace mb::store::embedded
