#include "outbound/http_runner.h"

#include <pthread.h>
#include <signal.h>

namespace mb::outbound {

namespace {

// Per trust: the 512 connections of running calls and 64 idle ones.
constexpr long kMaxConnections = 576;
constexpr int kMaxPollMs = 60'000;
constexpr size_t kMaxInbox = 1024;

}  // namespace

void finishAs(Transfer& transfer, Outcome::End end) {
  Outcome outcome;
  outcome.end = end;
  transfer.finish(std::move(outcome));
}

void blockSignals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

HttpRunner::Share HttpRunner::connectionCache() {
  Share share(curl_share_init());
  if (!share) throw std::bad_alloc();
  curl_share_setopt(share.get(), CURLSHOPT_SHARE, CURL_LOCK_DATA_CONNECT);
  return share;
}

HttpRunner::HttpRunner(QueueLimits limits)
    : guarded_(connectionCache()),
      publicOnly_(connectionCache()),
      deployment_(connectionCache()),
      multi_(curl_multi_init()),
      queue_(limits) {
  if (!multi_) throw std::bad_alloc();
  curl_multi_setopt(multi_.get(), CURLMOPT_MAXCONNECTS, kMaxConnections);
  curl_multi_setopt(multi_.get(), CURLMOPT_PIPELINING, static_cast<long>(CURLPIPE_NOTHING));
  thread_ = std::thread([this] {
    pthread_setname_np(pthread_self(), "outbound");
    blockSignals();
    loop();
  });
}

HttpRunner::~HttpRunner() {
  stop();
}

void HttpRunner::submit(std::unique_ptr<Transfer> transfer) {
  transfer->onAbort([this] {
    anyAborted_ = true;
    curl_multi_wakeup(multi_.get());
  });
  bool full = false;
  {
    const std::scoped_lock lock(mutex_);
    full = inbox_.size() >= kMaxInbox;
    if (!stopping_ && !full) {
      inbox_.push_back(std::move(transfer));
      curl_multi_wakeup(multi_.get());
      return;
    }
  }
  finishAs(*transfer, full ? Outcome::End::full : Outcome::End::stopped);
}

void HttpRunner::stop() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  curl_multi_wakeup(multi_.get());
  if (thread_.joinable()) thread_.join();
}

void HttpRunner::loop() {
  while (takeInbox()) {
    failExpired();
    endAborted();
    startSome();
    int stillRunning = 0;
    curl_multi_perform(multi_.get(), &stillRunning);
    const bool ended = endSome();
    countAll();
    if (ended && queue_.waiting() > 0) continue;
    curl_multi_poll(multi_.get(), nullptr, 0, pollMs(), nullptr);
  }
  endAll();
  countAll();
}

// False when the runner must end.
bool HttpRunner::takeInbox() {
  std::vector<std::unique_ptr<Transfer>> arrived;
  {
    const std::scoped_lock lock(mutex_);
    if (stopping_) return false;
    arrived.swap(inbox_);
  }
  for (auto& transfer : arrived) {
    if (!queue_.push(transfer->keys(), transfer->deadline(), transfer)) finishAs(*transfer, Outcome::End::full);
  }
  return true;
}

void HttpRunner::startSome() {
  while (auto next = queue_.next()) {
    std::unique_ptr<Transfer> transfer = *std::move(next);
    if (!transfer->arm()) {
      queue_.done(transfer->keys());
      finishAs(*transfer, Outcome::End::timedOut);
      continue;
    }
    curl_easy_setopt(transfer->handle(), CURLOPT_SHARE, cacheOf(transfer->trust()));
    CURL* handle = transfer->handle();
    if (curl_multi_add_handle(multi_.get(), handle) != CURLM_OK) {
      queue_.done(transfer->keys());
      finishAs(*transfer, Outcome::End::failed);
      continue;
    }
    active_.emplace(handle, std::move(transfer));
  }
}

// True when something has ended.
bool HttpRunner::endSome() {
  bool any = false;
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    const CURLcode code = message->data.result;
    CURL* handle = message->easy_handle;
    curl_multi_remove_handle(multi_.get(), handle);
    auto found = active_.extract(handle);
    Transfer& transfer = *found.mapped();
    queue_.done(transfer.keys());
    countAll();  // before `finish`: a call whose caller has its response no longer counts as running
    transfer.finish(transfer.outcome(code));
    any = true;
  }
  return any;
}

void HttpRunner::failExpired() {
  for (auto& transfer : queue_.expired(std::chrono::steady_clock::now())) finishAs(*transfer, Outcome::End::timedOut);
}

// Ends running transfers that were aborted; arm() finds a waiting one when it leaves the queue.
void HttpRunner::endAborted() {
  if (!anyAborted_.exchange(false)) return;
  for (auto at = active_.begin(); at != active_.end();) {
    Transfer& transfer = *at->second;
    if (!transfer.aborted()) {
      ++at;
      continue;
    }
    curl_multi_remove_handle(multi_.get(), at->first);
    queue_.done(transfer.keys());
    finishAs(transfer, Outcome::End::timedOut);
    at = active_.erase(at);
  }
}

CURLSH* HttpRunner::cacheOf(Trust trust) const {
  switch (trust) {
    case Trust::guarded:
      return guarded_.get();
    case Trust::publicOnly:
      return publicOnly_.get();
    case Trust::deployment:
      break;
  }
  return deployment_.get();
}

void HttpRunner::endAll() {
  for (auto& [handle, transfer] : active_) {
    curl_multi_remove_handle(multi_.get(), handle);
    finishAs(*transfer, Outcome::End::stopped);
  }
  active_.clear();
  for (auto& transfer : queue_.takeAll()) finishAs(*transfer, Outcome::End::stopped);
  std::vector<std::unique_ptr<Transfer>> arrived;
  {
    const std::scoped_lock lock(mutex_);
    arrived.swap(inbox_);
  }
  for (auto& transfer : arrived) finishAs(*transfer, Outcome::End::stopped);
}

int HttpRunner::pollMs() const {
  const auto deadline = queue_.earliestDeadline();
  if (!deadline) return kMaxPollMs;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - std::chrono::steady_clock::now());
  return static_cast<int>(std::clamp<int64_t>(left.count(), 0, kMaxPollMs));
}

void HttpRunner::countAll() {
  running_ = active_.size();
  waiting_ = queue_.waiting();
}

}  // namespace mb::outbound
