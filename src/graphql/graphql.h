// Graphql handles the requests of POST /graphql (docs/graphql.md).
#pragma once

#include <memory>
#include <string>

#include "base/fair_pool.h"
#include "base/lru_cache.h"
#include "data/data.h"
#include "graphql/language/ast.h"
#include "graphql/language/problem.h"
#include "graphql/language/selections.h"
#include "graphql/schema_slot.h"
#include "graphql/search.h"

namespace mb::graphql {

class Graphql {
 public:
  // Adds the module's slot to `snapshots`; `data` and `search` outlive this. `search` may be null: then no field
  // searches.
  Graphql(snapshot::Snapshots& snapshots, data::Data& data, Search* search);

  // `body`: {query, variables?, operationName?, extensions?}. Returns the response {data?, errors?} as JSON; it holds
  // all problems of the request. A query is cancelled when the client disconnects. `access` outlives the call.
  Task<std::string> answer(const data::Access& access, doc::Document body);

  // Call it after the server's drain: responses that still wait to be written fail with unavailable.
  void stop() { pool_.stop(); }

  // The schema of the snapshot; for tests.
  std::shared_ptr<const Schema> schema(const snapshot::ProjectSnapshot& project) const {
    return project.get(slot_).schema(project);
  }
  // Without the collections that `caller` cannot reach.
  std::shared_ptr<const Schema> schema(const snapshot::ProjectSnapshot& project, const policy::Caller& caller) const {
    return project.get(slot_).schemaFor(project, caller);
  }
  FairPool& pool() { return pool_; }  // for tests

 private:
  // A valid request, and the plans of its operations, in their order; nullopt if each run needs its own.
  struct PreparedRequest {
    Request request;
    std::vector<std::optional<Plan>> plans;
  };

  // Valid requests are cached by their text: applications send few texts, and often.
  static constexpr size_t kCachedRequests = 500;
  static constexpr int kThreads = 2;
  static constexpr size_t kMaxCachedBytes = 2048;  // of a cached text
  static constexpr size_t kMaxCachedFields = 250;  // of a cached plan
  // The schema without the collections that the caller cannot reach. Built off the core.
  Task<std::shared_ptr<const Schema>> schemaOf(const data::Access& access);
  std::shared_ptr<const PreparedRequest> findCached(const Schema& schema, const std::string& query);
  // Parses and validates the query, unless it is cached.
  std::expected<std::shared_ptr<const PreparedRequest>, Problems> requestOf(const Schema& schema,
                                                                            const std::string& query);
  static void preparePlans(const Schema& schema, PreparedRequest& prepared);

  data::Documents& documents_;
  Search* const search_;
  SchemaSource source_;
  const snapshot::SlotKey<SchemaSlot> slot_;
  std::mutex mutex_;
  LruCache<std::shared_ptr<const PreparedRequest>> cached_{kCachedRequests};
  FairPool pool_{"graphql", kThreads};
};

}  // namespace mb::graphql
