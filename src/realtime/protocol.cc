#include "realtime/protocol.h"

#include <algorithm>
#include <array>

#include "base/utf8.h"
#include "document/json.h"
#include "document/keep_fields.h"
#include "document/path.h"

namespace mb::realtime {

namespace {

using Type = ClientMessage::Type;

// Levels of a message: those of a filter (document/filter.h), each of which may take two, and the values in it.
constexpr size_t kMaxDepth = 64;

constexpr std::array<std::string_view, 4> kKinds = {"insert", "update", "replace", "delete"};

std::string_view kindName(store::ChangeEntry::Kind kind) {
  return kKinds[static_cast<size_t>(kind)];
}

bool isId(std::string_view text) {
  if (text.size() > kMaxIdLength * 4) return false;
  size_t characters = 0;
  for (size_t at = 0; at < text.size(); ++characters) at += std::max<size_t>(utf8SequenceLength(text, at), 1);
  return characters >= 1 && characters <= kMaxIdLength;
}

std::optional<std::string_view> textOf(doc::ValueView value) {
  if (value.type() != doc::BsonType::string) return std::nullopt;
  return value.asString();
}

// nullopt for anything but a non-empty list of kinds.
std::optional<Events> eventsOf(doc::ValueView value) {
  if (value.type() != doc::BsonType::array) return std::nullopt;
  Events events = 0;
  for (const doc::Element& element : value.asDocument()) {
    const auto name = textOf(element.value);
    const auto found = name ? std::ranges::find(kKinds, *name) : kKinds.end();
    if (found == kKinds.end()) return std::nullopt;
    events = static_cast<Events>(events | 1U << (found - kKinds.begin()));
  }
  if (events == 0) return std::nullopt;
  return events;
}

Type typeNamed(std::string_view name) {
  if (name == "auth") return Type::auth;
  if (name == "subscribe") return Type::subscribe;
  if (name == "unsubscribe") return Type::unsubscribe;
  return Type::unknown;
}

// Returns the problem; empty on success.
std::string takeFields(ClientMessage& message, doc::ValueView value) {
  const std::string problem = "fields must be a list of 1 to 100 paths, of 4 KiB together";
  if (value.type() != doc::BsonType::array) return problem;
  std::vector<std::string> paths = {"id"};
  size_t bytes = 0;
  for (const doc::Element& element : value.asDocument()) {
    const auto path = textOf(element.value);
    if (!path || paths.size() > kMaxFields) return problem;
    if (const auto parsed = doc::FieldPath::parse(*path); !parsed) return "fields: " + parsed.error().message();
    bytes += path->size();
    paths.emplace_back(*path);
  }
  if (bytes == 0 || bytes > kMaxFieldBytes) return problem;
  message.fields = doc::FieldSet(std::move(paths));
  return {};
}

// The filter is read with extended JSON, like that of a list. Returns the problem; empty on success.
std::string takeFilter(ClientMessage& message, std::string_view text) {
  const auto parsed = doc::parseJson(text, {.maxDepth = kMaxDepth, .extended = doc::ExtendedJson::accept});
  if (!parsed) return "filter: " + parsed.error().message();
  const auto filter = parsed->view().find("filter");
  if (!filter || filter->type() != doc::BsonType::document) return "filter must be an object";
  if (filter->raw().size() > kMaxFilterBytes) return "filter is larger than 16 KiB";
  message.filter = doc::Document(filter->asDocument());
  return {};
}

// Reads one field of a message of a known type. Returns the problem; empty on success.
std::string takeField(ClientMessage& message, std::string_view name, doc::ValueView value, std::string_view whole) {
  const bool subscribes = message.type == Type::subscribe;
  const auto text = textOf(value);
  if (name == "token" && message.type == Type::auth) {
    if (!text || text->empty()) return "token must be a string";
    message.token = *text;
  } else if (name == "anonymous" && message.type == Type::auth) {
    if (value.type() != doc::BsonType::boolean || !value.asBool()) return "anonymous must be true";
    message.anonymous = true;
  } else if (name == "batch" && message.type == Type::auth) {
    if (value.type() != doc::BsonType::boolean || !value.asBool()) return "batch must be true";
    message.batch = true;
  } else if (name == "id" && message.type != Type::auth) {
    if (message.id.empty()) return "id must be a string of 1 to 64 characters";
  } else if (name == "collection" && subscribes) {
    if (!text || text->empty()) return "collection must be a string";
    message.collection = *text;
  } else if (name == "events" && subscribes) {
    const auto events = eventsOf(value);
    if (!events) return "events must be a list of insert, update, replace and delete, with at least one of them";
    message.events = *events;
  } else if (name == "after" && subscribes) {
    if (!text) return "after must be a position";
    message.after = *text;
  } else if (name == "filter" && subscribes) {
    return takeFilter(message, whole);
  } else if (name == "fields" && subscribes) {
    return takeFields(message, value);
  } else if (name == "leave" && subscribes) {
    if (value.type() != doc::BsonType::boolean) return "leave must be true or false";
    message.leave = value.asBool();
  } else if (name == "caughtUp" && subscribes) {
    if (value.type() != doc::BsonType::boolean) return "caughtUp must be true or false";
    message.caughtUp = value.asBool();
  } else if (name == "admin" && subscribes) {
    if (value.type() != doc::BsonType::boolean) return "admin must be true or false";
    message.admin = value.asBool();
  } else {
    std::string problem = "the field ";
    doc::writeJsonString(problem, name.substr(0, kMaxIdLength));
    return problem + " is not known here";
  }
  return {};
}

std::string missingField(const ClientMessage& message) {
  if (message.type == Type::auth) {
    if (message.anonymous && !message.token.empty()) return "token and anonymous exclude each other";
    return message.token.empty() && !message.anonymous ? "token is missing" : "";
  }
  if (message.id.empty()) return "id is missing";
  if (message.type == Type::subscribe && message.collection.empty()) return "collection is missing";
  return {};
}

std::string withId(std::string_view type, std::string_view id) {
  std::string out = "{\"type\":\"";
  out += type;
  out += "\",\"id\":";
  doc::writeJsonString(out, id);
  return out;
}

std::string withIdAndPosition(std::string_view type, std::string_view id, std::string_view position) {
  std::string out = withId(type, id);
  out += R"(,"position":")";
  out += position;
  out += "\"}";
  return out;
}

// The beginning of a tail, with capacity for a document of that many bytes.
std::string changeStart(std::string_view kind, std::string_view collection, std::string_view documentId,
                        size_t documentBytes) {
  std::string out;
  out.reserve(160 + documentBytes + documentBytes / 4);
  out += R"(,"event":{"type":")";
  out += kind;
  out += R"(","collection":)";
  doc::writeJsonString(out, collection);
  out += R"(,"documentId":)";
  doc::writeJsonString(out, documentId);
  return out;
}

}  // namespace

