// One entry of a change log.
#pragma once

#include <optional>
#include <string>

#include "base/clock.h"
#include "document/bson.h"
#include "store/store_types.h"

namespace mb::store {

struct ChangeEntry {
  uint64_t position = 0;  // ascending within the project; opaque outside the store
  enum class Kind { insert, update, replace, remove } kind = Kind::insert;
  CollectionNo collection = 0;
  std::string id;
  std::optional<doc::Document> before;
  std::optional<doc::Document> after;
  Actor actor;
  Timestamp at;
  std::string trace;  // WriteOptions::trace of the write

  // An entry of no document: changes of any of the project's documents before it may be missing, since a database of
  // its owner did not say them.
  static ChangeEntry gap() {
    ChangeEntry entry;
    entry.kind = Kind::remove;
    return entry;
  }
  bool isGap() const { return collection == 0; }
};

}  // namespace mb::store
