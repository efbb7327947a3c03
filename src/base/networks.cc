#include "base/networks.h"

namespace mb {

namespace ip = boost::asio::ip;

namespace {

template <class Network, class Address>
bool anyContains(const std::vector<Network>& networks, const Address& address) {
  return std::ranges::any_of(networks, [&](const Network& network) {
    return Network(address, network.prefix_length()).canonical() == network.canonical();
  });
}

}  // namespace

Result<Networks> Networks::parse(const std::vector<std::string>& networks) {
  Networks out;
  for (const std::string& text : networks) {
    boost::system::error_code failed;
    const bool single = text.find('/') == std::string::npos;
    const ip::address address = ip::make_address(text.substr(0, text.find('/')), failed);
    if (!failed && address.is_v4()) {
      out.v4_.push_back(ip::make_network_v4(single ? text + "/32" : text, failed));
    } else if (!failed) {
      out.v6_.push_back(ip::make_network_v6(single ? text + "/128" : text, failed));
    }
    if (failed) return fail(ErrorCode::validation, "\"" + text + "\" is not a network such as 10.0.0.0/8");
  }
  return out;
}

bool Networks::contain(const ip::address& address) const {
  if (address.is_v4()) return anyContains(v4_, address.to_v4());
  const ip::address_v6 v6 = address.to_v6();
  if (v6.is_v4_mapped()) return anyContains(v4_, ip::make_address_v4(ip::v4_mapped, v6));
  return anyContains(v6_, v6);
}

}  // namespace mb
