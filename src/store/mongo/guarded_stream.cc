#include "store/mongo/guarded_stream.h"

#include <mongoc/mongoc.h>
#include <netdb.h>

#include <array>
#include <chrono>
#include <memory>
#include <string>

#include "store/mongo/socket_stream.h"

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

// A socket connected to the first address of the host that is permitted and accepts; not open for none. `until` is a
// time of bson_get_monotonic_time().
Descriptor connectTo(const mongoc_host_list_t& host, ConnectionGuard& guard, int64_t until) {
  addrinfo hints{};
  hints.ai_family = host.family == AF_INET || host.family == AF_INET6 ? host.family : AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.host, std::to_string(host.port).c_str(), &hints, &found) != 0) return {};
  const std::unique_ptr<addrinfo, AddressesDeleter> addresses(found);
  for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
    if (!guard.permits(each->ai_addr, each->ai_addrlen)) continue;
    Descriptor socket = connectSocket(*each->ai_addr, each->ai_addrlen, until);
    if (!socket.open()) continue;
    guard.peer = numbersOf(*each);
    return socket;
  }
  return {};
}

// With the files that an operator's address names.
mongoc_ssl_opt_t tlsOptionsOf(const mongoc_uri_t* uri) {
  mongoc_ssl_opt_t options = *mongoc_ssl_opt_get_default();
  options.ca_file = mongoc_uri_get_option_as_utf8(uri, MONGOC_URI_TLSCAFILE, options.ca_file);
  options.pem_file = mongoc_uri_get_option_as_utf8(uri, MONGOC_URI_TLSCERTIFICATEKEYFILE, options.pem_file);
  options.pem_pwd = mongoc_uri_get_option_as_utf8(uri, MONGOC_URI_TLSCERTIFICATEKEYFILEPASSWORD, options.pem_pwd);
  return options;
}

// The TLS stream over `stream`; null for a failure.
Stream withTls(Stream stream, const mongoc_uri_t* uri, const mongoc_host_list_t& host) {
  mongoc_ssl_opt_t options = tlsOptionsOf(uri);
  Stream tls(mongoc_stream_tls_new_with_hostname(stream.get(), host.host, &options, 1));
  if (tls) (void)stream.release();  // it belongs to the TLS stream
  return tls;
}

Stream connect(const mongoc_uri_t* uri, const mongoc_host_list_t& host, ConnectionGuard& guard) {
  if (host.family == AF_UNIX) return nullptr;
  const int64_t until =
      bson_get_monotonic_time() + std::chrono::duration_cast<std::chrono::microseconds>(kConnectTimeout).count();
  Descriptor connected = connectTo(host, guard, until);
  if (!connected.open()) return nullptr;
  const int socket = connected.get();
  Stream stream(newSocketStream(std::move(connected)));
  if (mongoc_uri_get_tls(uri)) {
    stream = withTls(std::move(stream), uri, host);
    const auto left = static_cast<int32_t>((until - bson_get_monotonic_time()) / 1000);
    bson_error_t error{};
    const bool isSecure =
        stream && left > 0 && mongoc_stream_tls_handshake_block(stream.get(), host.host, left, &error);
    if (!isSecure) return nullptr;
  }
  guard.opened[host.host_and_port] = {stream.get(), socket};
  return stream;
}

// A stream whose first use fails.
Stream unconnected(const mongoc_uri_t* uri, const mongoc_host_list_t& host) {
  Stream stream(newSocketStream(Descriptor(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0))));
  return mongoc_uri_get_tls(uri) ? withTls(std::move(stream), uri, host) : std::move(stream);
}

// As mongoc_client_default_stream_initiator() does it, but for the check. A failure is that of the stream's first use:
// the driver (1.23) waits for itself forever where an initiator fails while a response that names hosts is processed.
mongoc_stream_t* initiate(const mongoc_uri_t* uri, const mongoc_host_list_t* host, void* data, bson_error_t* error) {
  Stream stream = connect(uri, *host, *static_cast<ConnectionGuard*>(data));
  if (!stream) stream = unconnected(uri, *host);
  if (stream) return mongoc_stream_buffered_new(stream.release(), kBuffer);
  bson_set_error(error, MONGOC_ERROR_STREAM, MONGOC_ERROR_STREAM_CONNECT, "the host cannot be reached");
  return nullptr;
}

}  // namespace

void guardConnections(mongoc_client_t* client, ConnectionGuard& guard) {
  mongoc_client_set_stream_initiator(client, initiate, &guard);
}

}  // namespace mb::store::mongo
