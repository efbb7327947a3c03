// A Deletion deletes documents of a collection to which others refer with `onDelete`: every deletion of a user's
// document is made by it, where its collection has referrers. A write that sets such a reference holds the document
// shared, and the deletion has it exclusively and looks into the referring collections afterwards, so that no reference
// is left over.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "data/collection_finder.h"
#include "store/write.h"

namespace mb::data {

struct DataDeps;

class Deletion {
 public:
  // Of a collection without referrers.
  Deletion() = default;
  // Fails with unavailable if an index that it needs is not ready, with staleCatalogue if a referring collection was
  // renamed or dropped since. `trace`: the trace context of the request, for the jobs.
  static Task<Deletion> of(const DataDeps& deps, CollectionFinder& finder, const Collection& collection,
                           std::string trace);

  // One document, and the jobs that its deletion starts.
  struct Removal {
    store::Target document;
    std::vector<std::pair<store::Target, doc::Document>> jobs;
    std::vector<std::string> queued;  // ids in the queue
  };
  // Names in `write` what the deletion of the document needs. The write fails with a violated condition where a
  // document refers to it that restricts its deletion: refusal() is the error for the caller.
  Result<Removal> name(store::Write& write, store::CollectionRef collection, std::string id) const;
  // In the write's callback.
  static void remove(const Removal& removal, store::Changes& changes);
  // After the commit.
  void wake(std::span<const Removal> removals) const;

  // The error for a violated condition, which names the collection that refers. REQUIRES: refusedCondition(error).
  static Error refusal(const Error& error);

 private:
  struct Referring {
    std::string name;
    store::CollectionRef collection;
    std::string path;
    doc::OnDelete onDelete;
  };
  Result<> addJob(store::Write& write, Removal& removal, store::CollectionRef collection, const std::string& id,
                  doc::OnDelete kind) const;

  const DataDeps* deps_ = nullptr;
  std::string name_;
  std::string trace_;
  std::vector<Referring> referring_;
};

// Whether the index finds all documents with a given reference at the path.
bool findsReferences(const store::IndexSpec& index, std::string_view path);
// Fails with unavailable if no such index is ready.
Result<> requireReferenceIndex(const Collection& collection, std::string_view path);

}  // namespace mb::data
