// Progress reports the state of long work to the caller that waits for it, which may stop the work.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

namespace mb {

class Progress {
 public:
  virtual ~Progress() = default;
  // `done` of `total` units of this step are finished; a total of 0 is unknown. Called by the working thread. Cheap
  // enough for one call per thousand documents.
  virtual void at(std::string_view step, uint64_t done, uint64_t total) = 0;

  // Ends the work soon; it then fails with its own error. Any thread.
  void stop() { stopped_ = true; }
  bool stopped() const { return stopped_.load(std::memory_order_relaxed); }
  // The same flag, for libraries that poll one.
  std::atomic<bool>& stopFlag() { return stopped_; }

 private:
  std::atomic<bool> stopped_{false};
};

// A Progress that ignores all reports.
class NullProgress final : public Progress {
 public:
  void at(std::string_view, uint64_t, uint64_t) override {}
};

}  // namespace mb
