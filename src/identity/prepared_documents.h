// Documents prepared before a write, which its callback puts: conditionally, as a mail that may turn out to be
// unnecessary, or replacing an earlier one, as the token of a link. A document that is always inserted is an insert of
// the write instead.
#pragma once

#include <utility>
#include <vector>

#include "store/write.h"

namespace mb::identity {

class PreparedDocuments {
 public:
  void add(store::Write& write, store::WriteTarget target, doc::Document document) {
    documents_.emplace_back(write.change(std::move(target)), std::move(document));
  }
  void add(store::Write& write, store::Insert insert) {
    store::WriteTarget target{insert.collection, insert.id(), insert.idIsNew};
    add(write, std::move(target), std::move(insert.document));
  }
  void add(store::Write& write, std::vector<store::Insert> inserts) {
    for (store::Insert& insert : inserts) add(write, std::move(insert));
  }

  // Call in the write callback.
  void put(store::Changes& changes) const {
    for (const auto& [target, document] : documents_) changes.put(target, document);
  }

 private:
  std::vector<std::pair<store::Target, doc::Document>> documents_;
};

}  // namespace mb::identity
