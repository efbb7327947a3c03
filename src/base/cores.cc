#include "base/cores.h"

#include <pthread.h>

#include <boost/asio/redirect_error.hpp>

namespace mb {

namespace {
thread_local int currentCore = -1;
}

Cores::Cores(int count) {
  for (int i = 0; i < count; ++i) {
    contexts_.push_back(std::make_unique<asio::io_context>(1));
    guards_.emplace_back(contexts_.back()->get_executor());
  }
}

Cores::~Cores() {
  stop();
  join();
}

void Cores::start() {
  for (int i = 0; i < count(); ++i) {
    threads_.emplace_back([this, i] {
      currentCore = i;
      pthread_setname_np(pthread_self(), fmt::format("core-{}", i).c_str());
      contexts_[static_cast<size_t>(i)]->run();
    });
  }
}

void Cores::join() {
  for (auto& guard : guards_) guard.reset();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void Cores::stop() {
  for (auto& context : contexts_) context->stop();
}

int Cores::current() {
  return currentCore;
}

Async<void> sleepFor(std::chrono::milliseconds duration) {
  return sleepUntil(std::chrono::steady_clock::now() + duration);
}

Async<void> sleepUntil(std::chrono::steady_clock::time_point when) {
  asio::steady_timer timer(co_await asio::this_coro::executor, when);
  boost::system::error_code ignored;
  co_await timer.async_wait(asio::redirect_error(useAwaitable, ignored));
}

}  // namespace mb
