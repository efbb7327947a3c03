#include "store/mongo/guarded_stream.h"

#include <mongoc/mongoc.h>
#include <netdb.h>

#include <array>
#include <chrono>
#include <memory>
#include <string>

namespace mb::store::mongo {

namespace {

constexpr std::chrono::milliseconds kConnectTimeout{3000};
constexpr size_t kBuffer = 1024;  // bytes, as the driver's own connections have

struct StreamDeleter {
  void operator()(mongoc_stream_t* stream) const { mongoc_stream_destroy(stream); }
};
using Stream = std::unique_ptr<mongoc_stream_t, StreamDeleter>;

struct AddressesDeleter {
  void operator()(addrinfo* addresses) const { freeaddrinfo(addresses); }
};

std::string numbersOf(const addrinfo& address) {
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> port{};
  getnameinfo(address.ai_addr, address.ai_addrlen, host.data(), host.size(), port.data(), port.size(),
              NI_NUMERICHOST | NI_NUMERICSERV);
  return fmt::format("{} {}", host.data(), port.data());
}

// A stream to the first address of the host that is permitted and accepts; null for none. `until` is a time of
// bson_get_monotonic_time().
Stream openStream(const mongoc_host_list_t& host, ConnectionGuard& guard, int64_t until) {
  addrinfo hints{};
  hints.ai_family = host.family == AF_INET || host.family == AF_INET6 ? host.family : AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.host, std::to_string(host.port).c_str(), &hints, &found) != 0) return nullptr;
  const std::unique_ptr<addrinfo, AddressesDeleter> addresses(found);
  for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
    if (!guard.permits(each->ai_addr, each->ai_addrlen)) continue;
    mongoc_socket_t* socket = mongoc_socket_new(each->ai_family, each->ai_socktype, each->ai_protocol);
    if (socket == nullptr) continue;
    if (mongoc_socket_connect(socket, each->ai_addr, each->ai_addrlen, until) == 0) {
      guard.peer = numbersOf(*each);
      return Stream(mongoc_stream_socket_new(socket));
    }
    mongoc_socket_destroy(socket);
  }
  return nullptr;
}

// The TLS stream over `stream`; null for a failure.
Stream withTls(Stream stream, const mongoc_host_list_t& host) {
  mongoc_ssl_opt_t options = *mongoc_ssl_opt_get_default();
  Stream tls(mongoc_stream_tls_new_with_hostname(stream.get(), host.host, &options, 1));
  if (tls) (void)stream.release();  // it belongs to the TLS stream
  return tls;
}

Stream connect(const mongoc_host_list_t& host, bool hasTls, ConnectionGuard& guard) {
  if (host.family == AF_UNIX) return nullptr;
  const int64_t until =
      bson_get_monotonic_time() + std::chrono::duration_cast<std::chrono::microseconds>(kConnectTimeout).count();
  Stream stream = openStream(host, guard, until);
  if (!stream || !hasTls) return stream;
  stream = withTls(std::move(stream), host);
  const auto left = static_cast<int32_t>((until - bson_get_monotonic_time()) / 1000);
  bson_error_t error{};
  const bool isSecure = stream && left > 0 && mongoc_stream_tls_handshake_block(stream.get(), host.host, left, &error);
  return isSecure ? std::move(stream) : nullptr;
}

// A stream whose first use fails.
Stream unconnected(const mongoc_host_list_t& host, bool hasTls) {
  mongoc_socket_t* socket = mongoc_socket_new(AF_INET, SOCK_STREAM, 0);
  if (socket == nullptr) return nullptr;
  Stream stream(mongoc_stream_socket_new(socket));
  return hasTls ? withTls(std::move(stream), host) : std::move(stream);
}

// As mongoc_client_default_stream_initiator() does it, but for the check. A failure is that of the stream's first use:
// the driver (1.23) waits for itself forever where an initiator fails while a response that names hosts is processed.
mongoc_stream_t* initiate(const mongoc_uri_t* uri, const mongoc_host_list_t* host, void* data, bson_error_t* error) {
  const bool hasTls = mongoc_uri_get_tls(uri);
  Stream stream = connect(*host, hasTls, *static_cast<ConnectionGuard*>(data));
  if (!stream) stream = unconnected(*host, hasTls);
  if (stream) return mongoc_stream_buffered_new(stream.release(), kBuffer);
  bson_set_error(error, MONGOC_ERROR_STREAM, MONGOC_ERROR_STREAM_CONNECT, "the host cannot be reached");
  return nullptr;
}

}  // namespace

void guardConnections(mongoc_client_t* client, ConnectionGuard& guard) {
  mongoc_client_set_stream_initiator(client, initiate, &guard);
}

}  // namespace mb::store::mongo
