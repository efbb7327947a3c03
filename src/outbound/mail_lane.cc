#include "outbound/mail_lane.h"

#include <pthread.h>

#include "outbound/http_lane.h"

namespace mb::outbound {

MailLane::MailLane(QueueLimits limits) : line_(limits) {
  for (size_t i = 0; i < limits.running; ++i) {
    threads_.emplace_back([this] {
      pthread_setname_np(pthread_self(), "outbound-mail");
      blockSignals();
      loop();
    });
  }
}

MailLane::~MailLane() {
  stop();
}

void MailLane::submit(std::unique_ptr<Transfer> transfer) {
  Outcome::End refusal = Outcome::End::full;
  {
    const std::scoped_lock lock(mutex_);
    if (stopping_) {
      refusal = Outcome::End::stopped;
    } else if (line_.push(transfer->keys(), transfer->deadline(), transfer)) {
      wake_.notify_one();
      return;
    }
  }
  finishAs(*transfer, refusal);
}

void MailLane::stop() {
  std::vector<std::unique_ptr<Transfer>> waiting;
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
    waiting = line_.takeAll();
  }
  wake_.notify_all();
  for (auto& transfer : waiting) finishAs(*transfer, Outcome::End::stopped);
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

size_t MailLane::running() const {
  const std::scoped_lock lock(mutex_);
  return line_.running();
}

size_t MailLane::waiting() const {
  const std::scoped_lock lock(mutex_);
  return line_.waiting();
}

std::unique_ptr<Transfer> MailLane::next() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    const auto now = std::chrono::steady_clock::now();
    if (auto expired = line_.expired(now); !expired.empty()) {
      lock.unlock();
      for (auto& transfer : expired) finishAs(*transfer, Outcome::End::timedOut);
      lock.lock();
      continue;
    }
    if (auto transfer = line_.next()) return *std::move(transfer);
    if (const auto deadline = line_.earliestDeadline()) {
      wake_.wait_until(lock, *deadline);
    } else {
      wake_.wait(lock);
    }
  }
  return nullptr;
}

void MailLane::loop() {
  while (const std::unique_ptr<Transfer> transfer = next()) {
    if (transfer->arm()) {
      const CURLcode code = curl_easy_perform(transfer->handle());
      transfer->finish(transfer->outcome(code));
    } else {
      finishAs(*transfer, Outcome::End::timedOut);
    }
    {
      const std::scoped_lock lock(mutex_);
      line_.done(transfer->keys());
    }
    // Another transfer may have waited for this project's or target's turn.
    wake_.notify_one();
  }
}

}  // namespace mb::outbound
