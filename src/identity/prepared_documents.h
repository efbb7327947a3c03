// Documents that are made before a write, and that its callback puts: in some cases only, as a mail that turns out to
// be needless, or in place of an earlier one, as the token of a link. What is inserted in each case is an insert of the
// write.
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

  // In the write callback.
  void put(store::Changes& changes) const {
    for (const auto& [target, document] : documents_) changes.put(target, document);
  }

 private:
  std::vector<std::pair<store::Target, doc::Document>> documents_;
};

}  // namespace mb::identity
