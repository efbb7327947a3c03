// From code that may block (the main thread, the commands' threads) into coroutines.
#pragma once

#include <chrono>
#include <functional>
#include <future>

#include "base/cores.h"

namespace mb {

// Runs a coroutine on the first core and blocks for its result; where given, `meanwhile` is called here several times a
// second until it is there. Never from a core.
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
