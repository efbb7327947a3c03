// Which addresses connections to owners' databases may reach. Implemented over the rule for outbound calls, which this
// layer does not know.
#pragma once

#include <sys/socket.h>

namespace mb::store::own {

class HostGuard {
 public:
  virtual ~HostGuard() = default;
  // Whether a socket may be connected to the address. Any thread.
  virtual bool permits(const sockaddr* address, socklen_t size) const = 0;
  // Whether the operator lists the address, so that it may be reached without TLS.
  virtual bool isListed(const sockaddr* address, socklen_t size) const = 0;
};

}  // namespace mb::store::own
