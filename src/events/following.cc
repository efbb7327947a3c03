#include "events/following.h"

namespace mb::events {

std::string_view eventName(store::ChangeEntry::Kind kind) {
  switch (kind) {
    case store::ChangeEntry::Kind::insert:
      return "insert";
    case store::ChangeEntry::Kind::update:
      return "update";
    case store::ChangeEntry::Kind::replace:
      return "replace";
    case store::ChangeEntry::Kind::remove:
      break;
  }
  return "delete";
}

doc::Document restoredFollower(doc::DocumentView record) {
  doc::BsonWriter out(record.bytes().size());
  for (const doc::Element& element : record) {
    if (element.key == "enabled") {
      out.appendBool("enabled", false);
    } else if (element.key == "after" || element.key == "collectionNo") {
      out.appendInteger(element.key, 0);
    } else {
      out.append(element.key, element.value);
    }
  }
  return out.finish();
}

}  // namespace mb::events
