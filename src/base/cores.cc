#include "base/cores.h"

#include <pthread.h>

#include <boost/asio/redirect_error.hpp>

namespace mb {

namespace {

thread_local int currentCore = -1;

// A destroyed frame may pass what it held to one that waits on another core, which is then destroyed one round later.
constexpr int kRounds = 1000;

// Makes the protected shutdown() accessible.
struct IoContextAccess : asio::io_context {
  using asio::execution_context::shutdown;
};

}  // namespace

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
  // Destroys the frames while all that they refer to exists. The io_contexts themselves are destroyed last, since
  // timers and sockets need them. A frame may call current().
  const int caller = currentCore;
  for (int round = 0; round < kRounds; ++round) {
    for (currentCore = 0; currentCore < count(); ++currentCore) {
      (at(currentCore).*(&IoContextAccess::shutdown))();
    }
  }
  currentCore = caller;
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
