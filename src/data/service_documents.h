// ServiceDocuments is the access to documents for code of the project itself, such as its functions (ctx.db): without
// permissions, policies and pre-hooks, but with schema, fields of the server, unique values and the change log.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "data/collection_finder.h"

namespace mb::data {

struct DataDeps;

struct ServiceAccess {
  CollectionFinder& collections;  // outlives the call
  store::Actor actor;             // of the writes
  store::Deadline deadline;
  std::stop_token aborted = {};  // no further step begins once a stop is requested
  // False for a scratch database: the writes are not in the change log, and references are neither checked nor looked
  // at by deletions.
  bool logged = true;
  std::string trace = {};  // store::WriteOptions::trace
};

inline constexpr uint64_t kMaxFound = 1000;

struct FindOptions {
  uint64_t limit = kMaxFound;  // clamped to kMaxFound
  uint64_t skip = 0;
  std::vector<store::SortKey> sort;  // empty: ascending id
};

struct UpdateCounts {
  int64_t matched = 0;
  int64_t modified = 0;  // of these, the documents that changed
};

// Every call may fail with notFound (collection), invalidFilter, and the errors of the store. Any core.
class ServiceDocuments {
 public:
  explicit ServiceDocuments(const DataDeps& deps) : deps_(deps) {}

  Task<std::vector<doc::Document>> find(ServiceAccess access, std::string collection, doc::Document filter,
                                        FindOptions options);
  Task<uint64_t> count(ServiceAccess access, std::string collection, doc::Document filter);
  // Returns the stored document, under its own id or a generated one. Fails with validation, conflict, planLimit.
  Task<doc::Document> insertOne(ServiceAccess access, std::string collection, doc::Document document);
  // `update`: operators, also `$` and `$[name]` with `arrayFilters` (an array), or fields to set. Documents are changed
  // individually: ids are read first, then 100 per commit, and the filter is evaluated again under each lock. Ends at
  // the first document that cannot be changed (validation, conflict, invalidUpdate, planLimit); earlier changes remain.
  Task<UpdateCounts> updateMany(ServiceAccess access, std::string collection, doc::Document filter,
                                doc::Document update, std::optional<doc::Document> arrayFilters);
  // The same for deletes; returns the number of deleted documents. Ends with conflict at a document to which others
  // refer, if they restrict its deletion.
  Task<int64_t> deleteMany(ServiceAccess access, std::string collection, doc::Document filter);

 private:
  struct ManyUpdate;
  struct Page {
    std::vector<std::string> ids;
    bool last = false;
  };
  Task<UpdateCounts> many(ServiceAccess access, std::string collection, ManyUpdate& update);
  // The ids after `after` that match, at most 100.
  Task<Page> page(store::CollectionRef collection, doc::Filter filter, std::string after, store::Deadline deadline);
  Task<std::optional<doc::Document>> insertNow(ServiceAccess access, CollectionPtr collection, doc::Document document);
  // Writes in one commit, or in several if one would cost too much. Stops before the first document that cannot be
  // changed, and sets `problem`. Returns the last id that was processed.
  Task<std::string> updateNow(ServiceAccess access, CollectionPtr collection, ManyUpdate& update,
                              std::vector<std::string> ids);

  const DataDeps& deps_;
};

}  // namespace mb::data
