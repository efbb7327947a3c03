#include "cli/wire.h"

#include "document/json.h"

namespace mb::cli {

namespace {

constexpr size_t kMaxArguments = 32;
// Names, numbers and one object of results: no deep nesting.
constexpr doc::JsonLimits kLimits{.maxDepth = 20, .extended = doc::ExtendedJson::refuse};

struct WireRequest {
  int32_t version = kProtocolVersion;
  std::string command;
  doc::Document arguments;
  static constexpr auto shape() {
    return doc::shape<WireRequest>("Request", doc::field("version", &WireRequest::version),
                                   doc::field("command", &WireRequest::command),
                                   doc::field("arguments", &WireRequest::arguments));
  }
};

struct WireMessage {
  std::optional<Step> progress;
  std::optional<Outcome> outcome;
  std::optional<Failure> failure;
  static constexpr auto shape() {
    return doc::shape<WireMessage>("Message", doc::field("progress", &WireMessage::progress),
                                   doc::field("outcome", &WireMessage::outcome),
                                   doc::field("failure", &WireMessage::failure));
  }
};

std::string line(const doc::Document& document) {
  return doc::toJson(document) + "\n";
}

}  // namespace

Failure failureOf(const Error& error) {
  std::string message = error.message();
  if (!error.cause().empty()) message += " (" + error.cause() + ")";
  return {std::string(meaningOf(error.code()).wire), std::move(message)};
}

std::string encodeRequest(const Request& request) {
  doc::BsonWriter arguments;
  for (const auto& [name, value] : request.arguments) arguments.appendString(name, value);
  return line(doc::encode(WireRequest{kProtocolVersion, request.command, arguments.finish()}));
}

std::string encodeMessage(const Message& message) {
  WireMessage wire;
  if (const auto* step = std::get_if<Step>(&message)) wire.progress = *step;
  if (const auto* outcome = std::get_if<Outcome>(&message)) wire.outcome = *outcome;
  if (const auto* failure = std::get_if<Failure>(&message)) wire.failure = *failure;
  return line(doc::encode(wire));
}

Result<Request> decodeRequest(std::string_view text) {
  auto parsed = doc::parseJson(text, kLimits);
  if (!parsed) return fail(ErrorCode::invalidBody, "invalid command: " + parsed.error().message());
  auto wire = doc::decode<WireRequest>(*parsed);
  if (!wire) return fail(ErrorCode::invalidBody, "invalid command: " + wire.error().message());
  if (wire->version != kProtocolVersion) {
    return fail(ErrorCode::invalidBody, "the server is of another version than this program");
  }
  Request request{std::move(wire->command), {}};
  for (const doc::Element& argument : wire->arguments.view()) {
    if (argument.value.type() != doc::BsonType::string || request.arguments.size() >= kMaxArguments) {
      return fail(ErrorCode::invalidBody, "invalid command: arguments must be at most 32 strings");
    }
    request.arguments.emplace(argument.key, argument.value.asString());
  }
  return request;
}

Result<Message> decodeMessage(std::string_view text) {
  const auto foreign = [] { return fail(ErrorCode::invalidBody, "the server sent an invalid message"); };
  const auto parsed = doc::parseJson(text, kLimits);
  if (!parsed) return foreign();
  auto wire = doc::decode<WireMessage>(*parsed, doc::UnknownFields::ignore);
  if (!wire) return foreign();
  if (wire->progress) return Message(*std::move(wire->progress));
  if (wire->outcome) return Message(*std::move(wire->outcome));
  if (wire->failure) return Message(*std::move(wire->failure));
  return foreign();
}

}  // namespace mb::cli
