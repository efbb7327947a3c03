// The rule of decisions 5 ("Outbound rule"), on addresses as they are connected to, so that no way to write or resolve
// a name leads around it.
#pragma once

#include <sys/socket.h>

#include <boost/asio/ip/address.hpp>

#include "base/networks.h"
#include "outbound/outbound.h"

namespace mb::outbound {

// An address of the public internet: none of the IANA's special-purpose ranges (private, loopback, link-local, shared,
// documentation, benchmarking, multicast, unspecified, site-local, unique local), no IPv4 address in IPv6 clothes
// (mapped, compatible, 6to4, Teredo, NAT64), no cloud's metadata service.
bool isPublic(const boost::asio::ip::address& address);

class AddressRule {
 public:
  explicit AddressRule(Networks allow) : allow_(std::move(allow)) {}
  // Whether a call of that trust may connect there. Unless it is the deployment's: false for any family but IPv4 and
  // IPv6.
  bool permits(Trust trust, const sockaddr* address, socklen_t size) const;

 private:
  Networks allow_;
};

}  // namespace mb::outbound
