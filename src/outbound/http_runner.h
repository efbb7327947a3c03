// HttpRunner runs HTTP transfers on one thread with libcurl's multi interface. Private to outbound/.
#pragma once

#include <mutex>
#include <thread>
#include <unordered_map>

#include "base/fair_queue.h"
#include "outbound/transfer.h"

namespace mb::outbound {

class HttpRunner {
 public:
  explicit HttpRunner(QueueLimits limits);
  ~HttpRunner();  // stop()

  // Queues a transfer whose `finish` is set. `finish` is called exactly once: on the runner's thread or, where the
  // runner has stopped or its inbox is full, here. Any thread.
  void submit(std::unique_ptr<Transfer> transfer);
  // Ends all transfers and joins the thread.
  void stop();

  size_t running() const { return running_; }
  size_t waiting() const { return waiting_; }

 private:
  struct MultiCloser {
    void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
  };
  struct ShareCloser {
    void operator()(CURLSH* share) const { curl_share_cleanup(share); }
  };
  using Share = std::unique_ptr<CURLSH, ShareCloser>;

  static Share connectionCache();
  void loop();
  bool takeInbox();
  void startSome();
  bool endSome();
  void failExpired();
  void endAborted();
  void endAll();
  int pollMs() const;
  void countAll();

  CURLSH* cacheOf(Trust trust) const;

  // Each trust has its own connections, so a guarded call never uses one whose address was not checked.
  const Share guarded_;
  const Share publicOnly_;
  const Share deployment_;
  const std::unique_ptr<CURLM, MultiCloser> multi_;
  // Used by the runner's thread only.
  FairQueue<std::unique_ptr<Transfer>> queue_;
  std::unordered_map<CURL*, std::unique_ptr<Transfer>> active_;

  std::mutex mutex_;
  std::vector<std::unique_ptr<Transfer>> inbox_;
  bool stopping_ = false;
  std::atomic<bool> anyAborted_ = false;
  std::atomic<size_t> running_ = 0;
  std::atomic<size_t> waiting_ = 0;
  std::thread thread_;
};

// Ends a transfer that did not complete.
void finishAs(Transfer& transfer, Outcome::End end);
// Blocks all signals on this thread: the main thread handles them, and no thread SIGPIPE, which OpenSSL may raise.
void blockSignals();

}  // namespace mb::outbound
