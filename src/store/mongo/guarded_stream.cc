#include "store/mongo/guarded_stream.h"

#include <mongoc/mongoc.h>
#include <netdb.h>

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

// A stream to the first address of the host that is permitted and accepts; null for none. `until` is a time of
// bson_get_monotonic_time().
Stream openStream(const mongoc_host_list_t& host, const AddressCheck& permits, int64_t until) {
  addrinfo hints{};
  hints.ai_family = host.family == AF_INET || host.family == AF_INET6 ? host.family : AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.host, std::to_string(host.port).c_str(), &hints, &found) != 0) return nullptr;
  const std::unique_ptr<addrinfo, AddressesDeleter> addresses(found);
  for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
    if (!permits(each->ai_addr, each->ai_addrlen)) continue;
    mongoc_socket_t* socket = mongoc_socket_new(each->ai_family, each->ai_socktype, each->ai_protocol);
    if (socket == nullptr) continue;
    if (mongoc_socket_connect(socket, each->ai_addr, each->ai_addrlen, until) == 0) {
      return Stream(mongoc_stream_socket_new(socket));
    }
    mongoc_socket_destroy(socket);
  }
  return nullptr;
}

// The text is the same for each reason, so that it shows nothing of the network.
mongoc_stream_t* refuse(bson_error_t* error) {
  bson_set_error(error, MONGOC_ERROR_STREAM, MONGOC_ERROR_STREAM_CONNECT, "the host cannot be reached");
  return nullptr;
}

// As mongoc_client_default_stream_initiator() does it, but for the check.
mongoc_stream_t* initiate(const mongoc_uri_t* uri, const mongoc_host_list_t* host, void* data, bson_error_t* error) {
  if (host->family == AF_UNIX) return refuse(error);
  const int64_t until =
      bson_get_monotonic_time() + std::chrono::duration_cast<std::chrono::microseconds>(kConnectTimeout).count();
  Stream stream = openStream(*host, *static_cast<const AddressCheck*>(data), until);
  if (!stream) return refuse(error);
  if (mongoc_uri_get_tls(uri)) {
    mongoc_ssl_opt_t options = *mongoc_ssl_opt_get_default();
    mongoc_stream_t* tls = mongoc_stream_tls_new_with_hostname(stream.get(), host->host, &options, 1);
    if (tls == nullptr) return refuse(error);
    (void)stream.release();  // it belongs to the TLS stream
    stream.reset(tls);
    const auto left = static_cast<int32_t>((until - bson_get_monotonic_time()) / 1000);
    if (left <= 0 || !mongoc_stream_tls_handshake_block(tls, host->host, left, error)) return refuse(error);
  }
  return mongoc_stream_buffered_new(stream.release(), kBuffer);
}

}  // namespace

void guardConnections(mongoc_client_t* client, const AddressCheck& permits) {
  // The driver passes the pointer back to initiate(), which reads only.
  mongoc_client_set_stream_initiator(client, initiate, const_cast<AddressCheck*>(&permits));
}

}  // namespace mb::store::mongo
