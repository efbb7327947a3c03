// Which addresses an outbound call may connect to. The rule applies to the address of the socket, so that no notation
// of an address and no name resolution bypasses it.
#pragma once

#include <sys/socket.h>

#include <boost/asio/ip/address.hpp>

#include "base/networks.h"
#include "outbound/outbound.h"

namespace mb::outbound {

// Whether `address` belongs to the public internet: outside IANA's special-purpose ranges (private, loopback,
// link-local, shared, documentation, benchmarking, multicast, unspecified, site-local, unique local), not an IPv4
// address embedded in IPv6 (mapped, compatible, 6to4, Teredo, NAT64), not a cloud's metadata service.
bool isPublic(const boost::asio::ip::address& address);

class AddressRule {
 public:
  explicit AddressRule(Networks allow) : allow_(std::move(allow)) {}
  // Whether a call of that trust may connect to `address`. False for any family but IPv4 and IPv6, except with
  // Trust::deployment, which may connect anywhere.
  bool permits(Trust trust, const sockaddr* address, socklen_t size) const;
  // Whether `address` lies in the networks that are allowed besides public ones.
  bool lists(const sockaddr* address, socklen_t size) const;

 private:
  Networks allow_;
};

}  // namespace mb::outbound
