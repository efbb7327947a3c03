// A CollectionReferrer refers to collections by name and follows renames. Implemented by modules above.
#pragma once

#include "data/collection_table.h"

namespace mb::data {

class CollectionReferrer {
 public:
  virtual ~CollectionReferrer() = default;
  // Called before `collection` is renamed or dropped. References store its number, which finds it under its new name,
  // and its current name, which a later collection may get. Changes nothing visible.
  virtual Task<> bind(snapshot::SnapshotPtr project, CollectionPtr collection) = 0;
};

}  // namespace mb::data
