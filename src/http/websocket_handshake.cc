#include "http/websocket_handshake.h"

#include "base/crypto.h"
#include "base/sha1.h"
#include "http/list_header.h"

namespace mb::http {

namespace {

constexpr std::string_view kVersion = "13";
constexpr std::string_view kKeySuffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";  // RFC 6455, 1.3
constexpr size_t kKeyBytes = 16;

bool lists(const Request& request, std::string_view name, std::string_view wanted) {
  return anyListed(request, name, [wanted](std::string_view item) { return equalsIgnoreCase(item, wanted); });
}

// The value of a header that occurs exactly once.
std::optional<std::string_view> single(const Request& request, std::string_view name) {
  std::optional<std::string_view> value;
  for (const Header& header : request.headers) {
    if (!equalsIgnoreCase(header.name, name)) continue;
    if (value) return std::nullopt;
    value = trimSpace(header.value);
  }
  return value;
}

bool isKey(std::string_view text) {
  const Result<std::string> bytes = fromBase64(text);
  return bytes && bytes->size() == kKeyBytes;
}

}  // namespace

std::string acceptKey(std::string_view key) {
  const auto digest = sha1(std::string(key) + std::string(kKeySuffix));
  return toBase64({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

Result<> checkWebSocketUpgrade(const Request& request) {
  if (request.method != Method::get || !lists(request, "upgrade", "websocket")) {
    return fail(ErrorCode::upgradeRequired, "WebSocket upgrade required");
  }
  if (!lists(request, "connection", "upgrade")) {
    return fail(ErrorCode::validation, "connection must name upgrade");
  }
  if (single(request, "sec-websocket-version") != kVersion) {
    return fail(ErrorCode::upgradeRequired, "sec-websocket-version must be 13");
  }
  const auto key = single(request, "sec-websocket-key");
  if (!key || !isKey(*key)) return fail(ErrorCode::validation, "sec-websocket-key must be 16 bytes in base64");
  RETURN_IF_ERROR(negotiateDeflate(request));
  return {};
}

Response webSocketResponse(const Request& request, std::shared_ptr<WebSocketHandler> handler) {
  std::string deflate = negotiateDeflate(request).value_or(std::string());
  Response response = Response::empty(101);
  response.headers.emplace_back("upgrade", "websocket");
  response.headers.emplace_back("connection", "Upgrade");
  response.headers.emplace_back("sec-websocket-accept",
                                acceptKey(single(request, "sec-websocket-key").value_or(std::string_view())));
  response.upgrade = std::make_shared<WebSocketUpgrade>(std::move(handler), !deflate.empty());
  if (!deflate.empty()) response.headers.emplace_back("sec-websocket-extensions", std::move(deflate));
  return response;
}

}  // namespace mb::http
