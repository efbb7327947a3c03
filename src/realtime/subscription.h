// One subscription of one socket, and the name under which its events are sent. Used on one core.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <unordered_map>

#include "base/lru_cache.h"
#include "http/websocket.h"
#include "policy/subject.h"
#include "realtime/protocol.h"

namespace mb::realtime {

class Session;
struct FilterGroup;

// A subscription id, shared by all sockets that use it: an event is written once for each name, not for each socket.
struct Name {
  std::string id;
  std::string head;  // eventHead(id)
  size_t uses = 0;
  // The event that was written last, while it is sent.
  uint64_t eventSerial = 0;
  http::WebSocketMessagePtr message;
};

// The names in use on a core. Pointers are valid until their last release().
class Names {
 public:
  Name* acquire(const std::string& id);
  void release(Name* name);
  size_t size() const { return names_.size(); }

 private:
  std::unordered_map<std::string, Name, StringHash, std::equal_to<>> names_;
};

inline constexpr uint64_t kNotLive = std::numeric_limits<uint64_t>::max();

struct Subscription {
  Session* session = nullptr;
  Name* name = nullptr;
  uint64_t serial = 0;     // unique on the core: a reused id gets a new one
  std::string collection;  // as subscribed
  store::CollectionNo number = 0;
  Events events = kAllEvents;
  policy::SetValues sets;        // of the caller, that decide what it sees
  uint64_t from = kNotLive;      // it gets live changes after this one; kNotLive: none, it replays
  uint64_t missed = 0;           // the last change that should have been sent and was not; 0: none
  FilterGroup* group = nullptr;  // null: the read rule allows nothing
  size_t placeInGroup = 0;
  bool listed = false;  // whether it is in CollectionSubscribers::members
  size_t placeInMembers = 0;
};

}  // namespace mb::realtime
