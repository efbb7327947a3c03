// Runs coroutines from code that may block (the main thread, the threads of the commands).
#pragma once

#include <chrono>
#include <functional>
#include <future>

#include "base/cores.h"

namespace mb {

// Runs a coroutine on the first core and blocks for its result. `meanwhile`, if given, is called on this thread several
// times a second until the result is there. Must not be called on a core.
template <class T>
Result<T> runBlocking(Cores& cores, Task<T> task, const std::function<void()>& meanwhile = {}) {
  auto done = std::make_shared<std::promise<Result<T>>>();
  auto result = done->get_future();
  asio::co_spawn(cores.at(0).get_executor(), std::move(task), [done](std::exception_ptr thrown, Result<T> value) {
    if (thrown) {
      done->set_exception(thrown);
    } else {
      done->set_value(std::move(value));
    }
  });
  if (meanwhile) {
    while (result.wait_for(std::chrono::milliseconds(200)) != std::future_status::ready) meanwhile();
  }
  return result.get();
}

}  // namespace mb
