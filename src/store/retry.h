// Writes that are prepared from what was read before them, and prepared again where that changed.
#pragma once

#include <type_traits>
#include <utility>

#include "base/task.h"

namespace mb::store {

// Awaits `attempt()` until it ends with something else than ErrorCode::retry, `attempts` times at most; then fails with
// `exhausted`. A write callback fails with ErrorCode::retry where what it was prepared from has changed.
template <class Attempt>
std::invoke_result_t<Attempt&> retryWrite(int attempts, Error exhausted, Attempt attempt) {
  for (int made = 1; made <= attempts; ++made) {
    auto done = co_await attempt();
    if (done || done.error().code() != ErrorCode::retry) co_return done;
  }
  co_return fail(std::move(exhausted));
}

}  // namespace mb::store
