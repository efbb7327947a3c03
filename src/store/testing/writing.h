// Test writes whose changes do not depend on documents.
#pragma once

#include "store/store.h"

namespace mb::store::testing {

inline Task<WriteOutcome> change(DocumentStore& store, CollectionRef collection, std::string id, Change change,
                                 WriteOptions options = {}) {
  Write write(std::move(options));
  const Target target = write.change(collection, std::move(id));
  return store.write(std::move(write),
                     [target, change = std::move(change)](const PreImages&, Changes& changes) -> Result<> {
                       changes.set(target, change);
                       return {};
                     });
}

inline Task<WriteOutcome> put(DocumentStore& store, CollectionRef collection, std::string id, doc::Document document,
                              WriteOptions options = {}) {
  return change(store, collection, std::move(id), Change::put(std::move(document)), std::move(options));
}

// Puts all documents in one write, each under its `id`.
inline Task<WriteOutcome> putAll(DocumentStore& store, CollectionRef collection, std::vector<doc::Document> documents,
                                 WriteOptions options = {}) {
  Write write(std::move(options));
  std::vector<Target> targets;
  for (const doc::Document& each : documents) {
    targets.push_back(write.change(collection, std::string(each.view().stringOr("id"))));
  }
  return store.write(
      std::move(write),
      [targets = std::move(targets), documents = std::move(documents)](const PreImages&, Changes& changes) -> Result<> {
        for (size_t i = 0; i < targets.size(); ++i) changes.put(targets[i], documents[i]);
        return {};
      });
}

inline Task<WriteOutcome> remove(DocumentStore& store, CollectionRef collection, std::string id,
                                 WriteOptions options = {}) {
  return change(store, collection, std::move(id), Change::remove(), std::move(options));
}

}  // namespace mb::store::testing
