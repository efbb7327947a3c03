// Events of a change stream (https://www.mongodb.com/docs/manual/reference/change-events/), and the entries of the
// change log that they become.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "store/change_entry.h"
#include "store/own/cover.h"
#include "store/own/documents.h"

namespace mb::store::own {

struct StreamEvent {
  // vanished: the collection was dropped or renamed. ended: the stream has no further events.
  enum class Kind { insert, update, replace, remove, vanished, ended, other } kind = Kind::other;
  std::string token;       // the document by which a stream continues after it; "" if the event is malformed
  uint64_t at = 0;         // when it happened, in the server's time (clusterTime); 0 if it is not given
  std::string collection;  // its name there
  std::string renamedTo;   // of one that was renamed: its name after that
  std::string keyName;     // nameOfKey() of the document's `_id`; "" if it names none
  std::optional<std::string> idOfKey;  // by the `_id` alone
  // The document after the change; nullopt if it is hidden, or was not given. Of an update it may be a later state.
  std::optional<doc::Document> after;
  DocumentVersion version = 0;          // of that; 0 if it was not given
  std::optional<doc::Document> before;  // nullopt if it is hidden, or was not given
  bool hasBefore = false;               // whether it was given
  bool isBackfill = false;              // all that changed is that the document has backfilledId()
  size_t bytes = 0;                     // of the event
};

// The bytes of a timestamp as a number that grows with time; 0 for other bytes.
uint64_t timeOf(std::string_view timestamp);

// `event` is well-formed, of any origin.
StreamEvent readEvent(std::string_view event, Cover& cover);

// The entries for a change that others made, in order, without actor. `knownId`: the id of the document before, where
// the stream does not say it and it is known to differ from what the `_id` gives.
std::vector<ChangeEntry> entriesOf(const StreamEvent& event, CollectionNo collection,
                                   const std::optional<std::string>& knownId);

}  // namespace mb::store::own
