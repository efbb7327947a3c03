// /openapi.json: the machine-readable description, of the deployment and typed for a project, with the collections that
// the caller reaches.
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

// References outlive it.
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
  // Once all routes are in the table, before any request. The table outlives this.
  void describe(const RouteTable& routes) { routes_ = &routes; }

  // The general one; with a token that may read its project's collections, that project's.
  Task<Reply> general(RequestContext& context);
  Task<Reply> ofProject(RequestContext& context);
  // After the server's drain.
  void stop() { pool_.stop(); }

 private:
  using TextPtr = std::shared_ptr<const openapi::Text>;
  // Made at the first call, which takes milliseconds: not on an I/O thread.
  const openapi::OpenApiDocument& made();
  // The same from an I/O thread.
  Task<const openapi::OpenApiDocument*> description();
  // A description of a project at an epoch, with these collections.
  struct Kept {
    uint64_t epoch = 0;
    std::vector<std::string> collections;  // sorted
    TextPtr text;
  };
  // Kept until the project changes, or others are asked for. Callers who reach the same collections share one.
  Task<TextPtr> textOf(snapshot::SnapshotPtr project, std::vector<std::string> collections);
  TextPtr kept(const snapshot::ProjectSnapshot& project, const std::vector<std::string>& collections);
  // Names, sorted.
  std::vector<std::string> reachable(const snapshot::ProjectSnapshot& project, const policy::Caller& caller) const;
  // nullopt where the token opens no project's description: its caller is then one of the public.
  Async<std::optional<identity::Identified>> readerOf(std::string token);

  static constexpr size_t kKept = 32;
  static constexpr size_t kWaiting = 32;
  const OpenApiDeps deps_;
  const RouteTable* routes_ = nullptr;
  std::once_flag making_;
  std::unique_ptr<const openapi::OpenApiDocument> description_;
  std::atomic<const openapi::OpenApiDocument*> ready_ = nullptr;
  std::mutex mutex_;
  LruCache<Kept> kept_{kKept};  // by project id and a hash of the collections
  WorkerPool pool_{"description", 1, kWaiting};
};

}  // namespace mb::api
