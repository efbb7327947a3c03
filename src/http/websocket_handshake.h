// The opening handshake beyond what websocket.h shows. Private to this module.
#pragma once

#include <memory>

#include "http/websocket.h"

namespace mb::http {

// What becomes of a connection behind the 101.
struct WebSocketUpgrade {
  std::shared_ptr<WebSocketHandler> handler;
  bool deflate = false;  // per-message deflate was agreed on
};

// Of a sec-websocket-key the sec-websocket-accept (RFC 6455, 4.2.2).
std::string acceptKey(std::string_view key);

// What to answer to the offers of per-message deflate: the first that can be taken, empty where none can. Other
// extensions are passed over (RFC 7692, 5 and 7.1). Fails with validation where the header is not well-formed (RFC
// 6455, 9.1).
Result<std::string> negotiateDeflate(const Request& request);

}  // namespace mb::http
