#include "base/cancellation.h"

#include <boost/asio/this_coro.hpp>

namespace mb {

std::unexpected<Error> clientLeft() {
  return fail(ErrorCode::requestTimeout, "the client disconnected before the response was ready");
}

Task<> yieldCore() {
  co_await asio::post(asio::deferred);
  const asio::cancellation_state state = co_await asio::this_coro::cancellation_state;
  if (state.cancelled() != asio::cancellation_type::none) co_return clientLeft();
  co_return Result<>();
}

CancellationFlag::CancellationFlag(const asio::cancellation_state& state)
    : slot_(state.slot()), set_(state.cancelled() != asio::cancellation_type::none) {
  if (!slot_.is_connected()) return;
  slot_.assign([this](asio::cancellation_type) { set_.store(true, std::memory_order_relaxed); });
}

CancellationFlag::~CancellationFlag() {
  if (slot_.is_connected()) slot_.clear();
}

}  // namespace mb
