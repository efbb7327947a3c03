// Lookups finds the events that may have an older state of their document than one that was shown already. The server
// looks the document up for an update, so the update may show what a later write made of it; the events of that write
// and of those before it then have states that would step back. Used by one coroutine at a time.
#pragma once

#include <string>
#include <unordered_set>

#include "base/lru_cache.h"
#include "store/own/stream_event.h"

namespace mb::own_changes {

// Documents of one project that are remembered, in memory; of further ones a state may step back for a moment.
inline constexpr size_t kLookedUp = 20'000;

class Lookups {
 public:
  // A batch of events begins, which the server gave at `asOf` of its time (store::own::StreamBatch).
  void begin(uint64_t asOf);
  // Whether the event may have an older state than one that was shown, so that the document is to be read again; to be
  // called with each event of a document, in their order. `key`: of the document.
  bool isBehind(const std::string& key, const store::own::StreamEvent& event);
  // The document was read again for this event, after the batch began, and is shown as it was found then, with this
  // version.
  void readAgain(const std::string& key, const store::own::StreamEvent& event, store::DocumentVersion found);

 private:
  uint64_t asOf_ = UINT64_MAX;
  LruCache<uint64_t> until_{
      kLookedUp};  // by key: up to this time of the server, events may be older than what was shown
  std::unordered_set<std::string> readAgain_;  // in this batch; at most one for each of its events
};

}  // namespace mb::own_changes
