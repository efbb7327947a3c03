// How long work is followed and stopped: whoever does it says how far it is, whoever waits for it may end it.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

namespace mb {

class Progress {
 public:
  virtual ~Progress() = default;
  // `done` of `total` of this step; a total of 0 is not known. Cheap enough for every thousandth document. From the
  // thread that does the work.
  virtual void at(std::string_view step, uint64_t done, uint64_t total) = 0;

  // The work is to end soon, with what it failed with. Any thread.
  void stop() { stopped_ = true; }
  bool stopped() const { return stopped_.load(std::memory_order_relaxed); }
  // The same, for libraries that look at a flag.
  std::atomic<bool>& stopFlag() { return stopped_; }

 private:
  std::atomic<bool> stopped_{false};
};

// A Progress that drops what it is given.
class NullProgress final : public Progress {
 public:
  void at(std::string_view, uint64_t, uint64_t) override {}
};

}  // namespace mb
