// Documents for code that belongs to the project itself, such as its functions: below permissions, policies and
// pre-hooks; through schema, fields of the server, unique values and the change log. Source: contract 2.11 (ctx.db);
// decisions 5; docs/engine.md.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "data/collection_table.h"

namespace mb::data {

struct DataDeps;

// Where a collection is to be found at this moment.
class CollectionFinder {
 public:
  virtual ~CollectionFinder() = default;
  // Fails with notFound where there is none of the name.
  virtual Task<CollectionPtr> find(std::string name) = 0;
};

struct ServiceAccess {
  CollectionFinder& collections;  // outlives the call
  store::Actor actor;             // of what is written
  store::Deadline deadline;
  std::stop_token aborted = {};  // nothing more is begun once it is asked to stop
  bool logged = true;            // in the change log
};

inline constexpr uint64_t kMaxFound = 1000;

struct FindOptions {
  uint64_t limit = kMaxFound;  // clamped to kMaxFound
  uint64_t skip = 0;
  std::vector<store::SortKey> sort;  // empty: ascending id
};

struct UpdateCounts {
  int64_t matched = 0;
  int64_t modified = 0;  // of them, those that are another document now
};

// Every call fails with notFound (collection), invalidFilter, and what the store fails with. Any core.
class ServiceDocuments {
 public:
  explicit ServiceDocuments(const DataDeps& deps) : deps_(deps) {}

  Task<std::vector<doc::Document>> find(ServiceAccess access, std::string collection, doc::Document filter,
                                        FindOptions options);
  Task<uint64_t> count(ServiceAccess access, std::string collection, doc::Document filter);
  // The document as it is stored, under its own id or a new one. Fails with validation, conflict.
  Task<doc::Document> insertOne(ServiceAccess access, std::string collection, doc::Document document);
  // `update`: operators, `$` and `$[name]` with `arrayFilters` (an array) too, or fields to set. Each document for
  // itself: the ids by a read, then 100 a commit, each judged again under its lock. The first document that cannot be
  // changed ends it (validation, conflict, invalidUpdate); those before it stay changed.
  Task<UpdateCounts> updateMany(ServiceAccess access, std::string collection, doc::Document filter,
                                doc::Document update, std::optional<doc::Document> arrayFilters);
  // How many went; likewise.
  Task<int64_t> deleteMany(ServiceAccess access, std::string collection, doc::Document filter);

 private:
  struct ManyUpdate;
  struct Page {
    std::vector<std::string> ids;
    bool last = false;
  };
  Task<UpdateCounts> many(ServiceAccess access, std::string collection, ManyUpdate& update);
  // The ids behind `after` that match, at most 100 of them.
  Task<Page> page(store::CollectionRef collection, doc::Filter filter, std::string after, store::Deadline deadline);
  Task<std::optional<doc::Document>> insertNow(ServiceAccess access, CollectionPtr collection, doc::Document document);
  // One commit, or several where one would cost too much; fewer than all where one of them cannot be changed, and
  // `problem` then says why. The last of the ids that it is through with.
  Task<std::string> updateNow(ServiceAccess access, CollectionPtr collection, ManyUpdate& update,
                              std::vector<std::string> ids);

  const DataDeps& deps_;
};

}  // namespace mb::data
