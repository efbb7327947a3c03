// Runs HTTP transfers on one thread with libcurl's multi interface. Private to outbound/.
#pragma once

#include <mutex>
#include <thread>
#include <unordered_map>

#include "base/fair_queue.h"
#include "outbound/transfer.h"

namespace mb::outbound {

class HttpLane {
 public:
  explicit HttpLane(QueueLimits limits);
  ~HttpLane();  // stop()

  // Takes a transfer whose `finish` is set; it is called exactly once, on the lane's thread or, where the lane has
  // stopped, here. Any thread.
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

  // Connections are kept apart by trust, so a guarded call never travels on one that nobody judged.
  const Share guarded_;
  const Share publicOnly_;
  const Share deployment_;
  const std::unique_ptr<CURLM, MultiCloser> multi_;
  // Of the lane's thread.
  FairQueue<std::unique_ptr<Transfer>> line_;
  std::unordered_map<CURL*, std::unique_ptr<Transfer>> active_;

  std::mutex mutex_;
  std::vector<std::unique_ptr<Transfer>> inbox_;
  bool stopping_ = false;
  std::atomic<bool> anyAborted_ = false;
  std::atomic<size_t> running_ = 0;
  std::atomic<size_t> waiting_ = 0;
  std::thread thread_;
};

// Ends a transfer that was not run to its end.
void finishAs(Transfer& transfer, Outcome::End end);
// Signals are the main thread's business; SIGPIPE, which OpenSSL may raise, is nobody's.
void blockSignals();

}  // namespace mb::outbound
