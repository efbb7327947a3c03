// The thread beside: looks at the disk each second, sweeps what was dropped, trims the change logs.
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

  // To be swept once no read can be under way there. Any thread.
  void enqueueTombstone(Tombstone tombstone);
  // Until then no log is trimmed. Any thread.
  void keepAfter(KeptAfter needed);
  // Less free space than the settings ask for, as of the last look: the store is not healthy. Any thread.
  bool diskIsLow() const { return diskIsLow_; }
  // Whether writes other than removals are taken: what was admitted since the last look counts as used. Any thread.
  bool takesWrites() const { return !diskIsLow_ && kDiskBytesPerByte * (admitted_ + admittedBefore_) <= spare_.load(); }
  // A write of that many bytes goes to the commit queue. Any thread.
  void admitted(size_t bytes) { admitted_.fetch_add(bytes, std::memory_order_relaxed); }

 private:
  // What a byte of a commit takes on the disk until it is compacted: its place in the log, then in a table.
  static constexpr uint64_t kDiskBytesPerByte = 2;

  void run();
  void checkDiskSpace();
  void trimLogs();

  Database& database_;
  const Clock& clock_;
  const std::filesystem::path directory_;
  const uint64_t minFreeBytes_;
  Sweeper sweeper_;
  LogTrimmer trimmer_;
  std::atomic<bool> diskIsLow_{false};
  std::atomic<uint64_t> spare_{UINT64_MAX};  // free bytes above the reserve, as of the last look
  // Bytes admitted since the last look, and between the two before: these may not have been on the disk at the last.
  std::atomic<uint64_t> admitted_{0};
  std::atomic<uint64_t> admittedBefore_{0};
  std::atomic<bool> stopping_{false};
  std::mutex mutex_;
  KeptAfter keptAfter_;  // under mutex_
  std::condition_variable wake_;
  std::thread thread_;
};

}  // namespace mb::store::embedded
