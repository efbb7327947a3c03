// One subscription of one socket, and the name under which its events are sent. Used on one core.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/lru_cache.h"
#include "data/collection_table.h"
#include "data/documents.h"
#include "http/websocket.h"
#include "policy/subject.h"
#include "realtime/protocol.h"

namespace mb::realtime {

class Session;
struct FilterGroup;
struct SetHolder;

// What the events of a subscription show of documents. Subscriptions that agree in it share the text of an event.
struct Rendering {
  policy::ReaderKind reader = policy::ReaderKind::signedIn;  // whose denied fields are left out
  doc::FieldSet fields;                                      // the only fields that are shown; empty: all
  size_t uses = 0;
  std::string tail;  // of the event that is sent now; empty: not written yet
};

// A subscription id and a rendering, shared by all sockets that use both: an event is written once for each name, not
// for each socket.
struct Name {
  std::string id;
  std::string head;  // eventHead(id)
  size_t uses = 0;
  Rendering* rendering = nullptr;
  // The event that was written last, while it is sent.
  uint64_t eventSerial = 0;
  http::WebSocketMessagePtr message;
};

// The names in use on a core. Pointers are valid until their last release().
class Names {
 public:
  Name* acquire(const std::string& id, policy::ReaderKind reader, const doc::FieldSet& fields);
  void release(Name* name);
  size_t size() const { return names_.size(); }

 private:
  std::unordered_map<std::string, Name, StringHash, std::equal_to<>> names_;
  std::unordered_map<std::string, Rendering, StringHash, std::equal_to<>> renderings_;
};

inline constexpr uint64_t kNotLive = std::numeric_limits<uint64_t>::max();

struct Subscription {
  Session* session = nullptr;
  Name* name = nullptr;
  uint64_t serial = 0;     // unique on the core: a reused id gets a new one
  std::string collection;  // as subscribed
  store::CollectionNo number = 0;
  Events events = kAllEvents;
  bool leave = false;        // it gets leave events
  bool caughtUpDue = false;  // the client waits for a caughtUpMessage()
  data::Authority authority = data::Authority::policies;

  // The client's filter: as given, and parsed for a version of the collection. Without one: empty, matches everything.
  doc::Document filterSource;
  doc::Filter filter;
  data::CollectionPtr parsedFor;

  uint64_t from = kNotLive;  // it gets live changes after this one; kNotLive: none, it replays
  // The position from which it replays once its caller was looked up; it is not live.
  std::optional<uint64_t> replayAfter;
  uint64_t replay = 0;           // the number of its last replay: an earlier one ends
  uint64_t missed = 0;           // the last change that should have been sent and was not; 0: none
  bool resetDue = false;         // a reset that could not be sent yet
  uint64_t shownIn = 0;          // the last change that showed it the document afterwards: its serial
  FilterGroup* group = nullptr;  // null: the read rule allows nothing
  SetHolder* holder = nullptr;   // its values in the group, where the group is by a set
  size_t placeInGroup = 0;       // among the members of the holder, or of the group
  bool listed = false;           // whether it is in CollectionSubscribers::members
  size_t placeInMembers = 0;
};

}  // namespace mb::realtime
