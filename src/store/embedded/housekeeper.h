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
  void bury(Tombstone tombstone);
  // Until then no log is trimmed. Any thread.
  void keepAfter(KeptAfter needed);
  // Less free space than the settings ask for: writes other than removals are to be refused. Any thread.
  bool diskIsLow() const { return diskIsLow_; }

 private:
  void run();
  void lookAtDisk();
  void trimLogs();

  Database& database_;
  const Clock& clock_;
  const std::filesystem::path directory_;
  const uint64_t minFreeBytes_;
  Sweeper sweeper_;
  LogTrimmer trimmer_;
  std::atomic<bool> diskIsLow_{false};
  std::atomic<bool> stopping_{false};
  std::mutex mutex_;
  KeptAfter keptAfter_;  // under mutex_
  std::condition_variable wake_;
  std::thread thread_;
};

}  // namespace mb::store::embedded
