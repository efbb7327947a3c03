// What names collections and follows them when they are called otherwise; implemented by modules above.
#pragma once

#include "data/collection_table.h"

namespace mb::data {

class CollectionReferrer {
 public:
  virtual ~CollectionReferrer() = default;
  // Before `collection` is renamed or dropped: what refers to it notes its number, by which it is found under its new
  // name, and its present name, by which another one is found later. Changes nothing that anybody sees.
  virtual Task<> bind(snapshot::SnapshotPtr project, CollectionPtr collection) = 0;
};

}  // namespace mb::data
