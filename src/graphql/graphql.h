// The module, wired: a request of POST /graphql to its answer. Source: contract 4.4; decisions 4 ("GraphQL").
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
  // Adds the module's slot to `snapshots`; `data` and `search` outlive this. Without `search` nothing searches.
  Graphql(snapshot::Snapshots& snapshots, data::Data& data, Search* search);

  // Body: {query, variables?, operationName?, extensions?}. The answer {data?, errors?} as JSON: whatever is wrong with
  // the request stands in it. A query ends with the client of the calling request. `access` outlives the call.
  Task<std::string> answer(const data::Access& access, doc::Document body);

  // After the server's drain: answers that still wait to be written get unavailable.
  void stop() { pool_.stop(); }

  // Of the snapshot; for tests.
  std::shared_ptr<const Schema> schema(const snapshot::ProjectSnapshot& project) const {
    return project.get(slot_).schema(project);
  }
  // Without what `caller` cannot reach.
  std::shared_ptr<const Schema> schema(const snapshot::ProjectSnapshot& project, const policy::Caller& caller) const {
    return project.get(slot_).schemaFor(project, caller);
  }
  FairPool& pool() { return pool_; }  // for tests

 private:
  // A request that is right, and the plans of its operations, in their order; nullopt where each run makes its own.
  struct Ready {
    Request request;
    std::vector<std::optional<Plan>> plans;
  };

  // A request that is right, as text, is right again: applications send few texts, and often.
  static constexpr size_t kKnownRequests = 500;
  static constexpr int kThreads = 2;
  static constexpr size_t kKnownBytes = 2048;  // of a text that is kept
  static constexpr size_t kKnownFields = 250;  // of a plan that is kept
  // Without what the caller cannot reach. Built off the core.
  Task<std::shared_ptr<const Schema>> schemaOf(const data::Access& access);
  std::shared_ptr<const Ready> known(const Schema& schema, const std::string& query);
  // Parsed and validated.
  std::expected<std::shared_ptr<const Ready>, Problems> requestOf(const Schema& schema, const std::string& query);
  static void planAhead(const Schema& schema, Ready& ready);

  data::Documents& documents_;
  Search* const search_;
  SchemaSource source_;
  const snapshot::SlotKey<SchemaPlace> slot_;
  std::mutex mutex_;
  LruCache<std::shared_ptr<const Ready>> known_{kKnownRequests};
  FairPool pool_{"graphql", kThreads};
};

}  // namespace mb::graphql
