// Connections of the driver that reach only addresses which a check permits.
#pragma once

#include <sys/socket.h>

#include <functional>
#include <map>
#include <string>

// Types of the driver, which its own header declares.
typedef struct _mongoc_client_t mongoc_client_t;  // NOLINT(modernize-use-using): as there
typedef struct _mongoc_stream_t mongoc_stream_t;  // NOLINT(modernize-use-using): as there

namespace mb::store::mongo {

// Whether a socket may be connected to the address. Any thread.
using AddressCheck = std::function<bool(const sockaddr* address, socklen_t size)>;

// A connection as the driver made it: with TLS, where the address has it, and past the login once a command was sent.
struct OpenStream {
  mongoc_stream_t* stream = nullptr;  // the driver's
  int socket = -1;                    // below it
};

// All of it but `permits` is set by the thread that uses the client.
struct ConnectionGuard {
  AddressCheck permits;
  std::string peer;                                       // "address port" of the last connection, in numbers
  std::map<std::string, OpenStream, std::less<>> opened;  // the last one to each host, by "name:port"
};

// Lets each connection of `client`, also those to hosts that a server names, go to an address that the guard has
// permitted, never to a socket of the file system. With TLS the name of the host is verified. Each try takes at most
// three seconds besides the lookup of the name. REQUIRES: `guard` outlives `client`, which has not connected yet.
void guardConnections(mongoc_client_t* client, ConnectionGuard& guard);

}  // namespace mb::store::mongo
