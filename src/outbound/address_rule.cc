#include "outbound/address_rule.h"

#include <netinet/in.h>

namespace mb::outbound {

namespace ip = boost::asio::ip;

namespace {

struct Range4 {
  uint32_t network;
  int bits;
};
constexpr uint32_t v4(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  return a << 24 | b << 16 | c << 8 | d;
}
// IANA's special-purpose registry for IPv4, multicast, and a cloud's metadata service on a public address.
constexpr Range4 kNotPublic4[] = {
    {v4(0, 0, 0, 0), 8},         // this network
    {v4(10, 0, 0, 0), 8},        // private
    {v4(100, 64, 0, 0), 10},     // shared (carrier-grade NAT)
    {v4(127, 0, 0, 0), 8},       // loopback
    {v4(168, 63, 129, 16), 32},  // Azure's host services
    {v4(169, 254, 0, 0), 16},    // link-local, metadata
    {v4(172, 16, 0, 0), 12},     // private
    {v4(192, 0, 0, 0), 24},      // protocol assignments
    {v4(192, 0, 2, 0), 24},      // documentation
    {v4(192, 88, 99, 0), 24},    // 6to4 relays
    {v4(192, 168, 0, 0), 16},    // private
    {v4(198, 18, 0, 0), 15},     // benchmarking
    {v4(198, 51, 100, 0), 24},   // documentation
    {v4(203, 0, 113, 0), 24},    // documentation
    {v4(224, 0, 0, 0), 4},       // multicast
    {v4(240, 0, 0, 0), 4},       // reserved, broadcast
};

bool isPublic4(ip::address_v4 address) {
  const uint32_t value = address.to_uint();
  return std::ranges::none_of(
      kNotPublic4, [value](const Range4& range) { return (value ^ range.network) >> (32 - range.bits) == 0; });
}

struct Range6 {
  std::array<uint8_t, 6> head;
  int bits;
};
// The ranges inside global unicast (2000::/3) that are not public; all addresses outside of it are refused anyway.
constexpr Range6 kNotPublic6[] = {
    {{0x20, 0x01, 0x00, 0x00}, 23},  // protocol assignments: Teredo, benchmarking, ORCHID
    {{0x20, 0x01, 0x0d, 0xb8}, 32},  // documentation
    {{0x20, 0x02}, 16},              // 6to4
    {{0x3f, 0xff, 0x00}, 20},        // documentation
};

bool beginsWith(const ip::address_v6::bytes_type& bytes, const Range6& range) {
  for (int bit = 0; bit < range.bits; ++bit) {
    const auto at = static_cast<size_t>(bit / 8);
    const int mask = 0x80 >> (bit % 8);
    if ((bytes[at] & mask) != (range.head[at] & mask)) return false;
  }
  return true;
}

bool isPublic6(const ip::address_v6& address) {
  const auto bytes = address.to_bytes();
  if ((bytes[0] & 0xE0) != 0x20) return false;
  return std::ranges::none_of(kNotPublic6, [&](const Range6& range) { return beginsWith(bytes, range); });
}

}  // namespace

bool isPublic(const ip::address& address) {
  return address.is_v4() ? isPublic4(address.to_v4()) : isPublic6(address.to_v6());
}

namespace {

// nullopt for any family but IPv4 and IPv6.
std::optional<ip::address> addressOf(const sockaddr* address, socklen_t size) {
  if (address->sa_family == AF_INET && size >= sizeof(sockaddr_in)) {
    sockaddr_in in;
    std::memcpy(&in, address, sizeof in);
    return ip::address_v4(ntohl(in.sin_addr.s_addr));
  }
  if (address->sa_family == AF_INET6 && size >= sizeof(sockaddr_in6)) {
    sockaddr_in6 in;
    std::memcpy(&in, address, sizeof in);
    ip::address_v6::bytes_type bytes;
    std::memcpy(bytes.data(), &in.sin6_addr, bytes.size());
    return ip::address_v6(bytes);
  }
  return std::nullopt;
}

}  // namespace

bool AddressRule::permits(Trust trust, const sockaddr* address, socklen_t size) const {
  if (trust == Trust::deployment) return true;
  const auto candidate = addressOf(address, size);
  return candidate && (isPublic(*candidate) || (trust == Trust::guarded && allow_.contain(*candidate)));
}

bool AddressRule::lists(const sockaddr* address, socklen_t size) const {
  const auto candidate = addressOf(address, size);
  return candidate && allow_.contain(*candidate);
}

}  // namespace mb::outbound