std::string_view wireName(Code code) {
  switch (code) {
    case Code::invalidMessage:
      return "INVALID_MESSAGE";
    case Code::authFailed:
      return "AUTH_FAILED";
    case Code::unauthenticated:
      return "UNAUTHENTICATED";
    case Code::duplicateId:
      return "DUPLICATE_ID";
    case Code::unknownSubscription:
      return "UNKNOWN_SUBSCRIPTION";
    case Code::notFound:
      return "NOT_FOUND";
    case Code::forbidden:
      return "FORBIDDEN";
    case Code::tokenExpired:
      return "TOKEN_EXPIRED";
    case Code::connectionLimit:
      return "CONNECTION_LIMIT";
    case Code::queryTooCostly:
      return "QUERY_TOO_COSTLY";
    case Code::unavailable:
      return "UNAVAILABLE";
  }
  return "";
}

Events eventOf(store::ChangeEntry::Kind kind) {
  return static_cast<Events>(1U << static_cast<unsigned>(kind));
}

ClientMessage readMessage(std::string_view text) {
  ClientMessage message;
  const auto parsed = doc::parseJson(text, {.maxDepth = kMaxDepth, .extended = doc::ExtendedJson::refuse});
  if (!parsed) {
    message.problem = "a message is one JSON object: " + parsed.error().message();
    return message;
  }
  const doc::DocumentView fields = parsed->view();
  if (const auto id = fields.find("id")) {
    const auto given = textOf(*id);
    if (given && isId(*given)) message.id = *given;
  }
  const auto type = fields.find("type");
  const auto name = type ? textOf(*type) : std::nullopt;
  if (!name) {
    message.problem = "type must be auth, subscribe or unsubscribe";
    return message;
  }
  message.type = typeNamed(*name);
  if (message.type == Type::unknown) {
    message.problem = "type must be auth, subscribe or unsubscribe";
    return message;
  }
  for (const doc::Element& field : fields) {
    if (field.key == "type") continue;
    message.problem = takeField(message, field.key, field.value, text);
    if (!message.problem.empty()) return message;
  }
  message.problem = missingField(message);
  return message;
}

std::string authOkMessage() {
  return R"({"type":"auth_ok"})";
}

std::string subscribedMessage(std::string_view id) {
  return withId("subscribed", id) + "}";
}

std::string unsubscribedMessage(std::string_view id) {
  return withId("unsubscribed", id) + "}";
}

std::string errorMessage(Code code, std::string_view message, std::string_view id) {
  std::string out = R"({"type":"error","code":")";
  out += wireName(code);
  out += R"(","message":)";
  doc::writeJsonString(out, message);
  if (!id.empty()) {
    out += R"(,"id":)";
    doc::writeJsonString(out, id);
  }
  out += '}';
  return out;
}

std::string gapMessage(std::string_view id, std::string_view position) {
  return withIdAndPosition("gap", id, position);
}

std::string caughtUpMessage(std::string_view id, std::string_view position) {
  return withIdAndPosition("caught-up", id, position);
}

std::string resetMessage(std::string_view id) {
  return withId("reset", id) + "}";
}

std::string eventHead(std::string_view id) {
  std::string out = R"({"type":"event","subscription":)";
  doc::writeJsonString(out, id);
  return out;
}

std::string eventTail(const store::ChangeEntry& entry, std::string_view collection, const ShownFields& shown,
                      std::string_view position) {
  std::string out = changeStart(kindName(entry.kind), collection, entry.id, entry.after ? entry.after->size() : 0);
  if (entry.kind != store::ChangeEntry::Kind::remove && entry.after) {
    out += R"(,"document":)";
    const doc::FieldSet* hidden = shown.hidden.empty() ? nullptr : &shown.hidden;
    if (shown.only.empty()) {
      doc::writeJson(out, *entry.after, hidden);
    } else {
      // Hidden first: positions of the elements that are hidden count in the whole list.
      if (hidden) {
        doc::writeJson(out, doc::keepFields(hidden->strip(*entry.after), shown.only));
      } else {
        doc::writeJson(out, doc::keepFields(*entry.after, shown.only));
      }
    }
  }
  out += R"(},"position":")";
  out += position;
  out += "\"}";
  return out;
}

std::string leaveTail(std::string_view documentId, std::string_view collection, std::string_view position) {
  std::string out = changeStart("leave", collection, documentId, 0);
  out += R"(},"position":")";
  out += position;
  out += "\"}";
  return out;
}

}  // namespace mb::realtime
