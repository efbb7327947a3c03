// One subscription of one socket, and the name under which its events go out. All of a core.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <unordered_map>

#include "base/lru_cache.h"
#include "http/websocket.h"
#include "realtime/protocol.h"

namespace mb::realtime {

class Session;
struct FilterGroup;

// An id that subscriptions carry, of however many sockets: an event is written once for each name, not for each socket.
struct Name {
  std::string id;
  std::string head;  // eventHead(id)
  size_t uses = 0;
  // The event that was written last, while it is handed out.
  uint64_t turn = 0;
  http::WebSocketMessagePtr message;
};

// The names in use on a core. Pointers stay until their last release().
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
  uint64_t serial = 0;     // of the core's subscriptions: an id that is used again is another one
  std::string collection;  // as subscribed
  store::CollectionNo number = 0;
  Events events = kAllEvents;
  uint64_t from = kNotLive;      // it takes the changes after this one from the live feed; kNotLive: none, it replays
  uint64_t missed = 0;           // the last change that it should have had and had not; 0: none
  FilterGroup* group = nullptr;  // null: the rule shows it nothing
  size_t placeInGroup = 0;
  bool listed = false;  // among its audience's members
  size_t placeInAudience = 0;
};

}  // namespace mb::realtime
