// /api/v1/admin/types.ts: what `manybase types` prints of a project (docs/command-line.md).
#pragma once

#include <mutex>

#include "api/routes.h"
#include "base/lru_cache.h"
#include "data/collection_table.h"
#include "functions/function_table.h"

namespace mb::api {

class TypesRoutes {
 public:
  TypesRoutes(snapshot::SlotKey<data::CollectionTable> collections,
              snapshot::SlotKey<functions::FunctionTable> functions)
      : collections_(collections), functions_(functions) {}
  void addTo(RouteTable& routes);

  // Without the routes of functions where the caller may not read functions.
  Task<Reply> types(RequestContext& context);

 private:
  enum class Routes { shown, hidden };
  struct Text {
    std::string text;
    std::string etag;
  };
  // Takes long for many schemas: in a pool. Fails with conflict where stored schemas do not compile.
  Result<Text> textOf(const snapshot::ProjectSnapshot& project, Routes shown);
  // The entity tag of the project's text at its epoch; "" if it is not known.
  std::string knownTag(const snapshot::ProjectSnapshot& project, Routes shown);

  static std::string keyOf(const snapshot::ProjectSnapshot& project, Routes shown);

  struct Known {
    uint64_t epoch = 0;
    std::string etag;
  };
  static constexpr size_t kMaxKnown = 1024;
  const snapshot::SlotKey<data::CollectionTable> collections_;
  const snapshot::SlotKey<functions::FunctionTable> functions_;
  std::mutex mutex_;
  LruCache<Known> known_{kMaxKnown};  // by project id and routes
};

}  // namespace mb::api
