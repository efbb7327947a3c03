// One io_context and one thread per core. A connection, its coroutine and its per-core caches stay on the core where
// they began, so per-core data needs no lock.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "base/task.h"

namespace mb {

class Cores {
 public:
  explicit Cores(int count);
  ~Cores();  // stops and joins

  int count() const { return static_cast<int>(contexts_.size()); }
  asio::io_context& at(int index) { return *contexts_[static_cast<size_t>(index)]; }
  // Starts the threads. Call once.
  void start();
  // Joins the threads once no work is left or stop() was called, and destroys suspended coroutines. Must not run on a
  // core.
  void join();
  void stop();

  // Index of the core whose thread this is; -1 on any other thread.
  static int current();

 private:
  std::vector<std::unique_ptr<asio::io_context>> contexts_;
  std::vector<asio::executor_work_guard<Executor>> guards_;
  std::vector<std::thread> threads_;
};

// One T per core, used by that core only. local() is the calling core's; throws std::out_of_range on other threads.
template <class T>
class PerCore {
 public:
  explicit PerCore(int count) : values_(static_cast<size_t>(count)) {}
  T& local() { return values_.at(static_cast<size_t>(Cores::current())).value; }
  T& at(int index) { return values_[static_cast<size_t>(index)].value; }

 private:
  struct alignas(64) Slot {
    T value;
  };
  std::vector<Slot> values_;
};

// Waits on the calling coroutine's core.
Async<void> sleepFor(std::chrono::milliseconds duration);
Async<void> sleepUntil(std::chrono::steady_clock::time_point when);

}  // namespace mb
