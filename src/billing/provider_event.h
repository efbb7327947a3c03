// An event of the payment provider, as far as it is used. Private to billing/.
#pragma once

#include <string>

#include "base/clock.h"
#include "base/error.h"

namespace mb::billing {

// A body is at most this long; the provider's events have a few KiB.
inline constexpr size_t kMaxEventBytes = 256 << 10;

struct ProviderEvent {
  std::string id;
  std::string type;
  Timestamp created;
  // False for types that are not handled, and for sessions that pay for no subscription; the rest is empty then.
  bool isHandled = false;
  std::string customer;
  std::string subscription;
  std::string userId;  // client_reference_id, else metadata[userId]; may be empty
};

// Fails with validation where the body is not JSON, or not an object like the provider's events.
Result<ProviderEvent> providerEventOf(std::string_view body);

}  // namespace mb::billing
