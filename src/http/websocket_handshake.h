// The parts of the opening handshake that are not in websocket.h. Private to this module.
#pragma once

#include <memory>

#include "http/websocket.h"

namespace mb::http {

// The terms of the connection after the 101.
struct WebSocketUpgrade {
  std::shared_ptr<WebSocketHandler> handler;
  bool deflate = false;  // per-message deflate was agreed on
};

// The sec-websocket-accept of a sec-websocket-key (RFC 6455, 4.2.2).
std::string acceptKey(std::string_view key);

// The response to the offers of per-message deflate: accepts the first offer that the server can honour; empty without
// such an offer. Other extensions are ignored (RFC 7692, 5 and 7.1). Fails with validation if the header is not
// well-formed (RFC 6455, 9.1).
Result<std::string> negotiateDeflate(const Request& request);

}  // namespace mb::http
