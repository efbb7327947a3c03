#include "outbound/http_lane.h"

#include <pthread.h>
#include <signal.h>

namespace mb::outbound {

namespace {

// Of each trust: as many as there may be calls under way, which count among them, and 64.
constexpr long kConnectionsKept = 576;
constexpr int kLongestPollMs = 60'000;
constexpr size_t kInbox = 1024;

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

HttpLane::Share HttpLane::connectionCache() {
  Share share(curl_share_init());
  if (!share) throw std::bad_alloc();
  curl_share_setopt(share.get(), CURLSHOPT_SHARE, CURL_LOCK_DATA_CONNECT);
  return share;
}

HttpLane::HttpLane(QueueLimits limits)
    : guarded_(connectionCache()),
      publicOnly_(connectionCache()),
      deployment_(connectionCache()),
      multi_(curl_multi_init()),
      line_(limits) {
  if (!multi_) throw std::bad_alloc();
  curl_multi_setopt(multi_.get(), CURLMOPT_MAXCONNECTS, kConnectionsKept);
  curl_multi_setopt(multi_.get(), CURLMOPT_PIPELINING, static_cast<long>(CURLPIPE_NOTHING));
  thread_ = std::thread([this] {
    pthread_setname_np(pthread_self(), "outbound");
    blockSignals();
    loop();
  });
}

HttpLane::~HttpLane() {
  stop();
}

void HttpLane::submit(std::unique_ptr<Transfer> transfer) {
  transfer->onAbort([this] {
    anyAborted_ = true;
    curl_multi_wakeup(multi_.get());
  });
  bool full = false;
  {
    const std::scoped_lock lock(mutex_);
    full = inbox_.size() >= kInbox;
    if (!stopping_ && !full) {
      inbox_.push_back(std::move(transfer));
      curl_multi_wakeup(multi_.get());
      return;
    }
  }
  finishAs(*transfer, full ? Outcome::End::full : Outcome::End::stopped);
}

void HttpLane::stop() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  curl_multi_wakeup(multi_.get());
  if (thread_.joinable()) thread_.join();
}

void HttpLane::loop() {
  while (takeInbox()) {
    failExpired();
    endAborted();
    startSome();
    int stillRunning = 0;
    curl_multi_perform(multi_.get(), &stillRunning);
    const bool ended = endSome();
    countAll();
    if (ended && line_.waiting() > 0) continue;
    curl_multi_poll(multi_.get(), nullptr, 0, pollMs(), nullptr);
  }
  endAll();
  countAll();
}

// False when the lane is to end.
bool HttpLane::takeInbox() {
  std::vector<std::unique_ptr<Transfer>> arrived;
  {
    const std::scoped_lock lock(mutex_);
    if (stopping_) return false;
    arrived.swap(inbox_);
  }
  for (auto& transfer : arrived) {
    if (!line_.push(transfer->keys(), transfer->deadline(), transfer)) finishAs(*transfer, Outcome::End::full);
  }
  return true;
}

void HttpLane::startSome() {
  while (auto next = line_.next()) {
    std::unique_ptr<Transfer> transfer = *std::move(next);
    if (!transfer->arm()) {
      line_.done(transfer->keys());
      finishAs(*transfer, Outcome::End::timedOut);
      continue;
    }
    curl_easy_setopt(transfer->handle(), CURLOPT_SHARE, cacheOf(transfer->trust()));
    CURL* handle = transfer->handle();
    if (curl_multi_add_handle(multi_.get(), handle) != CURLM_OK) {
      line_.done(transfer->keys());
      finishAs(*transfer, Outcome::End::failed);
      continue;
    }
    active_.emplace(handle, std::move(transfer));
  }
}

// True when something has ended.
bool HttpLane::endSome() {
  bool any = false;
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    const CURLcode code = message->data.result;
    CURL* handle = message->easy_handle;
    curl_multi_remove_handle(multi_.get(), handle);
    auto found = active_.extract(handle);
    Transfer& transfer = *found.mapped();
    line_.done(transfer.keys());
    countAll();  // before it is told: whose answer is there no longer counts as running
    transfer.finish(transfer.outcome(code));
    any = true;
  }
  return any;
}

void HttpLane::failExpired() {
  for (auto& transfer : line_.expired(std::chrono::steady_clock::now())) finishAs(*transfer, Outcome::End::timedOut);
}

// Those under way; one that waits is found when its turn comes.
void HttpLane::endAborted() {
  if (!anyAborted_.exchange(false)) return;
  for (auto at = active_.begin(); at != active_.end();) {
    Transfer& transfer = *at->second;
    if (!transfer.aborted()) {
      ++at;
      continue;
    }
    curl_multi_remove_handle(multi_.get(), at->first);
    line_.done(transfer.keys());
    finishAs(transfer, Outcome::End::timedOut);
    at = active_.erase(at);
  }
}

CURLSH* HttpLane::cacheOf(Trust trust) const {
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

void HttpLane::endAll() {
  for (auto& [handle, transfer] : active_) {
    curl_multi_remove_handle(multi_.get(), handle);
    finishAs(*transfer, Outcome::End::stopped);
  }
  active_.clear();
  for (auto& transfer : line_.takeAll()) finishAs(*transfer, Outcome::End::stopped);
  std::vector<std::unique_ptr<Transfer>> arrived;
  {
    const std::scoped_lock lock(mutex_);
    arrived.swap(inbox_);
  }
  for (auto& transfer : arrived) finishAs(*transfer, Outcome::End::stopped);
}

int HttpLane::pollMs() const {
  const auto deadline = line_.earliestDeadline();
  if (!deadline) return kLongestPollMs;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - std::chrono::steady_clock::now());
  return static_cast<int>(std::clamp<int64_t>(left.count(), 0, kLongestPollMs));
}

void HttpLane::countAll() {
  running_ = active_.size();
  waiting_ = line_.waiting();
}

}  // namespace mb::outbound
