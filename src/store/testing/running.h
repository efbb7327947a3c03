// Runs a coroutine to its end on a core, for tests.
#pragma once

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <future>

#include "base/cores.h"

namespace mb::store::testing {

// Blocks until `task` has ended on core `core` of the running `cores`; returns its result.
template <class T>
Result<T> runOn(Cores& cores, int core, Task<T> task) {
  std::promise<Result<T>> done;
  auto future = done.get_future();
  asio::co_spawn(cores.at(core).get_executor(), std::move(task), [&done](std::exception_ptr error, Result<T> result) {
    if (error) {
      done.set_exception(error);
    } else {
      done.set_value(std::move(result));
    }
  });
  return future.get();
}

}  // namespace mb::store::testing
