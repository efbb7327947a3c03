// Guards for tests.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>

#include <cstring>

#include "store/own/host_guard.h"

namespace mb::store::own {

// As with SERVICE_OUTBOUND_ALLOW=127.0.0.0/8: of other addresses, those that begin with 10. are private.
class LoopbackGuard final : public HostGuard {
 public:
  bool permits(const sockaddr* address, socklen_t size) const override {
    const uint32_t value = v4(address, size);
    return value != 0 && value >> 24 != 10;
  }
  bool isListed(const sockaddr* address, socklen_t size) const override { return v4(address, size) >> 24 == 127; }

 private:
  // 0 for an address of another kind.
  static uint32_t v4(const sockaddr* address, socklen_t size) {
    if (address->sa_family != AF_INET || size < sizeof(sockaddr_in)) return 0;
    sockaddr_in in;
    std::memcpy(&in, address, sizeof in);
    return ntohl(in.sin_addr.s_addr);
  }
};

}  // namespace mb::store::own
