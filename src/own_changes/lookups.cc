#include "own_changes/lookups.h"

namespace mb::own_changes {

using store::own::StreamEvent;

void Lookups::begin(uint64_t asOf) {
  // A server that does not say its time: until the document is found as an event has it.
  asOf_ = asOf == 0 ? UINT64_MAX : asOf;
  // They were read before this batch was requested.
  for (const std::string& key : readAgain_) until_.put(key, asOf_);
  readAgain_.clear();
}

bool Lookups::isBehind(const std::string& key, const StreamEvent& event) {
  using Kind = StreamEvent::Kind;
  if (event.kind != Kind::insert && event.kind != Kind::update && event.kind != Kind::replace) return false;
  // What the server looked up for this batch is older.
  if (readAgain_.contains(key)) return true;
  if (event.kind == Kind::update) {
    // What later lookups find is not older.
    if (event.version != 0) until_.put(key, asOf_);
    return false;
  }
  const uint64_t* until = until_.find(key);
  if (!until) return false;
  if (event.at == 0 || event.at <= *until) return true;
  until_.erase(key);
  return false;
}

void Lookups::readAgain(const std::string& key, const StreamEvent& event, store::DocumentVersion found) {
  // What is found as this event made it has had no further change. For an update that was not seen: the server looked
  // up what it shows.
  const bool isItsOwn = event.kind != StreamEvent::Kind::update && event.version == found;
  if (!isItsOwn) {
    readAgain_.insert(key);
    return;
  }
  until_.erase(key);
  readAgain_.erase(key);
}

}  // namespace mb::own_changes
