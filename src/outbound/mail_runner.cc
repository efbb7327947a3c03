#include "outbound/mail_runner.h"

#include <pthread.h>

#include "outbound/http_runner.h"

namespace mb::outbound {

MailRunner::MailRunner(QueueLimits limits) : queue_(limits) {
  for (size_t i = 0; i < limits.running; ++i) {
    threads_.emplace_back([this] {
      pthread_setname_np(pthread_self(), "outbound-mail");
      blockSignals();
      loop();
    });
  }
}

MailRunner::~MailRunner() {
  stop();
}

void MailRunner::submit(std::unique_ptr<Transfer> transfer) {
  Outcome::End refusal = Outcome::End::full;
  {
    const std::scoped_lock lock(mutex_);
    if (stopping_) {
      refusal = Outcome::End::stopped;
    } else if (queue_.push(transfer->keys(), transfer->deadline(), transfer)) {
      wake_.notify_one();
      return;
    }
  }
  finishAs(*transfer, refusal);
}

void MailRunner::stop() {
  std::vector<std::unique_ptr<Transfer>> waiting;
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
    waiting = queue_.takeAll();
  }
  wake_.notify_all();
  for (auto& transfer : waiting) finishAs(*transfer, Outcome::End::stopped);
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

size_t MailRunner::running() const {
  const std::scoped_lock lock(mutex_);
  return queue_.running();
}

size_t MailRunner::waiting() const {
  const std::scoped_lock lock(mutex_);
  return queue_.waiting();
}

std::unique_ptr<Transfer> MailRunner::next() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    const auto now = std::chrono::steady_clock::now();
    if (auto expired = queue_.expired(now); !expired.empty()) {
      lock.unlock();
      for (auto& transfer : expired) finishAs(*transfer, Outcome::End::timedOut);
      lock.lock();
      continue;
    }
    if (auto transfer = queue_.next()) return *std::move(transfer);
    if (const auto deadline = queue_.earliestDeadline()) {
      wake_.wait_until(lock, *deadline);
    } else {
      wake_.wait(lock);
    }
  }
  return nullptr;
}

void MailRunner::loop() {
  while (const std::unique_ptr<Transfer> transfer = next()) {
    if (transfer->arm()) {
      const CURLcode code = curl_easy_perform(transfer->handle());
      transfer->finish(transfer->outcome(code));
    } else {
      finishAs(*transfer, Outcome::End::timedOut);
    }
    {
      const std::scoped_lock lock(mutex_);
      queue_.done(transfer->keys());
    }
    // Another transfer may have waited for a slot of this project or target.
    wake_.notify_one();
  }
}

}  // namespace mb::outbound
