// MailRunner runs SMTP transfers, each on a thread of its own: libcurl blocks for the replies to the end of a mail and
// to QUIT, which on HttpRunner's thread would delay every call. Private to outbound/.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/fair_queue.h"
#include "outbound/transfer.h"

namespace mb::outbound {

class MailRunner {
 public:
  // Starts `limits.running` threads.
  explicit MailRunner(QueueLimits limits);
  ~MailRunner();  // stop()

  // As HttpRunner::submit.
  void submit(std::unique_ptr<Transfer> transfer);
  // Ends all transfers, the running ones within a second, and joins the threads.
  // REQUIRES: TransferContext::stopping is set.
  void stop();

  size_t running() const;
  size_t waiting() const;

 private:
  void loop();
  // Waits for the next transfer; null when the runner ends.
  std::unique_ptr<Transfer> next();

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  FairQueue<std::unique_ptr<Transfer>> queue_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace mb::outbound
