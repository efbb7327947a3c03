// Retries writes that are prepared from earlier reads, when the data that was read has changed.
#pragma once

#include <type_traits>
#include <utility>

#include "base/task.h"

namespace mb::store {

// Awaits `attempt()` until it ends with something other than ErrorCode::retry, `attempts` times at most; then fails
// with `exhausted`. A write callback fails with ErrorCode::retry if what the write was prepared from has changed.
template <class Attempt>
std::invoke_result_t<Attempt&> retryWrite(int attempts, Error exhausted, Attempt attempt) {
  for (int number = 1; number <= attempts; ++number) {
    auto done = co_await attempt();
    if (done || done.error().code() != ErrorCode::retry) co_return done;
  }
  co_return fail(std::move(exhausted));
}

}  // namespace mb::store
