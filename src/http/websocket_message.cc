#include "http/websocket_message.h"

#include "http/websocket_deflate.h"
#include "http/websocket_frame.h"

namespace mb::http {

namespace {

constexpr size_t kMaxUnmaskedHead = kMaxHead - sizeof(Mask);

}  // namespace

void WebSocketMessage::compress() const {
  tried_ = true;
  const std::optional<std::string> compressed = deflateMessage(payload());
  if (!compressed || compressed->size() + kMaxUnmaskedHead >= plain_.size()) return;
  deflated_.reserve(kMaxUnmaskedHead + compressed->size());
  appendFrameHead(deflated_, kFinalBit | kCompressedBit | static_cast<uint8_t>(Opcode::text), compressed->size());
  deflated_ += *compressed;
}

WebSocketMessagePtr makeTextMessage(std::string payload) {
  std::string head;
  appendFrameHead(head, kFinalBit | static_cast<uint8_t>(Opcode::text), payload.size());
  payload.insert(0, head);
  return std::make_shared<const WebSocketMessage>(std::move(payload), head.size());
}

WebSocketMessagePtr joinMessages(std::span<const WebSocketMessagePtr> messages) {
  size_t size = 1 + messages.size();  // brackets and commas
  for (const WebSocketMessagePtr& message : messages) size += message->payload().size();
  std::string frame;
  frame.reserve(kMaxUnmaskedHead + size);
  appendFrameHead(frame, kFinalBit | static_cast<uint8_t>(Opcode::text), size);
  char separator = '[';
  for (const WebSocketMessagePtr& message : messages) {
    frame += separator;
    frame += message->payload();
    separator = ',';
  }
  frame += ']';
  return std::make_shared<const WebSocketMessage>(std::move(frame));
}

std::string_view payloadOf(const WebSocketMessage& message) {
  return message.payload();
}

}  // namespace mb::http
