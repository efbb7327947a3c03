// Encodes and decodes the messages of a realtime socket (docs/realtime.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "document/field_set.h"
#include "store/change_feed.h"

namespace mb::realtime {

// The `code` of an error message.
enum class Code {
  invalidMessage,
  authFailed,
  unauthenticated,
  duplicateId,
  unknownSubscription,
  notFound,
  forbidden,
  tokenExpired,
  connectionLimit,
  queryTooCostly,
  unavailable,
};
std::string_view wireName(Code code);

inline constexpr size_t kMaxIdLength = 64;  // characters of a subscription's id, at least one
// Limits of one subscribe message: bytes of the filter as BSON, paths of `fields`, and their bytes together.
inline constexpr size_t kMaxFilterBytes = 16 << 10;
inline constexpr size_t kMaxFields = 100;
inline constexpr size_t kMaxFieldBytes = 4 << 10;

// The kinds of change, as a set of bits.
using Events = uint8_t;
inline constexpr Events kAllEvents = 0x0F;
Events eventOf(store::ChangeEntry::Kind kind);

struct ClientMessage {
  // none: no JSON object with a string `type`.
  enum class Type { none, unknown, auth, subscribe, unsubscribe };
  Type type = Type::none;
  std::string id;          // for use in errors; empty without a valid one
  std::string problem;     // why the message is INVALID_MESSAGE; empty for a valid one
  std::string token;       // auth
  bool anonymous = false;  // auth: without a token
  bool batch = false;      // auth: several messages may be sent as one, an array
  std::string collection;  // subscribe
  Events events = kAllEvents;
  std::optional<std::string> after;  // a position's text
  doc::Document filter;              // empty: none
  doc::FieldSet fields;              // those that the client wants, and the id; empty: all
  bool leave = false;
  bool caughtUp = false;  // it gets a caughtUpMessage()
  bool admin = false;     // subscribe: past policies
};
ClientMessage readMessage(std::string_view text);

std::string authOkMessage();
std::string subscribedMessage(std::string_view id);
std::string unsubscribedMessage(std::string_view id);
// Omits `id` if it is empty.
std::string errorMessage(Code code, std::string_view message, std::string_view id = "");
std::string gapMessage(std::string_view id, std::string_view position);
std::string caughtUpMessage(std::string_view id, std::string_view position);

std::string resetMessage(std::string_view id);

// What a subscriber is shown of a document: `only` these fields, or all if it is empty, but none that is `hidden`.
struct ShownFields {
  const doc::FieldSet& hidden;
  const doc::FieldSet& only;
};
// An event is a head, which names the subscription, and a tail, which all subscriptions with the same view share.
std::string eventHead(std::string_view id);
// A delete has no document.
std::string eventTail(const store::ChangeEntry& entry, std::string_view collection, const ShownFields& shown,
                      std::string_view position);
// The tail of the event that reports that a document went out of sight.
std::string leaveTail(std::string_view documentId, std::string_view collection, std::string_view position);

}  // namespace mb::realtime
