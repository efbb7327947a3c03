// /openapi.json: the OpenAPI document, of the deployment or of a project with the collections in the caller's reach
// (docs/openapi.md).
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>

#include "api/routes.h"
#include "base/lru_cache.h"
#include "base/worker_pool.h"
#include "data/collection_table.h"
#include "identity/authenticator.h"
#include "openapi/document.h"

namespace mb::api {

// References outlive the OpenApiRoutes.
struct OpenApiDeps {
  identity::Authenticator& authenticator;
  snapshot::SlotKey<data::CollectionTable> collections;
  std::string version;  // of the server
  std::string baseUrl;  // without a slash at its end
};

class OpenApiRoutes {
 public:
  explicit OpenApiRoutes(OpenApiDeps deps);
  void addTo(RouteTable& routes);
  // Sets the routes to describe. REQUIRES: the table is complete, and outlives this. Call before any request.
  void describe(const RouteTable& routes) { routes_ = &routes; }

  // The general document; that of the token's project if the token may read its collections.
  Task<Reply> general(RequestContext& context);
  Task<Reply> ofProject(RequestContext& context);
  // Call after the server's drain.
  void stop() { pool_.stop(); }

 private:
  using TextPtr = std::shared_ptr<const openapi::Text>;
  // Built on the first call, which takes milliseconds: must not be called on an I/O thread.
  const openapi::OpenApiDocument& document();
  // The same; for I/O threads.
  Task<const openapi::OpenApiDocument*> loadDocument();
  // The document of a project at an epoch, with these collections.
  struct CachedText {
    uint64_t epoch = 0;
    std::vector<std::string> collections;  // sorted
    TextPtr text;
  };
  // Cached until the project changes or the entry is evicted. Callers who reach the same collections share one.
  Task<TextPtr> textOf(snapshot::SnapshotPtr project, std::vector<std::string> collections);
  TextPtr cachedText(const snapshot::ProjectSnapshot& project, const std::vector<std::string>& collections);
  // Names, sorted.
  std::vector<std::string> reachable(const snapshot::ProjectSnapshot& project, const policy::Caller& caller) const;
  // nullopt if the token does not permit reading a project's document: the caller then gets the general one.
  Async<std::optional<identity::Identified>> readerOf(std::string token);

  static constexpr size_t kMaxCached = 32;
  static constexpr size_t kMaxQueued = 32;
  const OpenApiDeps deps_;
  const RouteTable* routes_ = nullptr;
  std::once_flag buildOnce_;
  std::unique_ptr<const openapi::OpenApiDocument> document_;
  std::atomic<const openapi::OpenApiDocument*> ready_ = nullptr;
  std::mutex mutex_;
  LruCache<CachedText> cache_{kMaxCached};  // by project id and a hash of the collections
  WorkerPool pool_{"description", 1, kMaxQueued};
};

}  // namespace mb::api
