// Runs SMTP transfers, a thread each: libcurl waits inside a call for the answer to the end of a mail and to QUIT,
// which on the lane of HTTP would hold up everything. Private to outbound/.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/fair_queue.h"
#include "outbound/transfer.h"

namespace mb::outbound {

class MailLane {
 public:
  // As many threads as may run at a time.
  explicit MailLane(QueueLimits limits);
  ~MailLane();  // stop()

  // As HttpLane::submit.
  void submit(std::unique_ptr<Transfer> transfer);
  // Ends all transfers, those under way within a second, and joins the threads; the caller has set
  // TransferContext::stopping.
  void stop();

  size_t running() const;
  size_t waiting() const;

 private:
  void loop();
  // Waits for the next transfer; null when the lane ends.
  std::unique_ptr<Transfer> next();

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  FairQueue<std::unique_ptr<Transfer>> line_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace mb::outbound
