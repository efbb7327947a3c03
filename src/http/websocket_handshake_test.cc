#include "http/websocket_handshake.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mb::http {
namespace {

constexpr std::string_view kKey = "MDEyMzQ1Njc4OWFiY2RlZg==";

Request upgrade(std::vector<Header> changes = {}) {
  Request request;
  request.path = "/ws";
  request.headers = {{"Host", "x"},
                     {"Upgrade", "websocket"},
                     {"Connection", "Upgrade"},
                     {"Sec-WebSocket-Version", "13"},
                     {"Sec-WebSocket-Key", kKey}};
  for (const Header& change : changes) {
    std::erase_if(request.headers, [&](const Header& header) { return header.name == change.name; });
  }
  for (const Header& change : changes) {
    if (change.value != "none") request.headers.push_back(change);
  }
  return request;
}

std::optional<std::string_view> header(const Response& response, std::string_view name) {
  for (const auto& [have, value] : response.headers) {
    if (have == name) return value;
  }
  return std::nullopt;
}

TEST(WebSocketHandshake, TakesWhatTheStandardAsksFor) {
  const std::vector<Header> good[] = {
      {},
      {{"Upgrade", "WebSocket"}},
      {{"Upgrade", "h2c, websocket"}},
      {{"Upgrade", "h2c"}, {"Upgrade", "websocket"}},
      {{"Connection", "keep-alive, UPGRADE"}},
      {{"Connection", "keep-alive"}, {"Connection", " upgrade "}},
      {{"Sec-WebSocket-Version", " 13 "}},
      {{"Sec-WebSocket-Extensions", "x-unknown; a=1, other"}},
      {{"Sec-WebSocket-Protocol", "chat, superchat"}},
  };
  for (const auto& changes : good) EXPECT_TRUE(checkWebSocketUpgrade(upgrade(changes)));
}

TEST(WebSocketHandshake, RefusesTheRest) {
  const struct {
    std::vector<Header> changes;
    ErrorCode code;
  } cases[] = {
      {{{"Upgrade", "none"}}, ErrorCode::upgradeRequired},
      {{{"Upgrade", ""}}, ErrorCode::upgradeRequired},
      {{{"Upgrade", "websockets"}}, ErrorCode::upgradeRequired},
      {{{"Upgrade", "websocket/13"}}, ErrorCode::upgradeRequired},
      {{{"Connection", "none"}}, ErrorCode::validation},
      {{{"Connection", "keep-alive"}}, ErrorCode::validation},
      {{{"Sec-WebSocket-Version", "none"}}, ErrorCode::upgradeRequired},
      {{{"Sec-WebSocket-Version", "8"}}, ErrorCode::upgradeRequired},
      {{{"Sec-WebSocket-Version", "13, 8"}}, ErrorCode::upgradeRequired},
      {{{"Sec-WebSocket-Version", "13"}, {"Sec-WebSocket-Version", "13"}}, ErrorCode::upgradeRequired},
      {{{"Sec-WebSocket-Key", "none"}}, ErrorCode::validation},
      {{{"Sec-WebSocket-Key", ""}}, ErrorCode::validation},
      {{{"Sec-WebSocket-Key", "MDEyMzQ1Njc4OWFiY2RlZg"}}, ErrorCode::validation},    // no padding
      {{{"Sec-WebSocket-Key", "MDEyMzQ1Njc4OWFiY2Rl"}}, ErrorCode::validation},      // 15 bytes
      {{{"Sec-WebSocket-Key", "MDEyMzQ1Njc4OWFiY2RlZmc="}}, ErrorCode::validation},  // 17
      {{{"Sec-WebSocket-Key", "MDEyMzQ1Njc4OWFiY2RlZ!=="}}, ErrorCode::validation},
      {{{"Sec-WebSocket-Key", kKey}, {"Sec-WebSocket-Key", kKey}}, ErrorCode::validation},
      {{{"Sec-WebSocket-Extensions", "permessage-deflate;"}}, ErrorCode::validation},
  };
  for (const auto& [changes, code] : cases) {
    const auto result = checkWebSocketUpgrade(upgrade(changes));
    ASSERT_FALSE(result) << changes[0].name << ": " << changes[0].value;
    EXPECT_EQ(result.error().code(), code) << changes[0].name << ": " << changes[0].value;
  }
  Request post = upgrade();
  post.method = Method::post;
  EXPECT_EQ(checkWebSocketUpgrade(post).error().code(), ErrorCode::upgradeRequired);
}

TEST(WebSocketHandshake, SaysWhatUpgradeIsRequired) {
  const auto refused = checkWebSocketUpgrade(Request{});
  EXPECT_EQ(refused.error().message(), "WebSocket upgrade required");
  const Response response = Response::failure(refused.error());
  EXPECT_EQ(response.status, 426);
  EXPECT_EQ(header(response, "upgrade"), "websocket");
  EXPECT_EQ(header(response, "connection"), "Upgrade");
  EXPECT_EQ(header(response, "sec-websocket-version"), "13");
}

TEST(WebSocketHandshake, RespondsWithTheAcceptKey) {
  // Computed with other means: sha1 of key and suffix, in base64.
  EXPECT_EQ(acceptKey(kKey), "BACScCJPNqyz+UBoqMH89VmURoA=");
  const Response response = webSocketResponse(upgrade(), nullptr);
  EXPECT_EQ(response.status, 101);
  EXPECT_EQ(header(response, "upgrade"), "websocket");
  EXPECT_EQ(header(response, "connection"), "Upgrade");
  EXPECT_EQ(header(response, "sec-websocket-accept"), acceptKey(kKey));
  EXPECT_EQ(header(response, "sec-websocket-extensions"), std::nullopt);
  EXPECT_EQ(header(response, "sec-websocket-protocol"), std::nullopt);
  ASSERT_TRUE(response.upgrade);
  EXPECT_FALSE(response.upgrade->deflate);
}

TEST(WebSocketHandshake, TakesTheOffersOfDeflateThatItCan) {
  const struct {
    std::string_view offers;
    bool taken;
  } cases[] = {
      {"permessage-deflate", true},
      {"permessage-deflate; client_max_window_bits", true},
      {"permessage-deflate;client_max_window_bits=8", true},
      {"permessage-deflate; client_max_window_bits=15; server_no_context_takeover", true},
      {"permessage-deflate; client_max_window_bits=\"10\"", true},
      {"permessage-deflate; client_no_context_takeover; server_no_context_takeover", true},
      {"x-other, permessage-deflate", true},
      {", ,permessage-deflate,", true},
      {"permessage-deflate; server_max_window_bits=10, permessage-deflate", true},
      {"permessage-deflate; server_max_window_bits=15", true},
      {"", false},
      {"x-webkit-deflate-frame", false},
      {"permessage-deflate; server_max_window_bits=10", false},
      {"permessage-deflate; server_max_window_bits", false},
      {"permessage-deflate; unknown", false},
      {"permessage-deflate; client_max_window_bits=7", false},
      {"permessage-deflate; client_max_window_bits=16", false},
      {"permessage-deflate; client_max_window_bits=08", false},
      {"permessage-deflate; client_max_window_bits=1x", false},
      {"permessage-deflate; server_no_context_takeover=1", false},
      {"permessage-deflate; client_no_context_takeover; client_no_context_takeover", false},
      {"Permessage-Deflate", false},
  };
  for (const auto& [offers, taken] : cases) {
    const Request request = upgrade({{"Sec-WebSocket-Extensions", offers}});
    EXPECT_TRUE(checkWebSocketUpgrade(request)) << offers;
    const Response response = webSocketResponse(request, nullptr);
    EXPECT_EQ(response.upgrade->deflate, taken) << offers;
    EXPECT_EQ(header(response, "sec-websocket-extensions").has_value(), taken) << offers;
  }
  const Request bounded = upgrade({{"Sec-WebSocket-Extensions", "permessage-deflate; server_max_window_bits=15"}});
  EXPECT_EQ(header(webSocketResponse(bounded, nullptr), "sec-websocket-extensions"),
            "permessage-deflate; server_no_context_takeover; client_no_context_takeover; server_max_window_bits=15");
  const Request inTwo =
      upgrade({{"Sec-WebSocket-Extensions", "x"}, {"Sec-WebSocket-Extensions", "permessage-deflate"}});
  EXPECT_EQ(header(webSocketResponse(inTwo, nullptr), "sec-websocket-extensions"),
            "permessage-deflate; server_no_context_takeover; client_no_context_takeover");
}

TEST(WebSocketHandshake, RefusesOffersThatAreNotWellFormed) {
  std::string many = "a";
  for (int i = 0; i < 40; ++i) many += ",a";
  const std::string_view broken[] = {"permessage-deflate; =1",
                                     "permessage-deflate; a=",
                                     "permessage-deflate a",
                                     "; a",
                                     "permessage-deflate; a=\"",
                                     "permessage-deflate; a=\"b c\"",
                                     "permessage-deflate; a=\"\"",
                                     "per/message",
                                     "a; b = ; c",
                                     many};
  for (const std::string_view offers : broken) {
    const auto result = checkWebSocketUpgrade(upgrade({{"Sec-WebSocket-Extensions", offers}}));
    ASSERT_FALSE(result) << offers;
    EXPECT_EQ(result.error().code(), ErrorCode::validation) << offers;
  }
}

}  // namespace
}  // namespace mb::http
