// A list of networks (CIDR), as in settings.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/network_v4.hpp>
#include <boost/asio/ip/network_v6.hpp>
#include <string>
#include <vector>

#include "base/error.h"

namespace mb {

class Networks {
 public:
  // Each "10.0.0.0/8", "fd00::/8" or a single address. Fails with validation, naming the entry.
  static Result<Networks> parse(const std::vector<std::string>& networks);

  bool empty() const { return v4_.empty() && v6_.empty(); }
  // An IPv4-mapped IPv6 address counts as its IPv4 address.
  bool contain(const boost::asio::ip::address& address) const;

 private:
  std::vector<boost::asio::ip::network_v4> v4_;
  std::vector<boost::asio::ip::network_v6> v6_;
};

}  // namespace mb
