#include "events/subscription.h"

#include <algorithm>

namespace mb::events {

namespace {

// `collection` is a field of the record itself, or of its trigger.
doc::Document withCollection(doc::DocumentView record, std::string_view name) {
  doc::BsonWriter out(record.bytes().size() + name.size());
  for (const doc::Element& element : record) {
    if (element.key == "collection") {
      out.appendString(element.key, name);
    } else if (element.key == "trigger" && element.value.type() == doc::BsonType::document) {
      out.appendDocument(element.key, withCollection(element.value.asDocument(), name));
    } else {
      out.append(element.key, element.value);
    }
  }
  return out.finish();
}

// 0 if the record's collection is not in `collections`.
int64_t numberOf(doc::DocumentView record, const CollectionNumbers& collections) {
  const auto trigger = record.find("trigger");
  const bool inTrigger = trigger && trigger->type() == doc::BsonType::document;
  const auto found = collections.find((inTrigger ? trigger->asDocument() : record).stringOr("collection"));
  return found == collections.end() ? 0 : static_cast<int64_t>(found->second);
}

}  // namespace

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

doc::Document backedUpFollower(doc::DocumentView record, const std::vector<store::CollectionInfo>& collections) {
  const auto bound = record.find("collectionNo");
  const auto number = static_cast<store::CollectionNo>(bound ? bound->toInteger().value_or(0) : 0);
  const auto found = std::ranges::find(collections, number, &store::CollectionInfo::number);
  return number == 0 || found == collections.end() ? doc::Document(record) : withCollection(record, found->name);
}

doc::Document restoredFollower(doc::DocumentView record, const CollectionNumbers& collections) {
  doc::BsonWriter out(record.bytes().size());
  for (const doc::Element& element : record) {
    if (element.key == "enabled") {
      out.appendBool("enabled", false);
    } else if (element.key == "after") {
      out.appendInteger(element.key, 0);
    } else if (element.key == "collectionNo") {
      out.appendInteger(element.key, element.value.toInteger() == 0 ? 0 : numberOf(record, collections));
    } else {
      out.append(element.key, element.value);
    }
  }
  return out.finish();
}

}  // namespace mb::events
