#include "api/route_docs.h"

namespace mb::api {

std::vector<RouteDoc> routeDocs() {
  std::vector<RouteDoc> all;
  for (auto* table :
       {&serviceDocs, &authDocs, &identityDocs, &controlDocs, &collectionDocs, &functionDocs, &operationDocs, &pageDocs,
        &storageDocs, &vectorDocs, &graphqlDocs, &billingDocs, &introspectionDocs}) {
    std::vector<RouteDoc> docs = table();
    all.insert(all.end(), std::make_move_iterator(docs.begin()), std::make_move_iterator(docs.end()));
  }
  return all;
}

}  // namespace mb::api
