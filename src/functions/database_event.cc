#include "functions/database_event.h"

namespace mb::functions {

doc::Document encodeEvent(const DatabaseEvent& event) {
  size_t bytes = 256;
  for (const auto& each : {event.document, event.previous}) bytes += each ? each->bytes().size() : 0;
  doc::BsonWriter out(bytes);
  out.appendString("type", "database");
  out.appendString("event", event.event);
  out.appendString("collection", event.collection);
  out.appendString("documentId", event.documentId);
  if (event.document) {
    out.appendDocument("document", *event.document);
  } else {
    out.appendNull("document");
  }
  if (event.previous) out.appendDocument("previous", *event.previous);
  return out.finish();
}

bool wants(const Function& function, store::ChangeEntry::Kind kind) {
  switch (kind) {
    case store::ChangeEntry::Kind::insert:
      return function.onInsert;
    case store::ChangeEntry::Kind::update:
    case store::ChangeEntry::Kind::replace:
      return function.onUpdate;
    case store::ChangeEntry::Kind::remove:
      break;
  }
  return function.onDelete;
}

}  // namespace mb::functions
